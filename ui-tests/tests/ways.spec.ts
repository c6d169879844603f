import { bodyHash } from '../../src/request/render';
import { expect, test } from '../support/fixtures';
import { Filtering } from '../support/filtering';
import { chooseSmall } from '../support/models';
import { openPrepared, type Prepared } from '../support/prepared';
import { Replay } from '../support/replay';
import { messagesOf, RequestUI, setSetting } from '../support/request';
import { call, calling, Rounds } from '../support/tools';

/** Seven pairs of about 300 tokens, of which a small model takes some, and one that no journal knows. */
const CELLS: Prepared[] = [
  { id: 'sys-0001', system: 'Answer briefly.' },
  ...Array.from({ length: 7 }, (_, n) => ({
    id: `pair-000${n}`,
    user: `q ${n} ${'word '.repeat(100)}`,
    reply: `a ${n} ${'word '.repeat(140)}`
  })),
  { id: 'pair-lost', user: 'Lost on its way', state: 'error' as const }
];

test.describe('every way of sending', () => {
  test('pauses, sends what the panel shows, and keeps hash, edits and trimming @fresh', async ({
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
    await chooseSmall(servers, chat);
    await expect(filter.counter).toHaveText(/^[1-6] \/ 8$/);
    await chat.execute('turnbook:toggle-pause');
    const editor = (n: number) =>
      chat.pair(n).getByRole('textbox', { name: 'Edited text' });

    const WAYS: { name: string; pair: number; act: () => Promise<void> }[] = [
      {
        name: 'Retry of a pair that no journal knows',
        pair: 7,
        act: () =>
          chat.pair(7).getByRole('button', { name: 'Retry now' }).click()
      },
      {
        name: 'Send',
        pair: 8,
        act: async () => {
          await provider.script(calling('', call(0, 'c1', 'weather', '{}')));
          await chat.message.fill('Which weather?');
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

    let count = 0;
    for (const { name, pair, act } of WAYS) {
      await test.step(name, async () => {
        await act();
        await expect(
          request.panel.getByText('Paused before sending.')
        ).toBeVisible();
        expect(await provider.completions()).toHaveLength(count);
        await request.write(0, `Answer in verse ${count}.`);
        const hash = await request.hash();
        await request.button('Resume send').click();
        count += 1;
        const sent = (await provider.completions(count))[count - 1];
        expect(sent.sha256).toBe(hash);
        expect(bodyHash(sent.body)).toBe(hash);
        const messages = messagesOf(sent);
        expect(messages[0].content).toBe(`Answer in verse ${count - 1}.`);
        await chat.expectState(pair, 'succeeded');
        await expect(
          chat.pair(pair).getByRole('button', { name: 'Edited request (1)' })
        ).toBeVisible();
        const saved = await chat.saved(file, nb => {
          const run = nb.cells[pair + 1]?.metadata.turnbook_run;
          return run?.state === 'succeeded' && run.requestHash === hash;
        });
        const run = saved.cells[pair + 1].metadata.turnbook_run;
        expect(run.edited).toEqual({
          sections: 1,
          deleted: 0,
          added: 0,
          options: 0
        });
        // The pairs above it that are not in its request were left out.
        const users = messages.filter(
          ({ role, content }) => role === 'user' && /^q \d/.test(content)
        );
        expect(run.trimmed.pairs).toBeGreaterThanOrEqual(7 - users.length);
        expect(run.trimmed.pairs).toBeGreaterThan(0);
        expect(run.trimmed.tokens).toBeGreaterThan(0);
      });
    }

    await test.step('a payload, and the fork that it starts', async () => {
      await chat.execute('turnbook:toggle-pause');
      await setSetting(page, 'replay.autoSend', true);
      const id = (await chat.pair(7).getAttribute('data-turnbook-pair'))!;
      await replay.open(chat, id);
      const record = await replay.record();
      expect(record.trimmed).toBeTruthy();
      await replay.button('Start chatting from this replay').click();
      count += 1;
      const sent = (await provider.completions(count))[count - 1];
      expect(sent.body).toBe(record.payload);
      const fork = await chat.path();
      const saved = await chat.saved(fork, nb =>
        nb.cells.some(
          (cell: any) =>
            cell.metadata.turnbook_run?.requestHash === record.hash &&
            cell.metadata.turnbook_run.state === 'succeeded'
        )
      );
      const { turnbook_run: run } = saved.cells.find(
        (cell: any) => cell.metadata.turnbook_run?.requestHash === record.hash
      ).metadata;
      expect(run.edited).toMatchObject({ sections: 1, deleted: 0, added: 0 });
      expect(run.trimmed).toEqual(record.trimmed);
      await setSetting(page, 'replay.autoSend', undefined);
      await chat.message.fill('And from here?');
      await request.open();
      const hash = await request.hash();
      await chat.message.press('Enter');
      count += 1;
      expect((await provider.completions(count))[count - 1].sha256).toBe(hash);
    });
  });
});
