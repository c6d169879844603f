import * as fs from 'fs';

import { Filtering } from '../support/filtering';
import { expect, test } from '../support/fixtures';
import { openPrepared } from '../support/prepared';

test.describe('exporting', () => {
  test('downloads what is visible as HTML and as Markdown, with who said what', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, [
      { id: 'rules', system: 'Be brief.' },
      {
        id: 'kept',
        user: 'Mend <b>this</b>:\n```py\nx = 1',
        reply: '**Done** <img src=x onerror=alert(1)>',
        topic: 'work'
      },
      { id: 'other', user: 'A secret', reply: 'Kept', topic: 'home' }
    ]);
    await new Filtering(chat).apply('topic:work');

    const download = async (name: string) => {
      await page.menu.clickMenuItem(`File>Save and Export Notebook As>${name}`);
    };
    const [asHTML] = await Promise.all([
      page.waitForEvent('download'),
      download('Chat as HTML')
    ]);
    expect(asHTML.suggestedFilename()).toMatch(/\.chat\.html$/);
    const html = fs.readFileSync(await asHTML.path(), 'utf8');
    expect(html).toContain('Mend &lt;b&gt;this&lt;/b&gt;:');
    expect(html).toContain('<strong>Done</strong>');
    expect(html).toContain('scripted/scripted');
    expect(html).not.toContain('<img src=x');
    expect(html).toContain('A filter hides 1 pair of this chat');
    expect(html).not.toContain('secret');

    const [asMarkdown] = await Promise.all([
      page.waitForEvent('download'),
      download('Chat as Markdown')
    ]);
    const markdown = fs.readFileSync(await asMarkdown.path(), 'utf8');
    expect(markdown).toContain(
      '**You:**\n\nMend <b>this</b>:\n```py\nx = 1\n```\n\n**scripted/scripted:**\n\n**Done**'
    );
    expect(markdown).not.toContain('secret');
  });
});
