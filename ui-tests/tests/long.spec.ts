import { expect, test } from '../support/fixtures';
import { Filtering } from '../support/filtering';
import { openPrepared } from '../support/prepared';
import { messagesOf } from '../support/request';

const COUNT = 200;

test('a long chat is drawn where the user looks, and sent as shown', async ({
  page,
  provider,
  tmpPath
}) => {
  const cells = Array.from({ length: COUNT }, (_, n) => ({
    id: `pair-${n}`,
    user: `Question ${n}`,
    reply: `Answer ${n}`
  }));
  const { chat } = await openPrepared(page, tmpPath, cells);
  const filter = new Filtering(chat);
  const at = (n: number) =>
    chat.panel.locator(`[data-turnbook-pair="pair-${n}"]`);
  await expect(filter.counter).toHaveText(`${COUNT} / ${COUNT}`);
  await expect(at(COUNT - 1)).toBeInViewport();
  expect(await chat.pairs.count()).toBeLessThan(COUNT / 2);

  // Wherever the user scrolls, the cells there are drawn.
  const scroller = chat.panel.locator('.jp-WindowedPanel-outer');
  await scroller.hover();
  await expect(async () => {
    // Cells drawn above on the way there make the chat longer.
    await page.mouse.wheel(0, -100_000);
    await expect(at(0)).toBeInViewport({ timeout: 2000 });
  }).toPass();
  await expect(at(10)).toBeVisible();
  await expect
    .poll(
      () =>
        scroller.evaluate(node => {
          const gap = node.querySelector('.jp-mod-gap');
          gap?.scrollIntoView({ block: 'start' });
          return gap === null;
        }),
      { intervals: [50] }
    )
    .toBe(true);
  await expect(chat.pairs).toHaveCount(COUNT);
  expect(
    await chat.pairs.evaluateAll(nodes =>
      nodes.map(node => node.getAttribute('data-turnbook-pair'))
    )
  ).toEqual(cells.map(({ id }) => id));

  // Cells that pass a filter are drawn at once, and they are what is sent.
  await filter.apply('"Question 19"');
  await expect(chat.pairs).toHaveCount(11);
  await expect(at(190)).toBeVisible();
  await chat.message.fill('Which?');
  await chat.message.press('Enter');
  const [sent] = await provider.completions(1);
  expect(
    messagesOf(sent)
      .filter(({ role }) => role === 'user')
      .map(({ content }) => content)
  ).toEqual([
    'Question 19',
    ...Array.from({ length: 10 }, (_, n) => `Question ${190 + n}`),
    'Which?'
  ]);
});
