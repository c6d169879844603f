import { expect, test } from '../support/fixtures';
import { openPrepared } from '../support/prepared';
import { RequestUI } from '../support/request';

test('a request of 2,000 sections has few rows in the page and scrolls smoothly', async ({
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
  const { rows, frames } = await request.panel
    .locator('.jp-Turnbook-VirtualList')
    .evaluate(async scroller => {
      const next = () =>
        new Promise<number>(resolve => requestAnimationFrame(resolve));
      let rows = 0;
      const frames: number[] = [];
      // The first frames draw what was never drawn.
      let before = await next();
      while (
        scroller.scrollTop + scroller.clientHeight <
        scroller.scrollHeight - 1
      ) {
        scroller.scrollTop += 400;
        const now = await next();
        frames.push(now - before);
        before = now;
        rows = Math.max(
          rows,
          scroller.querySelectorAll('[data-turnbook-row]').length
        );
      }
      return { rows, frames };
    });
  expect(rows).toBeGreaterThan(10);
  expect(rows).toBeLessThanOrEqual(100);
  const sorted = [...frames].sort((a, b) => a - b);
  console.log(
    `frames ${frames.length}, median ${sorted[frames.length >> 1].toFixed(1)} ms, p99 ${sorted[Math.floor(frames.length * 0.99)].toFixed(1)} ms, max ${sorted[frames.length - 1].toFixed(1)} ms, rows ${rows}`
  );
  await expect(request.rows.last()).toContainText('Go on');
});
