import type { Locator } from '@playwright/test';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { Replay } from '../support/replay';
import { otherTab } from '../support/tabs';

test('a chat is titled by its first message, and its file keeps its name until it is named', async ({
  page,
  provider,
  tmpPath
}) => {
  const chat = new Chat(page);
  await chat.create(tmpPath);
  const tab = page
    .getByRole('main')
    .getByRole('tab', { selected: true })
    .locator('.lm-TabBar-tabLabel');
  await expect(tab).toHaveText(/^Untitled\d*\.chat\.ipynb$/);
  const path = await chat.path();
  await provider.script({
    steps: [{ delta: 'Yes.' }, { finish: 'stop' }, { done: true }]
  });
  await chat.say('<img src=x> a/b\u202e: is this safe? '.repeat(10));
  await chat.expectState(0, 'succeeded');
  await expect(tab).toHaveText(/^<img src=x> a\/b: is this safe\?.*…$/);
  expect(await chat.path()).toBe(path);
  await expect(page.locator('.lm-TabBar-tab img')).toHaveCount(0);

  await chat.begin('turnbook:name-chat');
  const dialog = page.locator('.jp-Dialog');
  await expect(dialog.getByRole('textbox')).toHaveValue(/^img src=x a b is/);
  await dialog.getByRole('textbox').fill('../My plan');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await expect(tab).toHaveText('My plan.chat.ipynb');
  expect(await chat.path()).toBe(`${tmpPath}/My plan.chat.ipynb`);
  // It is the same chat, and goes on.
  await chat.say('Go on');
  await chat.expectState(1, 'succeeded');
});

/** How far a pair moves when the offer goes, and when it comes again. */
async function topsWithout(offer: Locator, pair: Locator): Promise<number[]> {
  const node = await pair.elementHandle();
  return offer.evaluate(async (line: HTMLElement, cell) => {
    const frame = () => new Promise(done => requestAnimationFrame(done));
    const top = () => cell!.getBoundingClientRect().top;
    const before = top();
    const moved: number[] = [];
    for (const hidden of [true, false]) {
      line.hidden = hidden;
      await frame();
      await frame();
      moved.push(top() - before);
    }
    return moved;
  }, node);
}

