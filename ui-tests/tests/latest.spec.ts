import type { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared, type Prepared } from '../support/prepared';
import { below, end, paragraphs, wheel } from '../support/scrolling';

const PAIRS: Prepared[] = Array.from({ length: 6 }, (_, n) => ({
  id: `pair-${n}`,
  user: `Question ${n}`,
  reply: paragraphs(12)
}));

const latest = (chat: Chat) =>
  chat.panel.getByRole('button', { name: 'Jump to latest' });

test.describe('jump to latest', () => {
  test('shows a button while the end is out of view, which leads there and leaves the focus', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, PAIRS);
    await expect.poll(() => below(chat)).toBeLessThan(48);
    await expect(latest(chat)).toBeHidden();
    await wheel(chat, -900);
    await expect(latest(chat)).toBeVisible();

    // It is over the cells, and never over the composer.
    const button = (await latest(chat).boundingBox())!;
    const composer = (await chat.panel
      .locator('.jp-Turnbook-composer')
      .boundingBox())!;
    expect(button.y + button.height).toBeLessThanOrEqual(composer.y);

    await chat.message.fill('Half a thou');
    await latest(chat).click();
    await expect(latest(chat)).toBeHidden();
    await expect.poll(() => below(chat)).toBeLessThan(48);
    await expect(chat.message).toBeFocused();
    await expect(chat.pair(5)).toHaveClass(/jp-mod-active/);
  });

  test('leads there by key, from the cells and from the message', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, PAIRS);
    await chat.choose(0);
    await wheel(chat, -10_000);
    await expect(latest(chat)).toBeVisible();
    await page.keyboard.press('End');
    await expect(latest(chat)).toBeHidden();
    await expect(chat.pair(5)).toHaveClass(/jp-mod-active/);

    await wheel(chat, -10_000);
    await chat.message.focus();
    await page.keyboard.press('Alt+End');
    await expect(latest(chat)).toBeHidden();
    await expect(chat.message).toBeFocused();
  });

  test('is reached with Tab, and hands the focus to the cells', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, PAIRS);
    await wheel(chat, -900);
    await expect(latest(chat)).toBeVisible();
    await chat.message.focus();
    await page.keyboard.press('Shift+Tab');
    await expect(latest(chat)).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(latest(chat)).toBeHidden();
    await expect(chat.pair(5)).toBeFocused();
  });

  test('follows a reply that streams below again', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, PAIRS);
    await provider.script({
      steps: [
        { delta: paragraphs(30, 'early') },
        { wait: 'more' },
        { delta: paragraphs(30, 'late') },
        { wait: 'end' },
        ...end
      ]
    });
    await chat.say('At length');
    await expect(chat.pair(6)).toContainText('early 29');
    await wheel(chat, -2000);
    await expect(latest(chat)).toBeVisible();
    await latest(chat).click();
    await expect(latest(chat)).toBeHidden();
    await provider.release('more');
    await expect(chat.pair(6)).toContainText('late 29');
    await expect.poll(() => below(chat)).toBeLessThan(48);
    await expect(latest(chat)).toBeHidden();
    await provider.release('end');
    await chat.expectState(6, 'succeeded');
  });
});
