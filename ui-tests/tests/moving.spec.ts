import { Filtering } from '../support/filtering';
import { expect, test } from '../support/fixtures';
import { openPrepared, type Prepared } from '../support/prepared';

const CELLS: Prepared[] = ['one', 'two', 'three', 'four'].map((id, n) => ({
  id,
  user: `${n % 2 ? 'pears' : 'apples'} ${id}`,
  reply: `Reply ${id}`,
  star: n
}));

test('pairs are moved by keys, past hidden ones, and undo moves them back', async ({
  page,
  provider,
  tmpPath
}) => {
  const { chat } = await openPrepared(page, tmpPath, CELLS);
  const filter = new Filtering(chat);
  await chat.choose(3);
  await page.keyboard.press('Alt+ArrowUp');
  await filter.expectShown(['one', 'two', 'four', 'three']);
  expect(await filter.active()).toBe('four');
  await expect(chat.pair(2)).toContainText('Reply four');
  await page.keyboard.press('Alt+ArrowUp');
  await filter.expectShown(['one', 'four', 'two', 'three']);
  await page.keyboard.press('z');
  await filter.expectShown(['one', 'two', 'four', 'three']);
  await page.keyboard.press('Shift+Z');
  await filter.expectShown(['one', 'four', 'two', 'three']);

  // A pair that is hidden is passed over.
  await filter.apply('apples');
  await filter.expectShown(['one', 'three']);
  await chat.choose(3);
  await page.keyboard.press('Alt+ArrowUp');
  await filter.expectShown(['three', 'one']);
  await page.evaluate(() =>
    (window.jupyterapp.shell.currentWidget as any).filterBar.apply('')
  );
  await filter.expectShown(['three', 'one', 'four', 'two']);

  // What is sent is in the order that is seen.
  await provider.script({
    steps: [{ delta: 'Done' }, { finish: 'stop' }, { done: true }]
  });
  await chat.say('Go');
  await chat.expectState(4, 'succeeded');
  const requests = await provider.requests();
  const { messages } = JSON.parse(requests[requests.length - 1].body);
  expect(messages.map(({ content }: any) => content)).toEqual([
    'apples three',
    'Reply three',
    'apples one',
    'Reply one',
    'pears four',
    'Reply four',
    'pears two',
    'Reply two',
    'Go'
  ]);
});

test('a pair is moved by dragging, but not while its reply is in progress', async ({
  page,
  provider,
  tmpPath
}) => {
  const { chat } = await openPrepared(page, tmpPath, CELLS.slice(0, 2));
  const filter = new Filtering(chat);
  const handle = (n: number) => chat.pair(n).locator('.jp-InputPrompt');
  await chat.choose(1);
  await handle(1).dragTo(handle(0));
  await filter.expectShown(['two', 'one']);
  await expect(chat.pair(0)).toContainText('Reply two');

  await chat.sayGated(provider, 'Go', 'Begun', 'moving-gate', ' and done');
  await expect(chat.pairs).toHaveCount(3);
  const ids = await filter.shown();
  await chat.choose(2);
  await page.keyboard.press('Alt+ArrowUp');
  await expect(
    page.getByText(
      'This reply is in progress: wait for it or stop it, then move.'
    )
  ).toBeVisible();
  expect(await filter.shown()).toEqual(ids);
  // Others can be moved meanwhile.
  await chat.choose(0);
  await page.keyboard.press('Alt+ArrowDown');
  await filter.expectShown(['one', 'two', ids[2]]);
  await provider.release('moving-gate');
  await chat.expectState(2, 'succeeded');
});