test.describe('The offer to name a chat', () => {
  const offerIn = (chat: Chat) =>
    chat.panel.getByRole('group', { name: 'Name of this chat' });

  test('comes once below the first reply, takes no focus and moves nothing', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const offer = offerIn(chat);
    await expect(offer).toBeHidden();
    // A reply that fills the screen, so that anything added could move it.
    await page.setViewportSize({ width: 900, height: 500 });
    await chat.sayGated(
      provider,
      'Tell me more',
      'One\n\n'.repeat(12),
      'end',
      'Done.'
    );
    await expect(offer).toBeHidden();
    await chat.message.pressSequentially('Next');
    await expect(chat.message).toBeFocused();
    await provider.release('end');
    await chat.expectState(0, 'succeeded');
    await expect(offer).toContainText('Name this chat “Tell me more”?');
    await expect(chat.message).toBeFocused();
    await expect(chat.message).toHaveValue('Next');
    expect(await topsWithout(offer, chat.pair(0))).toEqual([0, 0]);

    await offer.getByRole('button', { name: 'Not now' }).click();
    await expect(offer).toBeHidden();
    await expect(chat.message).toBeFocused();
    expect(await chat.path()).toMatch(/Untitled\d*\.chat\.ipynb$/);
    await chat.say('Next');
    await chat.expectState(1, 'succeeded');
    await expect(offer).toBeHidden();
  });

  test('renames by keyboard while a reply streams, beside a file with that name', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await page.contents.uploadContent(
      '{}',
      'text',
      `${tmpPath}/Plans.chat.ipynb`
    );
    await chat.createAnswered(tmpPath, 'Plans');
    const untitled = await chat.path();
    const offer = offerIn(chat);
    await expect(offer).toBeVisible();
    await chat.sayGated(provider, 'And then?', 'First ', 'end', 'last.');
    await chat.message.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await expect(offer.getByRole('button', { name: 'Rename' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect.poll(() => chat.path()).toBe(`${tmpPath}/Plans 2.chat.ipynb`);
    await expect(offer).toBeHidden();
    await expect(chat.message).toBeFocused();
    await provider.release('end');
    await chat.expectState(1, 'succeeded');
    const file = await chat.path();
    await chat.saved(file, nb => nb.cells[1]?.outputs?.length === 1);
    expect(await page.contents.fileExists(untitled)).toBe(false);

    // Renamed back, it is not offered again.
    await page.contents.renameFile(file, untitled);
    await expect.poll(() => chat.path()).toBe(untitled);
    await expect(offer).toBeHidden();
  });

  test('says why a file cannot be renamed, and can be answered in another tab @fresh', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.createSaved(tmpPath, 'Plans');
    const file = await chat.path();
    const offer = offerIn(chat);
    const isRename = (method: string) => method === 'PATCH';
    await page.route('**/api/contents/**', (route, request) =>
      isRename(request.method())
        ? route.fulfill({ status: 403, json: { message: 'Permission denied' } })
        : route.fallback()
    );
    await offer.getByRole('button', { name: 'Rename' }).click();
    await expect(offer.getByRole('alert')).toContainText('Permission denied');
    expect(await chat.path()).toBe(file);

    // It is still offered after a reload, since nobody has answered.
    await chat.reload();
    await expect(offer).toBeVisible();
    const other = await otherTab(page.context(), file);
    const there = offerIn(other);
    await there.getByRole('button', { name: 'Not now' }).click();
    await expect(there).toBeHidden();
    await expect(offer).toBeHidden();
    await other.page.close();
    await chat.reload();
    await expect(offer).toBeHidden();
  });

  test('is not made for a file that has a name', async ({ page, tmpPath }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await page.contents.renameFile(
      await chat.path(),
      `${tmpPath}/mine.chat.ipynb`
    );
    await expect.poll(() => chat.path()).toBe(`${tmpPath}/mine.chat.ipynb`);
    await chat.say('Plans');
    await chat.expectState(0, 'succeeded');
    await expect(offerIn(chat)).toBeHidden();
  });
});

test('A chat that was started from a replay says of which chat, by its title', async ({
  page,
  provider,
  tmpPath
}) => {
  const chat = new Chat(page);
  await chat.createSaved(tmpPath, 'Where is the sea?');
  const source = await chat.path();
  await chat.message.fill('And the lake?');
  const replay = new Replay(page);
  await replay.open(chat);
  const tab = page
    .getByRole('main')
    .getByRole('tab', { selected: true })
    .locator('.lm-TabBar-tabLabel');
  await expect(tab).toHaveText('Replay of Where is the sea? · turn 2');
  await expect(replay.panel).toContainText('from Where is the sea?, turn 2');
  await replay.button('Start chatting from this replay').click();
  await expect.poll(() => chat.path()).toMatch(/-replay\.chat\.ipynb$/);
  await expect(tab).toHaveText('Where is the sea? (from a replay)');
  const crumbs = chat.panel.getByRole('navigation');
  await expect(crumbs).toContainText('Where is the sea?');
  await expect(crumbs.locator('strong')).toHaveAttribute('title', source);

  // Also when the chat is closed, while its next reply is under way.
  await crumbs.getByRole('button', { name: 'Back to conversation' }).click();
  await expect.poll(() => chat.path()).toBe(source);
  await chat.sayGated(provider, 'And the river?', 'It ', 'end', 'flows.');
  await page.evaluate(async () => {
    const panel = window.jupyterapp.shell.currentWidget as any;
    await panel.context.save();
    panel.dispose();
  });
  await expect.poll(() => chat.path()).toMatch(/-replay\.chat\.ipynb$/);
  await expect(crumbs).toContainText('Where is the sea?');
  await page.locator('.jp-Turnbook-status-button').click();
  const item = page.locator('.jp-Turnbook-statusMenu .lm-Menu-item').first();
  await expect(item).toHaveText(
    'Where is the sea? · And the river? · streaming'
  );
  await expect(item).toHaveAttribute('title', source);
  await page.keyboard.press('Escape');
  await provider.release('end');
});
