/** Chats started from a replay: locked at first, then like any other. */
import { Filtering } from '../support/filtering';
import { expect, test } from '../support/fixtures';
import { openPrepared, type Prepared } from '../support/prepared';
import { Replay, startFork } from '../support/replay';
import { messagesOf, RequestUI, setSetting } from '../support/request';
import { below, wheel } from '../support/scrolling';

const SURVEY: Prepared[] = [
  { id: 'system', system: 'You help to design household surveys.' },
  {
    id: 'frames',
    user: 'Which frames?',
    reply: 'Lists older than three years.'
  }
];

test.describe('a chat started from a replay', () => {
  test('lets replayed pairs be sent, shown and replayed once it is unlocked, by key and by button', async ({
    page,
    provider,
    tmpPath
  }) => {
    test.slow();
    const { chat } = await openPrepared(page, tmpPath, SURVEY);
    const replay = new Replay(page);
    await startFork(chat, replay, 'How many interviewers?');
    const pair = chat.pair(0);
    const editor = pair.getByRole('textbox', { name: 'Edited text' });
    const tool = (name: RegExp) =>
      pair.locator('.jp-Turnbook-cellToolbar').getByRole('button', { name });
    const tools = [/^Edit & Resend/, /^Show Request/, /^Replay This Request/];

    await chat.message.press('Escape');
    await page.keyboard.press('k');
    await expect(pair).toHaveClass(/jp-mod-active/);
    for (const name of tools) {
      await expect(tool(name)).toBeDisabled();
    }
    await page.keyboard.press('e');
    await expect(editor).toHaveCount(0);

    const pause = chat.panel.getByRole('switch', { name: 'Pause & review' });
    await pause.click();
    await expect(page.getByText('Its cells are locked')).toHaveCount(0);
    await pause.click();
    for (const name of tools) {
      await expect(tool(name)).toBeEnabled();
    }

    await tool(tools[1]).click();
    const dialog = page.locator('.jp-Dialog');
    await expect(dialog).toContainText('not sent from here');
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    await tool(tools[2]).click();
    await expect(replay.cells.last()).toContainText('Which frames?');
    await replay.button('Back to conversation').click();

    await expect(pair).toHaveClass(/jp-mod-active/);
    await tool(tools[0]).click();
    await editor.fill('Which lists?');
    await editor.press('Enter');
    await chat.expectState(0, 'succeeded');
    const [sent] = await provider.completions(1);
    expect(messagesOf(sent)).toEqual([
      { role: 'system', content: 'You help to design household surveys.' },
      { role: 'user', content: 'Which lists?' }
    ]);

    // The other replayed pair, by key.
    await chat.message.focus();
    await chat.message.press('Escape');
    const other = chat.pair(1);
    await page.keyboard.press('j');
    await expect(other).toHaveClass(/jp-mod-active/);
    await chat.editByKey();
    const text = other.getByRole('textbox', { name: 'Edited text' });
    await text.fill('How many days?');
    await text.press('Enter');
    await chat.expectState(1, 'succeeded');
    const [, again] = await provider.completions(2);
    expect(messagesOf(again).pop()).toEqual({
      role: 'user',
      content: 'How many days?'
    });
  });

  test('offers to send its last message and to unlock its cells', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, SURVEY);
    await startFork(chat, new Replay(page), 'How many interviewers?');
    const button = (name: string) =>
      chat.panel.getByRole('button', { name, exact: true });
    // Not while its text is out of sight.
    const filter = new Filtering(chat);
    await filter.apply('frames');
    await expect(button('Send this message')).toHaveCount(0);
    await filter.apply('');
    await button('Send this message').click();
    await chat.expectState(1, 'succeeded');
    const [sent] = await provider.completions(1);
    expect(messagesOf(sent)).toEqual([
      { role: 'system', content: 'You help to design household surveys.' },
      { role: 'user', content: 'Which frames?' },
      { role: 'assistant', content: 'Lists older than three years.' },
      { role: 'user', content: 'How many interviewers?' }
    ]);
    await expect(button('Send this message')).toHaveCount(0);
    await expect(button('Previous version')).toHaveCount(0);

    await chat.message.press('Escape');
    await page.keyboard.press('k');
    await expect(chat.pair(0)).toHaveClass(/jp-mod-active/);
    const edit = chat.pair(0).getByRole('button', { name: /^Edit & Resend/ });
    await expect(edit).toBeDisabled();
    await button('Unlock').click();
    await expect(button('Unlock')).toHaveCount(0);
    await expect(page.getByText('Its cells are locked')).toHaveCount(0);
    await expect(edit).toBeEnabled();
  });

  test('follows the end while it is locked, and scrolls like any other afterwards', async ({
    page,
    provider,
    tmpPath
  }) => {
    test.slow();
    const cells = Array.from({ length: 12 }, (_, n) => ({
      id: `pair-${n}`,
      user: `Question ${n}`,
      reply: `Answer ${n}\n\n${'More of it.\n\n'.repeat(6)}`
    }));
    const { chat } = await openPrepared(page, tmpPath, cells);
    await startFork(chat, new Replay(page), 'How many?');
    await expect(chat.pairs).toHaveCount(13);
    /** Send, scroll up while it waits, and let the reply arrive. */
    const goUpDuring = async (text: string, pair: number) => {
      await provider.script({
        steps: [
          { wait: text },
          { delta: `Short: ${text}` },
          { finish: 'stop' },
          { done: true }
        ]
      });
      await chat.say(text);
      await expect.poll(() => below(chat)).toBeLessThan(48);
      await wheel(chat, -800);
      await expect.poll(() => below(chat)).toBeGreaterThan(400);
      await provider.release(text);
      await expect(chat.stop).toHaveCount(0);
      await chat.saved(await chat.path(), nb =>
        JSON.stringify(nb.cells[pair] ?? '').includes(`Short: ${text}`)
      );
    };

    await expect.poll(() => below(chat)).toBeLessThan(48);
    await goUpDuring('Locked', 13);
    await expect.poll(() => below(chat)).toBeLessThan(48);
    await expect(chat.pairs.last()).toContainText('Short: Locked');

    const pause = chat.panel.getByRole('switch', { name: 'Pause & review' });
    await pause.click();
    await expect(page.getByText('Its cells are locked')).toHaveCount(0);
    await pause.click();
    await goUpDuring('Unlocked', 14);
    expect(await below(chat)).toBeGreaterThan(400);
  });

  test('starts with its modes off although the settings are on @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    test.slow();
    await setSetting(page, 'pauseAndReview', true);
    await setSetting(page, 'autoApply', true);
    const { chat } = await openPrepared(page, tmpPath, SURVEY);
    const request = new RequestUI(chat);
    const pause = chat.panel.getByRole('switch', { name: 'Pause & review' });
    const applied = chat.panel.getByRole('button', { name: 'Auto-apply' });
    await expect(pause).toBeChecked();
    await expect(applied).toBeVisible();
    await startFork(chat, new Replay(page), 'How many interviewers?');
    await expect(pause).not.toBeChecked();
    await expect(applied).toHaveCount(0);
    await request.open();
    await expect(request.toggle('Auto-apply')).not.toBeChecked();
    await expect(page.getByText('Its cells are locked')).toBeVisible();
    await chat.say('Right away');
    await chat.expectState(2, 'succeeded');
    expect(await provider.completions()).toHaveLength(1);

    // It stays off in this browser; the settings apply everywhere else.
    await chat.clean();
    await chat.reload();
    await expect(chat.pairs).toHaveCount(3);
    await expect(pause).not.toBeChecked();
    await expect(applied).toHaveCount(0);
    await chat.open(`${tmpPath}/prepared.chat.ipynb`);
    await expect(pause).toBeChecked();
    await expect(applied).toBeVisible();
  });
});
