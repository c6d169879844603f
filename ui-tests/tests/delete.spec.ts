import type { Locator } from '@playwright/test';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { breakSends } from '../support/loading';

const dialog = (chat: Chat): Locator => chat.page.locator('.jp-Dialog');

/**
 * The recovered replies of this chat; the list also has those of other tests, whose files are gone.
 */
const ownReplies = (chat: Chat): Locator =>
  dialog(chat).getByRole('listitem').filter({ hasNotText: 'which is gone' });

/** Make a cell active in VIEW mode. */
async function choose(chat: Chat, n: number): Promise<void> {
  await chat.page.evaluate(index => {
    const panel = window.jupyterapp.shell.currentWidget as any;
    panel.content.activeCellIndex = index;
    panel.content.deselectAll();
    panel.enterView();
  }, n);
}

/** Open the list of recoverable replies. */
async function openRecovered(chat: Chat): Promise<void> {
  await chat.page.evaluate(() => {
    // It returns when the list is closed.
    void window.jupyterapp.commands.execute('turnbook:recovered-replies');
  });
  await expect(dialog(chat)).toContainText('Recovered replies');
}

/** Delete the active cell by key, and confirm. */
async function deleteByKey(chat: Chat): Promise<void> {
  await chat.page.keyboard.press('x');
  await dialog(chat).getByRole('button', { name: 'Delete' }).click();
  await expect(dialog(chat)).toHaveCount(0);
}

test.describe('delete', () => {
  test('asks before it deletes a reply, and undo restores it', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await chat.say('One');
    await chat.expectState(0, 'succeeded');
    await chat.say('Two');
    await chat.expectState(1, 'succeeded');

    await choose(chat, 0);
    await page.keyboard.press('x');
    await dialog(chat).getByRole('button', { name: 'Cancel' }).click();
    await expect(chat.pairs).toHaveCount(2);
    await deleteByKey(chat);
    await expect(chat.pairs).toHaveCount(1);
    await expect(chat.pair(0)).toContainText('Two');

    await page.keyboard.press('Control+z');
    await expect(chat.pairs).toHaveCount(2);
    await expect(chat.pair(0)).toContainText('You said: One');
    await chat.expectState(0, 'succeeded');

    // The same from the toolbar; it persists after a save and a reload.
    await choose(chat, 1);
    await deleteByKey(chat);
    await expect(chat.pairs).toHaveCount(1);
    await chat.panel
      .locator('.jp-Toolbar')
      .getByRole('button', { name: 'Undo' })
      .first()
      .click();
    await expect(chat.pairs).toHaveCount(2);
    await expect(chat.pair(1)).toContainText('You said: Two');
    await chat.execute('docmanager:save');
    await chat.reload();
    await expect(chat.pairs).toHaveCount(2);
    await expect(chat.pair(1)).toContainText('You said: Two');
    expect(await provider.completions()).toHaveLength(2);
    await chat.saved(file, nb => nb.cells.length === 2);
  });

  test('does not ask without a reply, and undo restores even the only pair', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await provider.script({
      status: 400,
      steps: [{ body: { error: { code: 'bad', message: 'No' } } }]
    });
    await chat.say('Wrong');
    await chat.expectState(0, 'error');
    const remove = chat
      .pair(0)
      .locator('.jp-Turnbook-pairStatus')
      .getByRole('button', { name: 'Delete' });
    await remove.click();
    await expect(chat.pairs).toHaveCount(0);
    await expect(dialog(chat)).toHaveCount(0);
    await page.keyboard.press('Control+z');
    await expect(chat.pairs).toHaveCount(1);
    await expect(chat.pair(0)).toContainText('[error: bad]');

    // An emptied chat can be continued.
    await remove.click();
    await expect(chat.pairs).toHaveCount(0);
    await chat.say('Again');
    await chat.expectState(0, 'succeeded');
  });

  test('deletes notes and system messages too', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await chat.say('One');
    await chat.expectState(0, 'succeeded');
    for (const [command, cell] of [
      ['turnbook:add-system', '.jp-Turnbook-system'],
      ['turnbook:add-note', '.jp-Turnbook-note']
    ]) {
      await chat.execute(command);
      await expect(chat.panel.locator(`${cell} .cm-content`)).toBeFocused();
      await page.keyboard.type('some words');
      await page.keyboard.press('Escape');
      await page.keyboard.press('x');
      await expect(chat.panel.locator(cell)).toHaveCount(0);
      await page.keyboard.press('Control+z');
      await expect(chat.panel.locator(cell)).toContainText('some words');
      await page.keyboard.press('Control+Shift+z');
      await expect(chat.panel.locator(cell)).toHaveCount(0);
    }
    await expect(chat.pairs).toHaveCount(1);
    expect(await provider.completions()).toHaveLength(1);
  });

  test('stops the pair’s run, keeps its bytes and can restore them', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await chat.say('One');
    await chat.expectState(0, 'succeeded');
    await provider.script({
      steps: [{ delta: 'bytes that came' }, { stall: true }]
    });
    await chat.say('Two');
    await expect(chat.pair(1)).toContainText('bytes that came');
    await choose(chat, 1);
    await page.keyboard.press('x');
    await expect(chat.pairs).toHaveCount(1);
    await expect
      .poll(async () => (await provider.completions())[1].closed)
      .toBe(true);
    // The chat can send again.
    await chat.say('Three');
    await chat.expectState(1, 'succeeded');
    await chat.savedInState(file, 1, 'succeeded');
    await chat.clean();
    await chat.reload();
    await expect(chat.pairs).toHaveCount(2);
    await expect(chat.panel).not.toContainText('bytes that came');

    await expect(chat.message).toBeFocused();
    await openRecovered(chat);
    const item = ownReplies(chat);
    await expect(item).toHaveCount(1);
    await expect(item).toContainText('Two');
    await expect(item).toContainText('bytes that came');
    await item.getByRole('button', { name: 'Restore' }).click();
    await expect(item).toHaveCount(0);
    await dialog(chat)
      .getByRole('button', { name: /^(Close|OK|Done)$/ })
      .click();
    await expect(chat.pairs).toHaveCount(3);
    await expect(chat.pair(1)).toContainText('bytes that came');
    await chat.expectState(1, 'canceled');
    const notebook = await chat.saved(
      file,
      nb => nb.cells.length === 3 && nb.cells[1].outputs.length === 1
    );
    expect(notebook.cells[1].source).toBe('Two');
    expect(notebook.cells[1].outputs).toHaveLength(1);
    expect(await provider.completions()).toHaveLength(3);
  });

  test('of a live pair, undone, lands what has arrived', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await provider.script({
      steps: [{ delta: 'bytes that came' }, { stall: true }]
    });
    await chat.say('One');
    await expect(chat.pair(0)).toContainText('bytes that came');
    await choose(chat, 0);
    await page.keyboard.press('x');
    await expect(chat.pairs).toHaveCount(0);
    await expect
      .poll(async () => (await provider.completions())[0].closed)
      .toBe(true);
    await page.keyboard.press('Control+z');
    await expect(chat.pairs).toHaveCount(1);
    await chat.expectState(0, 'canceled');
    await expect(chat.pair(0)).toContainText('bytes that came');
    await expect(chat.pair(0)).toContainText('[INTERRUPTED]');
    const pairs = (nb: any): any[] =>
      nb.cells.filter((cell: any) => cell.metadata.turnbook_run);
    const notebook = await chat.saved(
      file,
      nb => pairs(nb)[0]?.outputs.length === 1
    );
    expect(pairs(notebook)[0].metadata.turnbook_run.state).toBe('canceled');
    await openRecovered(chat);
    await expect(dialog(chat)).toContainText(/Nothing to recover|Restore/);
    await expect(ownReplies(chat)).toHaveCount(0);
  });
});

