import type { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared } from '../support/prepared';
import { Searching } from '../support/searching';

const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, n) => `- ${word} ${n}`).join('\n');

const CELLS = [
  { id: 'asked', user: lines(60, 'asked'), reply: 'Short.' },
  { id: 'told', user: 'At length', reply: lines(70, 'told') },
  { id: 'brief', user: 'Briefly', reply: lines(40, 'brief') }
];

/** The height of a part of a pair. */
const height = (chat: Chat, n: number, part: 'input' | 'output') =>
  chat
    .pair(n)
    .locator(`.jp-Cell-${part}Wrapper`)
    .evaluate(node => node.clientHeight);

const all = (chat: Chat, n: number) =>
  chat.pair(n).getByRole('button', { name: /^Show all/ });

const less = (chat: Chat, n: number) =>
  chat.pair(n).getByRole('button', { name: 'Show less' });

test.describe('long texts', () => {
  test('are folded when a chat is opened, unfolded by button and key, and sent as a whole', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, CELLS);
    await expect(all(chat, 0)).toHaveText('Show all 60 lines');
    await expect(all(chat, 1)).toHaveText('Show all 70 lines');
    await expect(all(chat, 2)).toBeHidden();
    await expect(
      chat.pair(1).getByText('Folding does not change what is sent')
    ).toBeVisible();
    await expect.poll(() => height(chat, 0, 'input')).toBeLessThan(400);
    await expect.poll(() => height(chat, 1, 'output')).toBeLessThan(400);

    await all(chat, 1).click();
    await expect(less(chat, 1)).toBeFocused();
    await expect(less(chat, 1)).toHaveAttribute('aria-expanded', 'true');
    await expect.poll(() => height(chat, 1, 'output')).toBeGreaterThan(1000);
    await less(chat, 1).press('Enter');
    await expect(all(chat, 1)).toBeFocused();
    await expect.poll(() => height(chat, 1, 'output')).toBeLessThan(400);
    await expect(all(chat, 1)).toBeInViewport();

    await chat.choose(0);
    await page.keyboard.press('f');
    await expect.poll(() => height(chat, 0, 'input')).toBeGreaterThan(900);
    await page.keyboard.press('f');
    await expect.poll(() => height(chat, 0, 'input')).toBeLessThan(400);

    // Folded or not, all of it is sent, and nothing of it is in the file.
    const reply = lines(50, 'new');
    await provider.script({
      steps: [{ delta: reply }, { finish: 'stop' }, { done: true }]
    });
    await chat.say('Go on');
    const [request] = await provider.completions(1);
    const sent = JSON.parse(request.body).messages.map(
      ({ content }: any) => content
    );
    expect(sent).toEqual([
      ...CELLS.flatMap(({ user, reply }) => [user, reply]),
      'Go on'
    ]);

    // What the user has seen arrive stays open until it is opened again.
    await chat.expectState(3, 'succeeded');
    await expect(less(chat, 3)).toBeVisible();
    await expect.poll(() => height(chat, 3, 'output')).toBeGreaterThan(700);
    const saved = await chat.saved(file, nb => nb.cells.length === 4);
    expect(JSON.stringify(saved)).not.toContain('fold');
    await chat.reload();
    await expect(all(chat, 3)).toHaveText('Show all 50 lines');
  });

  test('are unfolded by what is looked for in them', async ({
    page,
    tmpPath
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, CELLS);
    await expect(all(chat, 1)).toBeVisible();
    await chat.choose(0);
    const search = new Searching(chat);
    await search.find('asked 59');
    await expect(search.counter).toHaveText('1/1');
    await page.keyboard.press('Enter');
    await expect(less(chat, 0)).toBeVisible();
    await search.expectCurrent(
      'asked 59',
      chat.pair(0).locator('.jp-InputArea')
    );
    // Only what has the match.
    await expect(all(chat, 1)).toBeVisible();

    await search.find('told 5');
    await expect(search.counter).toHaveText('1/11');
    await page.keyboard.press('Shift+Enter');
    await expect(search.counter).toHaveText('11/11');
    await expect(less(chat, 1)).toBeVisible();
    await search.expectCurrent(
      'told 5',
      chat.pair(1).locator('.jp-OutputArea')
    );
    await page.keyboard.press('Escape');

    await chat.choose(1);
    await page.keyboard.press('f');
    await expect(all(chat, 1)).toBeVisible();
    await chat.execute('turnbook:go-to-pair', { path: file, pair: 'told' });
    await expect(less(chat, 1)).toBeVisible();
  });
});
