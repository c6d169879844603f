import { nullTranslator } from '@jupyterlab/translation';

import { NotebookTarget } from '../notebooktarget';
import { openNotebook } from './opennotebook';

const trans = nullTranslator.load('');

const MARKDOWN = [
  'A ![cat](https://evil.test/cat.png).',
  '',
  '<img src="https://evil.test/dog.png">',
  '',
  '```html',
  '<img src="x.png">',
  '```',
  '',
  'Done.'
].join('\n');

async function setUp() {
  const panel = await openNotebook('work.ipynb', ['a = 1']);
  const target = new NotebookTarget({
    app: {} as never,
    chats: {} as never,
    notebooks: { currentWidget: panel } as never,
    trans
  });
  const cells = () => [...panel.content.model!.cells];
  return { cells, target };
}

const block = (language: string, text: string) => ({
  language,
  text,
  chat: { path: 'x.chat.ipynb', chatId: 'c' },
  pair: 'p',
  run: 'r'
});

describe('a block of Markdown', () => {
  it('loads nothing in a notebook, and keeps its code', async () => {
    const { cells, target } = await setUp();
    target.insert(block('markdown', MARKDOWN));
    const [, cell] = cells();
    expect(cell.type).toBe('markdown');
    expect(cell.sharedModel.getSource()).toBe(
      [
        'A [cat](https://evil.test/cat.png).',
        '',
        '&lt;img src="https://evil.test/dog.png">',
        '',
        '```html',
        '<img src="x.png">',
        '```',
        '',
        'Done.'
      ].join('\n')
    );
    target.replace(block('md', '![a](//evil.test)'));
    expect(cells()[1].sharedModel.getSource()).toBe('[a](//evil.test)');
  });

  it('is code if it is of another language', async () => {
    const { cells, target } = await setUp();
    target.insert(block('python', 'x = "![a](b)"'));
    expect(cells()[1].type).toBe('code');
    expect(cells()[1].sharedModel.getSource()).toBe('x = "![a](b)"');
  });
});
