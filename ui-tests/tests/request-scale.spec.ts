import { expect, test } from '../support/fixtures';
import { openPrepared } from '../support/prepared';
import { RequestUI } from '../support/request';

test('a request of 2,000 sections has few rows in the page, and keeps the focus while it scrolls', async ({
  page,
  tmpPath
}) => {
  test.setTimeout(180_000);
  const cells = Array.from({ length: 1000 }, (_, n) => ({
    id: `pair-${String(n).padStart(4, '0')}`,
    user: `Question ${n}`,
    reply: `Answer ${n}`
  }));
  const { chat } = await openPrepared(page, tmpPath, cells);
  const request = new RequestUI(chat);
  await chat.message.fill('Go on');
  await request.open();
  const list = request.panel.getByRole('list', {
    name: 'Sections of the prompt'
  });
  const first = list.getByRole('listitem').first();
  await expect(first).toHaveAttribute('aria-setsize', '2001');
  await expect(first).toHaveAttribute('aria-posinset', '1');
  await expect(first).toBeInViewport();
  await first.getByRole('button').first().focus();
  const rows = await request.panel
    .locator('.jp-Turnbook-virtualList')
    .evaluate(async scroller => {
      const { scrollHeight, clientHeight } = scroller;
      let most = 0;
      while (scroller.scrollTop < scrollHeight - clientHeight - 1) {
        const before = scroller.scrollTop;
        scroller.scrollTop += 2 * clientHeight;
        await new Promise(resolve => requestAnimationFrame(resolve));
        const rows = scroller.querySelectorAll('[data-turnbook-row]');
        most = Math.max(most, rows.length);
        if (scroller.scrollTop === before) {
          break;
        }
      }
      return most;
    });
  expect(rows).toBeGreaterThan(10);
  expect(rows).toBeLessThanOrEqual(100);
  await expect(request.rows.last()).toContainText('Go on');
  // The row is far out of view, and keys still work from it.
  await expect(first.getByRole('button').first()).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(list.locator('[aria-posinset="2"]')).toBeInViewport();
});
