import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';

/** A top-level block of a reply as it is seen in a frame; its top is that of the cell's. */
interface IBlock {
  text: string;
  top: number;
  height: number;
  /** Where the code in it begins. */
  code: number | null;
}

/** What a frame shows of a reply: nothing, or its blocks. */
type Frame = IBlock[];

const PROSE =
  'A paragraph that is long enough to be broken into several lines, so that it grows line by line. ';

const REPLY = [
  '# A title',
  `${PROSE}It has **bold** words, \`code\` and a formula, $a_1 + b_2$.`,
  '- one\n- two, with $x^2$\n  - nested\n- three',
  '```python\ndef f(x):\n    """Return the next number."""\n\n    return x + 1\n\n\nprint(f(1))\n```',
  PROSE.repeat(4),
  '| name | value |\n|---|---:|\n| one | 1 |\n| two | 2 |\n| three | $3^3$ |',
  '$$\n\\int_0^1 x^2 \\, dx = \\frac{1}{3}\n$$',
  '1. First\n2. Second\n\n   ```js\n   const a = 1;\n   ```\n\n3. Third',
  '> A quote\n> of two lines',
  '## Another heading',
  'More of it with \\(\\sqrt{x}\\) and a [link](https://example.com).',
  '```mermaid\ngraph TD\n  A --> B\n```',
  '~~~\nCode without a language\n~~~',
  'The end.'
].join('\n\n');

/** Record what each frame shows of the first pair's reply, until `stop` is called. */
async function record(
  page: IJupyterLabPageFixture
): Promise<{ stop: () => Promise<Frame[]> }> {
  await page.evaluate(() => {
    const frames: Frame[] = [];
    const blocksOf = (reply: Element): Element[] =>
      [...reply.children].flatMap(child =>
        child.classList.contains('jp-Turnbook-tail') ? blocksOf(child) : child
      );
    const look = () => {
      const cell = document.querySelector('[data-turnbook-pair]');
      const top = cell?.getBoundingClientRect().top ?? 0;
      const blocks = [
        ...(cell?.querySelectorAll('.jp-Turnbook-markdown') ?? [])
      ]
        .flatMap(blocksOf)
        .filter(block => block.checkVisibility({ visibilityProperty: true }))
        .map(block => {
          const box = block.getBoundingClientRect();
          // Formulas change from TeX to what a typesetter makes of it.
          const text = (block.textContent ?? '').slice(0, 10);
          const pre = block.querySelector(':scope > pre') ?? block;
          const code = pre.matches('pre')
            ? pre.getBoundingClientRect().top - top
            : null;
          return {
            text,
            top: box.top - top,
            height: box.height,
            code
          };
        });
      if (JSON.stringify(frames.at(-1)) !== JSON.stringify(blocks)) {
        frames.push(blocks);
      }
      handle.frame = requestAnimationFrame(look);
    };
    const handle = {
      frame: requestAnimationFrame(look),
      stop: () => {
        cancelAnimationFrame(handle.frame);
        return frames;
      }
    };
    Object.assign(window, { recording: handle });
  });
  return {
    stop: () => page.evaluate(() => (window as any).recording.stop())
  };
}

/** What moved, changed or disappeared although another block was already below it. */
function unrest(frames: readonly Frame[]): string[] {
  const found: string[] = [];
  frames.slice(1).forEach((frame, n) => {
    frames[n].slice(0, -1).forEach((before, place) => {
      const after = frame[place];
      const name = `frame ${n + 1}, block ${place} (${before.text.trim()})`;
      if (after?.text !== before.text) {
        found.push(`${name}: now ${JSON.stringify(after?.text)}`);
      } else if (Math.abs(after.top - before.top) > 0.5) {
        found.push(`${name}: moved from ${before.top} to ${after.top}`);
      } else if (Math.abs(after.height - before.height) > 0.5) {
        found.push(`${name}: was ${before.height}, is ${after.height} high`);
      }
    });
    // The last block grows; it may become another one, but not disappear, and code stays in place.
    const end = frames[n].length - 1;
    const [before, after] = [frames[n][end], frame[end]];
    const name = `frame ${n + 1}, the last block (${before?.text.trim()})`;
    if (before && !after) {
      found.push(`${name}: gone`);
    } else if (
      before?.code &&
      after.code &&
      Math.abs(after.code - before.code) > 0.5
    ) {
      found.push(`${name}: code moved from ${before.code} to ${after.code}`);
    }
  });
  return found;
}

test('while a reply streams and when it has landed, nothing that is finished moves @fresh', async ({
  page,
  provider,
  tmpPath
}) => {
  test.slow();
  const chat = new Chat(page);
  await chat.create(tmpPath);
  await provider.reply(REPLY, 25);
  const recording = await record(page);
  await chat.say('Tell me all of it.');
  await chat.expectState(0, 'succeeded');
  const reply = chat.pair(0).locator('.jp-OutputArea-output');
  await expect(reply.getByText('The end.')).toBeVisible();
  await expect(chat.pair(0).locator('.jp-Turnbook-markdown')).toHaveCount(1);
  const frames = await recording.stop();
  expect(frames.length).toBeGreaterThan(20);
  expect(unrest(frames)).toEqual([]);
});
