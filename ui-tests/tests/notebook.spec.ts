import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { BrowserContext, Page } from '@playwright/test';
import * as fs from 'fs';
import * as path from 'path';

import { Beside, code } from '../support/beside';
import { Chat } from '../support/chat';
import { expect, test as lab } from '../support/fixtures';
import { LOADING_MS } from '../support/loading';
import { preparedNotebook } from '../support/prepared';
import { Replay, SURVEY } from '../support/replay';
import { RequestUI } from '../support/request';

/** Jupyter Notebook opens each document in a page of its own, so these tests have no shared page. */
const test = lab.extend<{ context: BrowserContext; page: never }>({
  context: async ({ browser, baseURL }, use) => {
    const context = await browser.newContext({ baseURL });
    await use(context);
    await context.close();
  }
});

/** The pages have `window.jupyterapp`, which is what the helpers need. */
const asLab = (page: Page) => page as IJupyterLabPageFixture;

/** Write a chat into the server's folder. */
function write(root: string, name: string): void {
  const notebook = preparedNotebook(SURVEY);
  fs.writeFileSync(path.join(root, name), JSON.stringify(notebook));
}

/** Open a file from the tree, as a user does. */
async function openFromTree(
  context: BrowserContext,
  name: string
): Promise<Page> {
  const tree = await context.newPage();
  await tree.goto('/tree');
  const file = tree.getByRole('listitem').filter({ hasText: name });
  const [page] = await Promise.all([
    context.waitForEvent('page'),
    file.getByText(name).dblclick({ timeout: LOADING_MS })
  ]);
  return page;
}

test.describe('in Jupyter Notebook', { tag: '@notebook' }, () => {
  test('a chat opens from the tree, sends, and shows its request', async ({
    context,
    provider,
    servers
  }) => {
    write(servers.root, 'seven.chat.ipynb');
    const page = await openFromTree(context, 'seven.chat.ipynb');
    const chat = new Chat(asLab(page));
    await expect(chat.message).toBeVisible({ timeout: LOADING_MS });
    await expect(chat.model).toHaveText(/scripted/);
    await chat.message.fill('Hello from the tree');
    await chat.submit();
    // It asks once, because the file was not made in this browser.
    await page.getByRole('button', { name: 'Use it' }).click();
    await chat.expectState(1, 'succeeded');
    await expect(chat.pair(1)).toContainText('You said: Hello from the tree');
    expect((await provider.completions()).length).toBe(1);

    // Neither is about chats.
    await expect(page.getByText('Trusted')).toBeHidden();
    await expect(page.locator('.jp-Dialog')).toHaveCount(0);
    const trust = page.locator('.jp-NotebookTrustedStatus');
    await expect(trust).toHaveCount(1);
    await expect(trust).toBeHidden();

    await chat.message.press('Alt+Shift+R');
    const request = new RequestUI(chat);
    await expect(request.panel).toBeVisible();
    await expect(request.row(0)).toContainText(
      'You help to design household surveys.'
    );
  });

  test('asking about a cell opens its chat in another page, with the cell attached', async ({
    context,
    provider,
    servers
  }) => {
    fs.writeFileSync(
      path.join(servers.root, 'plain.ipynb'),
      JSON.stringify({
        cells: [code('a = 1')],
        metadata: { language_info: { name: 'python' } },
        nbformat: 4,
        nbformat_minor: 5
      })
    );
    const page = await context.newPage();
    await page.goto('/notebooks/plain.ipynb');
    const button = page.getByTitle('Start a chat about this notebook');
    await expect(button).toBeVisible({ timeout: LOADING_MS });
    const beside = new Beside(asLab(page));
    await beside.select(0);
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      beside.chat.execute('turnbook:ask-about-cell')
    ]);
    const there = new Beside(asLab(opened));
    await expect(there.chat.message).toBeVisible({ timeout: LOADING_MS });
    await expect(there.chips).toHaveText([/plain\.ipynb · cell 1/]);
    await expect(there.chat.message).toBeFocused();
    expect(await provider.completions()).toEqual([]);
    expect(await there.chat.path()).toBe('plain.chat.ipynb');
    expect(
      await opened.evaluate(() =>
        window.jupyterapp.commands.isVisible('turnbook:toggle-sidebar')
      )
    ).toBe(false);
    // What was handed over is there once.
    await opened.reload();
    await expect(there.chips).toHaveCount(1, { timeout: LOADING_MS });
  });

  test('a replay opens in a page of its own, and leads back', async ({
    context,
    provider,
    servers
  }) => {
    write(servers.root, 'again.chat.ipynb');
    const page = await context.newPage();
    await page.goto('/notebooks/again.chat.ipynb');
    const chat = new Chat(asLab(page));
    await expect(chat.message).toBeVisible({ timeout: LOADING_MS });
    await chat.message.fill('And now?');
    const [shown] = await Promise.all([
      context.waitForEvent('page'),
      chat.execute('turnbook:replay', { pair: 'live' })
    ]);
    const replay = new Replay(asLab(shown));
    await expect(replay.badge).toBeVisible({ timeout: LOADING_MS });
    await expect(replay.cells.last()).toContainText('And now?');
    await expect(shown.getByText('Trusted')).toBeHidden();
    expect((await provider.completions()).length).toBe(0);

    const [back] = await Promise.all([
      context.waitForEvent('page'),
      replay.button('Back to conversation').click()
    ]);
    await expect(new Chat(asLab(back)).message).toBeVisible({
      timeout: LOADING_MS
    });
  });
});
