import { bodyHash } from '../../src/request/render';
import type { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { Filtering } from '../support/filtering';
import { chooseSmall } from '../support/models';
import { openPrepared, type Prepared } from '../support/prepared';
import type { IRecorded } from '../support/provider';
import { Replay } from '../support/replay';
import { messagesOf, RequestUI, setSetting } from '../support/request';
import { call, calling, Rounds } from '../support/tools';

/**
 * Seven pairs of about 300 tokens, of which only some fit a small model, and one that the journal
 * does not know.
 */
const CELLS: Prepared[] = [
  { id: 'sys-0001', system: 'Answer briefly.' },
  ...Array.from({ length: 7 }, (_, n) => ({
    id: `pair-000${n}`,
    user: `q ${n} ${'word '.repeat(100)}`,
    reply: `a ${n} ${'word '.repeat(140)}`
  })),
  { id: 'pair-lost', user: 'Lost on its way', state: 'error' as const }
];

/** A way to send, and the pair whose reply it requests. */
interface IWay {
  name: string;
  pair: number;
  act: () => Promise<void>;
}

/** The numbers of the long pairs in a request, from its messages. */
const longPairs = (request: IRecorded): number[] =>
  messagesOf(request)
    .filter(({ role, content }) => role === 'user' && /^q \d/.test(content))
    .map(({ content }) => Number(content[2]));

/** A dialog shows in one line what a tooltip shows in several. */
const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** What the counter, its tooltip and the badges say about the request. */
async function shownBudget(chat: Chat) {
  const counter = chat.panel.locator('.jp-Turnbook-counter');
  const words = inOneLine((await counter.getAttribute('title'))!);
  const [included, visible] = words.match(/\d+/g)!.map(Number);
  const tokens = Number(
    words.match(/In all: ~([\d,]+)/)![1].replaceAll(',', '')
  );
  const out = await chat.panel
    .locator('[data-turnbook-ooc]')
    .evaluateAll(cells =>
      cells.map(cell => cell.getAttribute('data-turnbook-pair')!)
    );
  return { words, included, visible, tokens, out };
}

/** The ways to send from one chat, in an order in which each has what it needs. */
function waysOf(
  chat: Chat,
  provider: { script(script: any): Promise<void> }
): IWay[] {
  const editor = (n: number) =>
    chat.pair(n).getByRole('textbox', { name: 'Edited text' });
  return [
    {
      name: 'Retry of a pair that no journal knows',
      pair: 7,
      act: () => chat.pair(7).getByRole('button', { name: 'Retry now' }).click()
    },
    {
      name: 'Send',
      pair: 8,
      act: async () => {
        await provider.script(calling('', call(0, 'c1', 'weather', '{}')));
        await chat.message.fill('Which weather?');
        await expect(chat.send).toBeEnabled();
        await chat.message.press('Enter');
      }
    },
    {
      name: 'Continue',
      pair: 8,
      act: async () => {
        const rounds = new Rounds(chat, 8);
        await rounds.result('weather', 0).fill('Rain');
        await rounds.continue.click();
      }
    },
    {
      name: 'Edit & Resend',
      pair: 7,
      act: async () => {
        await chat.pair(7).click();
        await chat.editByKey();
        await editor(7).fill('Lost once, sent again');
        await editor(7).press('Enter');
      }
    }
  ];
}

test.describe('every way of sending', () => {
  test.beforeEach(({ page }) => setSetting(page, 'overBudget', 'confirm'));
  test.afterEach(({ page }) => setSetting(page, 'overBudget', undefined));

  test('pauses, asks, sends what is shown, and keeps hash, edits and trimming @fresh', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    test.slow();
    const { chat, file } = await openPrepared(page, tmpPath, CELLS);
    const request = new RequestUI(chat);
    const filter = new Filtering(chat);
    const replay = new Replay(page);
    const dialog = page.locator('.jp-Dialog');
    await chooseSmall(servers, chat);
    await expect(filter.counter).toHaveText(/^[1-6] \/ 8$/);
    await chat.execute('turnbook:toggle-pause');

    let count = 0;
    /**
     * Edit the paused request, confirm it, and check everything that is known about it afterwards.
     */
    const review = async (path: string, pair: string) => {
      await request.paused();
      expect(await provider.completions()).toHaveLength(count);
      await request.write(0, `Answer in verse ${count}.`);
      const hash = await request.hash();

      // The question is about what is shown. Resuming asks, and can be declined.
      await request.button('Resume send').click();
      const asked = inOneLine(
        await dialog.locator('.jp-Dialog-body').innerText()
      );
      // What is shown follows the paused request, slightly later.
      await expect
        .poll(async () => (await shownBudget(chat)).words)
        .toBe(asked);
      const budget = await shownBudget(chat);
      await dialog.getByRole('button', { name: 'Abort' }).click();
      await expect(dialog).toHaveCount(0);
      expect(await provider.completions()).toHaveLength(count);
      await expect(
        request.panel.getByText('Paused before sending.')
      ).toBeVisible();

      await request.button('Resume send').click();
      await dialog.getByRole('button', { name: 'Force send' }).click();
      count += 1;
      const sent = (await provider.completions(count))[count - 1];
      expect(sent.sha256).toBe(hash);
      expect(bodyHash(sent.body)).toBe(hash);
      expect(messagesOf(sent)[0].content).toBe(`Answer in verse ${count - 1}.`);

      const holds = (cell: any) =>
        cell.id === pair &&
        cell.metadata.turnbook_run?.state === 'succeeded' &&
        cell.metadata.turnbook_run.requestHash === hash;
      const saved = await chat.saved(path, nb => nb.cells.some(holds));
      const run = saved.cells.find(holds).metadata.turnbook_run;
      expect(run.edited).toEqual({
        sections: 1,
        deleted: 0,
        added: 0,
        options: 0
      });
      await expect(
        chat.panel
          .locator(`[data-turnbook-pair="${pair}"]`)
          .getByRole('button', { name: 'Edited request (1)' })
      ).toBeVisible();
      return { sent, run, budget };
    };

    for (const { name, pair, act } of waysOf(chat, provider)) {
      await test.step(name, async () => {
        await act();
        await expect(
          request.panel.getByText('Paused before sending.')
        ).toBeVisible();
        const held: string = await page.evaluate(
          () =>
            (window.jupyterapp.shell.currentWidget as any).session.modes.pause
              .held.pair
        );
        const { sent, run, budget } = await review(file, held);
        await chat.expectState(pair, 'succeeded');
        // The pairs marked OUT are not in it, and the others are.
        const left = budget.out.filter(id => /^pair-000\d$/.test(id));
        const all = [0, 1, 2, 3, 4, 5, 6];
        expect(longPairs(sent)).toEqual(
          all.filter(n => !left.includes(`pair-000${n}`))
        );
        expect(budget.included).toBeLessThan(budget.visible);
        expect(run.trimmed).toEqual({
          pairs: budget.visible - budget.included,
          tokens: budget.tokens
        });
      });
    }

    await test.step('a payload', async () => {
      await setSetting(page, 'replay.autoSend', true);
      await setSetting(page, 'pauseAndReview', true);
      const id = (await chat.pair(7).getAttribute('data-turnbook-pair'))!;
      await replay.open(chat, id);
      const record = await replay.record();
      expect(record.trimmed).toBeTruthy();
      await replay.button('Start chatting from this replay').click();
      await expect(replay.panel).toHaveCount(0);
      await expect(
        request.panel.getByText('Paused before sending.')
      ).toBeVisible();
      // Paused with the exact bytes of the replay.
      expect(await request.hash()).toBe(record.hash);
      expect(await provider.completions()).toHaveLength(count);
      await request.button('Resume send').click();
      count += 1;
      const sent = (await provider.completions(count))[count - 1];
      expect(sent.body).toBe(record.payload);
      const fork = await chat.path();
      const holds = (cell: any) =>
        cell.metadata.turnbook_run?.requestHash === record.hash &&
        cell.metadata.turnbook_run.state === 'succeeded';
      const saved = await chat.saved(fork, nb => nb.cells.some(holds));
      const run = saved.cells.find(holds).metadata.turnbook_run;
      expect(run.edited).toMatchObject({ sections: 1, deleted: 0, added: 0 });
      expect(run.trimmed).toEqual(record.trimmed);
      await setSetting(page, 'replay.autoSend', undefined);
      await setSetting(page, 'pauseAndReview', undefined);
    });

    await test.step('the chat that it started', async () => {
      const fork = await chat.path();
      // More than fits next to what was replayed.
      await chat.message.fill(`And from here? ${'word '.repeat(400)}`);
      await expect(filter.counter).not.toHaveText(/^(\d+) \/ \1$/);
      await chat.execute('turnbook:toggle-pause');
      await chat.message.press('Enter');
      const pair: string = await page.evaluate(
        () => (window.jupyterapp.shell.currentWidget as any).session.draft.pair
      );
      const { sent, run, budget } = await review(fork, pair);
      expect(messagesOf(sent).at(-1).content).toMatch(/^And from here\?/);
      expect(longPairs(sent)).toHaveLength(
        longPairs((await provider.completions())[count - 2]).length -
          (budget.visible - budget.included)
      );
      expect(run.trimmed).toEqual({
        pairs: budget.visible - budget.included,
        tokens: budget.tokens
      });
    });
  });

  test('asks when it is not paused, and can be declined without loss @fresh', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    test.slow();
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const dialog = page.locator('.jp-Dialog');
    await chooseSmall(servers, chat);
    let count = 0;
    for (const { name, pair, act } of waysOf(chat, provider)) {
      await test.step(name, async () => {
        await act();
        const words = await dialog.locator('.jp-Dialog-body').innerText();
        await dialog.getByRole('button', { name: 'Abort' }).click();
        await expect(dialog).toHaveCount(0);
        expect(await provider.completions()).toHaveLength(count);

        await act();
        await expect(dialog.locator('.jp-Dialog-body')).toHaveText(words, {
          useInnerText: true
        });
        await dialog.getByRole('button', { name: 'Force send' }).click();
        count += 1;
        const sent = (await provider.completions(count))[count - 1];
        await chat.expectState(pair, 'succeeded');
        const [included, visible] = words.match(/\d+/g)!.map(Number);
        expect(longPairs(sent).length).toBeLessThan(7);
        // Pairs after the long ones are short, and fit.
        expect(7 - longPairs(sent).length).toBe(visible - included);
      });
    }
  });
});
