import type { Locator } from '@playwright/test';

import { Axe } from '../support/axe';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared } from '../support/prepared';
import { Replay, startFork } from '../support/replay';
import { messagesOf } from '../support/request';
import { otherTab } from '../support/tabs';

const CAME = 'The sum of two and two is five, as far as I know.';
const EDITED = 'The sum of two and two is **four**, as far as I know.';

const editor = (pair: Locator) =>
  pair.getByRole('textbox', { name: 'Edited reply' });

const chip = (pair: Locator) =>
  pair.getByRole('button', { name: 'Edited reply' });

/** Edit the reply of a pair by key. */
async function edit(chat: Chat, n: number, text: string): Promise<void> {
  await chat.choose(n);
  await chat.page.keyboard.press('Shift+E');
  await editor(chat.pair(n)).fill(text);
  await editor(chat.pair(n)).press('Control+Enter');
  await expect(editor(chat.pair(n))).toHaveCount(0);
}

const replyOf = (notebook: any, n = 0) =>
  [notebook.cells[n].outputs.at(-1).data['text/markdown']].flat().join('');

test.describe('editing a reply', () => {
  test('changes what is shown and sent, keeps what came, and is undone in one step', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await provider.reply(CAME);
    const file = await chat.createSaved(tmpPath, '2 + 2?');
    const pair = chat.pair(0);
    await edit(chat, 0, EDITED);
    await expect(pair.locator('strong')).toHaveText('four');
    await expect(chip(pair)).toBeVisible();
    await chat.execute('docmanager:save');
    const notebook = await chat.saved(file, nb => replyOf(nb) === EDITED);
    const [{ metadata, outputs }] = notebook.cells;
    expect(outputs[0].metadata.turnbook).toMatchObject({
      runId: metadata.turnbook_run.runId,
      edited: true
    });
    expect(metadata.turnbook_versions).toMatchObject([
      {
        reply: CAME,
        runId: metadata.turnbook_run.runId,
        requestHash: metadata.turnbook_run.requestHash
      }
    ]);

    // The bytes that leave have what is seen, and the pair's own request is still found.
    await chat.say('And 3?');
    await chat.expectState(1, 'succeeded');
    const [first, second] = await provider.completions(2);
    expect(messagesOf(second)).toEqual([
      { role: 'user', content: '2 + 2?' },
      { role: 'assistant', content: EDITED },
      { role: 'user', content: 'And 3?' }
    ]);
    expect(metadata.turnbook_run.requestHash).toBe(first.sha256);

    // One step back, and forth again.
    await chat.choose(0);
    await page.keyboard.press('Control+Z');
    await expect(pair.locator('.jp-Cell-outputArea')).toHaveText(CAME);
    await expect(chip(pair)).toHaveCount(0);
    await expect(
      pair.getByRole('button', { name: 'Previous version' })
    ).toHaveCount(0);
    await page.keyboard.press('Control+Shift+Z');
    await expect(pair.locator('strong')).toHaveText('four');
    await expect(chip(pair)).toBeVisible();

    // What came can be restored, and the edit is a version then.
    await pair.getByRole('button', { name: 'Previous version' }).click();
    await expect(pair.locator('.jp-Turnbook-pastVersion')).toContainText(CAME);
    await expect(chip(pair)).toHaveCount(0);
    await pair.getByRole('button', { name: 'Restore' }).click();
    await expect(pair.locator('.jp-Cell-outputArea')).toHaveText(CAME);
    await expect(chip(pair)).toHaveCount(0);
    await chat.say('And 4?');
    await chat.expectState(2, 'succeeded');
    const [, , third] = await provider.completions(3);
    expect(messagesOf(third)[1].content).toBe(CAME);
  });

  test('shows what was changed, and the chip goes with the last change', async ({
    page,
    provider,
    tmpPath
  }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const axe = new Axe(page);
    const chat = new Chat(page);
    await provider.reply(CAME);
    await chat.createSaved(tmpPath, '2 + 2?');
    const pair = chat.pair(0);
    await chat.choose(0);
    await page.keyboard.press('Shift+E');
    await expect(editor(pair)).toBeFocused();
    await expect(editor(pair)).toHaveValue(CAME);
    await axe.expectNothing('a reply being edited', '.jp-mod-rewriting');
    await editor(pair).fill(EDITED);
    await pair.getByRole('button', { name: 'Save' }).click();

    const tip = page.getByRole('tooltip');
    await chip(pair).hover();
    await expect(tip.locator('del')).toHaveText(['five']);
    await expect(tip.locator('ins')).toHaveText(['**four**']);
    await page.mouse.move(0, 0);
    await expect(tip).toHaveCount(0);
    await chip(pair).focus();
    await expect(tip.locator('del')).toHaveText(['five']);
    await expect(chip(pair)).toHaveAccessibleDescription(/five/);
    await axe.expectNothing(
      'an edited reply',
      '[data-turnbook-pair]',
      '.jp-Turnbook-changeTip'
    );
    await page.keyboard.press('Escape');
    await expect(tip).toHaveCount(0);
    await chip(pair).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('As received → Edited');
    await expect(dialog.getByRole('button', { name: 'Close' })).toBeFocused();
    await expect(tip).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);

    await edit(chat, 0, CAME);
    await expect(chip(pair)).toHaveCount(0);
    await expect(
      pair.getByRole('button', { name: 'Previous version' })
    ).toHaveCount(0);
    await expect(pair.locator('.jp-Cell-outputArea')).toHaveText(CAME);
  });

  test('loses no text silently', async ({ page, provider, tmpPath }) => {
    const chat = new Chat(page);
    await provider.reply(CAME);
    const file = await chat.createSaved(tmpPath, '2 + 2?');
    const pair = chat.pair(0);
    const before = await chat.saved(file, () => true);
    const open = async () => {
      await chat.choose(0);
      await page.keyboard.press('Shift+E');
      await expect(editor(pair)).toBeFocused();
    };

    // Unchanged, it closes at once; changed, it asks first.
    await open();
    await page.keyboard.press('Escape');
    await expect(editor(pair)).toHaveCount(0);
    await open();
    await editor(pair).pressSequentially('No: ');
    await page.keyboard.press('Enter');
    await expect(editor(pair)).toHaveValue(`No: \n${CAME}`);
    await page.keyboard.press('Escape');
    await expect(pair.getByRole('status')).toContainText('Press Esc again');
    await expect(editor(pair)).toHaveValue(`No: \n${CAME}`);
    await page.keyboard.press('Escape');
    await expect(editor(pair)).toHaveCount(0);

    // An empty text is not saved.
    await open();
    await editor(pair).fill(' ');
    await editor(pair).press('Shift+Enter');
    await expect(pair.getByRole('status')).toContainText('cannot be empty');
    // Other commands say why they wait.
    for (const id of ['turnbook:regenerate', 'turnbook:edit-reply']) {
      const caption = await page.evaluate(
        one => window.jupyterapp.commands.caption(one),
        id
      );
      expect(caption).toContain('This reply is being edited');
    }
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(pair.locator('.jp-Cell-outputArea')).toHaveText(CAME);
    const after = await chat.saved(file, () => true);
    expect(after.cells).toEqual(before.cells);
  });

  test('stays in another tab and after a reload, and goes with Regenerate', async ({
    context,
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await provider.reply(CAME);
    const file = await chat.createSaved(tmpPath, '2 + 2?');
    await edit(chat, 0, EDITED);
    await chat.execute('docmanager:save');
    await chat.saved(file, nb => replyOf(nb) === EDITED);
    await chat.clean();
    const other = await otherTab(context, file);
    await expect(other.pair(0).locator('strong')).toHaveText('four');
    await expect(chip(other.pair(0))).toBeVisible();
    await other.page.close();
    await chat.reload();
    const pair = chat.pair(0);
    await expect(pair.locator('strong')).toHaveText('four');
    await expect(pair).toContainText('2 / 2');

    // What came, and what was made of it, are both kept.
    await provider.reply('Four it is.');
    await chat.choose(0);
    await page.keyboard.press('r');
    await expect(pair).toContainText('Four it is.');
    await chat.expectState(0, 'succeeded');
    await expect(pair).toContainText('3 / 3');
    await expect(chip(pair)).toHaveCount(0);
    const notebook = await chat.saved(
      file,
      nb => replyOf(nb) === 'Four it is.'
    );
    expect(notebook.cells[0].metadata.turnbook_versions).toMatchObject([
      { reply: CAME },
      { reply: EDITED, edited: true }
    ]);
    // Undo does not bring the old text back beside the new one.
    await chat.choose(0);
    await page.keyboard.press('Control+Z');
    await expect(pair.locator('.jp-Cell-outputArea')).toHaveText('Four it is.');
  });

  test('is not possible while a reply is in progress, nor in locked cells', async ({
    page,
    provider,
    tmpPath
  }) => {
    const obstacle = () =>
      page.evaluate(() => {
        const { commands } = window.jupyterapp;
        return commands.isEnabled('turnbook:edit-reply')
          ? ''
          : commands.caption('turnbook:edit-reply');
      });
    const { chat } = await openPrepared(page, tmpPath, [
      { id: 'one', user: 'One', reply: 'First.' },
      { id: 'two', user: 'Two' }
    ]);
    await chat.choose(1);
    expect(await obstacle()).toBe('This message has no reply yet.');
    await chat.sayGated(provider, 'Three', 'Some text ', 'rest', 'and more.');
    await chat.choose(2);
    expect(await obstacle()).toContain('in progress');
    await page.keyboard.press('Shift+E');
    await expect(editor(chat.pair(2))).toHaveCount(0);
    // The reply above it can be edited meanwhile.
    await edit(chat, 0, 'First, corrected.');
    await provider.release('rest');
    await chat.expectState(2, 'succeeded');
    await expect(chat.pair(0)).toContainText('First, corrected.');

    await startFork(chat, new Replay(page), 'Replay this');
    await chat.choose(0);
    expect(await obstacle()).toBe(
      'This cell came with a replay and is locked.'
    );
  });
});
