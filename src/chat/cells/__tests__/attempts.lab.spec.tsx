import { Dialog } from '@jupyterlab/apputils';
import { Signal } from '@lumino/signaling';

import { until } from '../../../providers/__tests__/standin';
import { ApiError } from '../../../runs/api';
import type { IAttempts, IRun } from '../../../base/run';
import { showAttempts } from '../attempts';

function attempt(n: number, change: Partial<IRun> = {}) {
  const run = {
    id: `run-${n}`,
    attempt: n,
    state: 'done',
    createdAt: 1000,
    updatedAt: 2500,
    end: null,
    continues: null,
    replaces: null,
    automatic: n > 1,
    turn: { auto: true, retryAt: null },
    ...change
  } as unknown as IRun;
  return { run, usage: null };
}

async function notAsked(): Promise<never> {
  throw new Error('not asked for');
}

const rows = () => [...document.querySelectorAll('tbody tr')];

afterEach(() => Dialog.tracker.forEach(dialog => dialog.reject()));

it('lists each attempt with its outcome, and reloads on news', async () => {
  const source = {};
  const changed = new Signal<object, string>(source);
  const end = { type: 'network', code: 'network', message: 'Broke.' };
  const attempts = [
    attempt(1, { state: 'interrupted', end: end as IRun['end'] })
  ];
  const api = {
    getTurn: async () =>
      ({ chat: 'c', pair: 'p', attempts: [...attempts] }) as IAttempts,
    getRequest: async () => new Uint8Array(),
    getRun: notAsked,
    getResponse: notAsked,
    getResponseBytes: notAsked
  };
  void showAttempts({ api, chat: 'c', pair: 'p', changed });
  await until(() => rows().length === 1, 'one row');
  expect(rows()[0].textContent).toContain('[error: network] Broke.');
  expect(rows()[0].textContent).toContain('1.5 s');
  attempts.push({
    ...attempt(2, { continues: 'run-1' }),
    usage: { prompt_tokens: 7, completion_tokens: 9 } as never
  });
  changed.emit('another');
  changed.emit('p');
  await until(() => rows().length === 2, 'two rows');
  expect(rows()[1].textContent).toContain('7 + 9');
  expect(rows()[1].textContent).toContain(
    'by the server itself · continued the previous one'
  );
});

it('says so when this server never sent the pair', async () => {
  const api = {
    getTurn: async () => {
      throw new ApiError(404, 'no-such-run', 'gone');
    }
  } as never;
  void showAttempts({ api, chat: 'c', pair: 'p' });
  await until(
    () => /no record of this pair/.test(document.body.textContent ?? ''),
    'the words'
  );
});
