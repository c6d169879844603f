import type { Page } from '@playwright/test';

import { expect, test } from '../support/fixtures';
import { openPrepared, type Prepared } from '../support/prepared';

const FENCED = 'Why?\n\n```py\nx = 1';

const PAIRS: Prepared[] = [
  { id: 'first', user: FENCED, reply: '**Because** `x`.' },
  { id: 'second', user: 'And *then*?', reply: '```\nnothing\n```' }
];

/** What notifications have said; most disappear soon. */
async function toasts(page: Page) {
  await page.evaluate(() => {
    const said: string[] = [];
    (window as any).said = said;
    new MutationObserver(() => {
      for (const { textContent } of document.querySelectorAll('.Toastify')) {
        said.push(textContent);
      }
    }).observe(document.body, { childList: true, subtree: true });
  });
  const all = () => page.evaluate(() => (window as any).said.join());
  return {
    forget: () =>
      page.evaluate(() => {
        (window as any).said.length = 0;
      }),
    expect: (words: string) => expect.poll(all).toContain(words)
  };
}

test.describe('copying', () => {
  test('copies a message, a reply, and pairs as Markdown, and says so', async ({
    page,
    context,
    tmpPath
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { chat } = await openPrepared(page, tmpPath, PAIRS);
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    const menu = page.locator('.lm-Menu:visible');
    const said = await toasts(page);
    const choose = async (name: string, words: string) => {
      await chat.tool(0, /^More actions/).click();
      await said.forget();
      await menu.getByText(name, { exact: true }).click();
      await said.expect(words);
    };
    await chat.choose(0);
    await choose('Copy Message', 'Message copied');
    expect(await copied()).toBe(FENCED);
    await choose('Copy Reply', 'Reply copied');
    expect(await copied()).toBe('**Because** `x`.');
    await choose('Copy as Markdown', 'Pair copied as Markdown');
    const first = `**You:**\n\n${FENCED}\n\`\`\`\n\n**scripted/scripted:**\n\n**Because** \`x\`.`;
    expect(await copied()).toBe(first);

    // Of a selection, all pairs.
    await chat.choose(0);
    await page.keyboard.press('Shift+ArrowDown');
    await chat.execute('turnbook:copy-as-markdown');
    await said.expect('2 pairs copied');
    expect(await copied()).toBe(
      `${first}\n\n**You:**\n\nAnd *then*?\n\n**scripted/scripted:**\n\n\`\`\`\nnothing\n\`\`\``
    );
  });

  test('says that the clipboard refuses, and what to do @fresh', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, PAIRS);
    await page.evaluate(() => {
      navigator.clipboard.writeText = async () => {
        throw new DOMException('Write permission denied.', 'NotAllowedError');
      };
    });
    await chat.choose(0);
    await chat.execute('turnbook:copy-message');
    await expect(page.locator('.Toastify')).toContainText(
      'Not copied: Write permission denied. Select the text'
    );
  });
});
