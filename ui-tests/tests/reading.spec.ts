import type { Locator } from '@playwright/test';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';

/** The computed style of an element or of what is drawn before it. */
const styleOf = (
  locator: Locator,
  name: string,
  pseudo?: string
): Promise<string> =>
  locator.evaluate(
    (node, [name, pseudo]) =>
      getComputedStyle(node, pseudo).getPropertyValue(name!),
    [name, pseudo] as const
  );

const CODE = [
  'Use this:',
  '',
  '```python',
  `value = ${'a_name_that_must_stay_whole + '.repeat(12)}0`,
  '```',
  '',
  '| District | Residents |',
  '|---|---|',
  `| ${'Northwesternmost'.repeat(9)} | 1,200,000 |`
].join('\n');

test.describe('reading a chat', () => {
  test('shows who speaks, on one measure', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await provider.reply(CODE);
    await chat.createAnswered(tmpPath, 'How many people live there?');
    const pair = chat.pair(0);
    await expect(pair.locator('.jp-Turnbook-speaker')).toHaveText([
      'You',
      'scriptedscripted'
    ]);
    const message = pair.locator('.jp-InputArea-editor');
    const reply = pair.locator('.jp-OutputArea-output');
    const edges = async (node: Locator) => {
      const { x, width } = (await node.boundingBox())!;
      return [x, x + width].map(Math.round);
    };
    await expect(reply.locator('table')).toBeVisible();
    await expect
      .poll(async () => {
        const [left, right] = await edges(reply);
        const [start, end] = await edges(message);
        return [left - start, right - end];
      })
      .toEqual([0, 0]);
    // The names are beside the texts, not in them.
    for (const name of await pair.locator('.jp-Turnbook-speaker-name').all()) {
      await expect
        .poll(async () => (await edges(name))[1] - (await edges(message))[0])
        .toBeLessThanOrEqual(0);
    }
  });

  test('scrolls code and tables, and breaks no name', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await provider.reply(CODE);
    await chat.createAnswered(tmpPath, 'Show me.');
    const reply = chat.pair(0).locator('.jp-OutputArea-output');
    const block = reply.locator('.jp-Turnbook-code');
    await expect
      .poll(() => styleOf(block, 'content', '::before'))
      .toBe('"python"');
    await expect(
      block.getByRole('button', { name: 'Copy code' })
    ).toBeVisible();
    for (const frame of ['pre', '.jp-Turnbook-table']) {
      await expect
        .poll(() =>
          reply
            .locator(frame)
            .evaluate(node => [
              node.scrollWidth > node.clientWidth,
              node.getClientRects().length
            ])
        )
        .toEqual([true, 1]);
    }
  });

  test('puts each text in its own direction, and code in the font of code', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await provider.reply('نعم.\n\nAnd in English.\n\n- واحد\n- اثنان');
    const font = () => styleOf(chat.message, 'font-family');
    const prose = await font();
    await chat.message.fill('مرحبا');
    await expect.poll(() => styleOf(chat.message, 'direction')).toBe('rtl');
    await chat.message.fill('```python\nprint(1)\n```\nمرحبا؟');
    await expect.poll(font).not.toBe(prose);
    await chat.submit();
    await chat.expectState(0, 'succeeded');
    const lines = chat.pair(0).locator('.jp-InputArea-editor .cm-line');
    await expect(lines.nth(1)).toHaveClass(/jp-Turnbook-codeLine/);
    await expect(lines.nth(3)).not.toHaveClass(/jp-Turnbook-codeLine/);
    const reply = chat.pair(0).locator('.jp-OutputArea-output');
    const direction = (selector: string, n = 0) =>
      styleOf(reply.locator(selector).nth(n), 'direction');
    await expect(reply.locator('li')).toHaveCount(2);
    await expect
      .poll(async () => [
        await direction('p'),
        await direction('p', 1),
        await direction('ul')
      ])
      .toEqual(['rtl', 'ltr', 'rtl']);
    await expect
      .poll(() => styleOf(reply.locator('p').first(), 'text-align'))
      .toBe('start');
  });
});
