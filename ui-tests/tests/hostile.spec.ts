import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

import { hostile, type IHostileReply } from '../fixtures/hostile';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';

/** A chat whose replies are all hostile, one pair each. */
const chatOf = (replies: readonly IHostileReply[]) => ({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { turnbook: { format: 1, chatId: crypto.randomUUID() } },
  cells: replies.map(({ name, markdown }, i) => ({
    cell_type: 'code',
    id: `pair-${i}`,
    source: name,
    // A file can claim to be trusted.
    metadata: { trusted: true },
    execution_count: null,
    outputs: [
      {
        output_type: 'display_data',
        data: { 'text/markdown': markdown },
        metadata: {}
      }
    ]
  }))
});

/** The requests of the page to other hosts, which are blocked here. */
async function catchRequests(page: IJupyterLabPageFixture): Promise<string[]> {
  const caught: string[] = [];
  const own = new URL(page.url()).host;
  await page.context().route(
    url => /^https?:$/.test(url.protocol) && url.host !== own,
    async route => {
      caught.push(route.request().url());
      await route.abort();
    }
  );
  return caught;
}

/** Whether a script of a reply has run; an element named `__pwned` would count as well. */
function pwned(page: IJupyterLabPageFixture): Promise<boolean> {
  return page.evaluate(() => '__pwned' in window);
}

async function open(
  page: IJupyterLabPageFixture,
  path: string,
  factory: string
): Promise<void> {
  await page.evaluate(
    ([path, factory]) =>
      window.jupyterapp.commands.execute('docmanager:open', { path, factory }),
    [path, factory]
  );
}

/**
 * Click everything that a reply shows, except what says that it loads or links to something and, in
 * the notebook view, what runs a command, since JupyterLab allows that there.
 */
async function clickAround(page: IJupyterLabPageFixture): Promise<void> {
  await page.evaluate(() => {
    const shown =
      '.jp-RenderedMarkdown :not(:has(*), a[href], a[href] *, .jp-Turnbook-blocked, [data-commandlinker-command])';
    for (const element of document.querySelectorAll(shown)) {
      for (const type of ['mouseover', 'mousedown', 'focusin', 'click']) {
        element.dispatchEvent(
          new MouseEvent(type, { bubbles: true, cancelable: true })
        );
      }
    }
  });
}

test.describe('Hostile replies', () => {
  test('neither run nor phone home in the chat view @fresh', async ({
    page,
    tmpPath
  }) => {
    test.slow();
    const path = `${tmpPath}/hostile.chat.ipynb`;
    await page.contents.uploadContent(
      JSON.stringify(chatOf(hostile)),
      'text',
      path
    );
    const caught = await catchRequests(page);
    await open(page, path, 'Turnbook Chat');
    for (const [i, { name, markdown }] of hostile.entries()) {
      const pair = page.locator(`[data-turnbook-pair="pair-${i}"]`);
      const reply = pair.locator('.jp-Turnbook-markdown');
      await pair.scrollIntoViewIfNeeded();
      await expect(reply, name).not.toHaveClass(/jp-mod-waiting/);
      expect(await reply.innerHTML(), name).not.toBe(markdown);
    }
    await clickAround(page);
    expect(await pwned(page)).toBe(false);
    expect(caught).toEqual([]);
    await expect(page.locator('.jp-Dialog')).toHaveCount(0);

    // A blocked image loads when requested, and nothing else does.
    const load = page
      .getByRole('button', { name: 'Load image from evil.test' })
      .first();
    await load.scrollIntoViewIfNeeded();
    await load.click();
    await expect.poll(() => caught.length).toBe(1);
  });

  test('do not run in the notebook view of the same file @fresh', async ({
    page,
    tmpPath
  }) => {
    test.slow();
    const path = `${tmpPath}/hostile.chat.ipynb`;
    // Very deep replies block JupyterLab's own renderer for minutes; the chat view limits their depth.
    const replies = hostile.filter(({ name }) => !name.startsWith('deep'));
    const content = JSON.stringify(chatOf(replies));
    await page.contents.uploadContent(content, 'text', path);
    // The notebook view loads images, like that of any notebook; the requests are blocked in the browser.
    await catchRequests(page);
    await open(page, path, 'Notebook');
    const outputs = page.locator('.jp-Notebook .jp-RenderedMarkdown');
    await expect(outputs.first()).toBeVisible();
    for (let i = 0; i < replies.length; i += 10) {
      await page.evaluate(i => {
        const cells = document.querySelectorAll('.jp-Notebook .jp-Cell');
        cells[i]?.scrollIntoView();
      }, i);
      await expect(page.locator('.jp-Notebook .jp-Cell').nth(i)).toBeVisible();
    }
    await clickAround(page);
    expect(
      await page.evaluate(() => {
        const value = (window as { __pwned?: unknown }).__pwned;
        return typeof value === 'number';
      })
    ).toBe(false);
  });

  test('neither run nor phone home while they arrive @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    test.slow();
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const caught = await catchRequests(page);
    const some = hostile.filter((_, i) => i % 9 === 0);
    for (const [i, { name, markdown }] of some.entries()) {
      await provider.reply(markdown.slice(0, 2000), 0.005);
      await chat.say(name);
      await expect(
        page.locator('[data-turnbook-state="succeeded"]')
      ).toHaveCount(i + 1);
    }
    await clickAround(page);
    expect(await pwned(page)).toBe(false);
    expect(caught).toEqual([]);
  });
});
