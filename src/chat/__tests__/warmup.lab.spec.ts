import type { CodeEditor } from '@jupyterlab/codeeditor';

import { warmUp } from '../warmup';

describe('warmUp()', () => {
  it('loads the grammar and the parser of Markdown, and leaves nothing', () => {
    const seen: string[] = [];
    const newInlineEditor = ({ model }: CodeEditor.IOptions) => {
      seen.push(model.mimeType);
      return { dispose: () => seen.push('gone') } as never;
    };
    const render = async (text: string) => {
      seen.push(`parsed ${JSON.stringify(text)}`);
      return '';
    };
    warmUp({ newInlineEditor }, { markdownParser: { render } });
    expect(seen).toEqual(['text/x-ipythongfm', 'gone', 'parsed ""']);
  });
});