test('several pairs are deleted in one undo step', async ({
  page,
  provider,
  tmpPath
}) => {
  const chat = new Chat(page);
  await chat.create(tmpPath);
  for (const [n, text] of ['One', 'Two', 'Three'].entries()) {
    await chat.say(text);
    await chat.expectState(n, 'succeeded');
  }
  await choose(chat, 0);
  await page.keyboard.press('Shift+ArrowDown');
  await expect(chat.panel.locator('.jp-Cell.jp-mod-selected')).toHaveCount(2);
  await deleteByKey(chat);
  await expect(chat.pairs).toHaveCount(1);
  await page.keyboard.press('Control+z');
  await expect(chat.pairs).toHaveCount(3);
  await expect(chat.pair(0)).toContainText('You said: One');
  await expect(chat.pair(1)).toContainText('You said: Two');
  expect(await provider.completions()).toHaveLength(3);
});

test('a pair deleted before the server has responded leaves nothing running @fresh', async ({
  page,
  provider,
  tmpPath
}) => {
  const chat = new Chat(page);
  await chat.create(tmpPath);
  await chat.say('One');
  await chat.expectState(0, 'succeeded');
  let answer = (): void => undefined;
  const held = new Promise<void>(resolve => (answer = resolve));
  await breakSends(page);
  await page.route(/\/turnbook\/api\/runs(\?|$)/, async route => {
    if (route.request().method() === 'POST') {
      await held;
    }
    await route.continue();
  });
  await provider.script({ steps: [{ delta: 'too late' }, { stall: true }] });
  await chat.say('Two');
  await choose(chat, 1);
  await page.keyboard.press('x');
  await expect(chat.pairs).toHaveCount(1);
  answer();
  await expect(chat.send).toBeVisible();
  await expect
    .poll(async () =>
      (await provider.completions()).every(
        ({ ended, closed }) => ended || closed
      )
    )
    .toBe(true);
  await page.unroute(/\/turnbook\/api\/runs(\?|$)/);
  await chat.say('Three');
  await chat.expectState(1, 'succeeded');
  await expect(chat.panel).not.toContainText('too late');
});
