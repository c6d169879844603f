import { Dialog } from '@jupyterlab/apputils';

import { button, click, until } from '../../../providers/__tests__/standin';
import type { IRun } from '../../../base/run';
import { showRecovered } from '../recovered';
import type { IRecoveredRun } from '../../../session/recovery';

function recovered(id: string, change: Partial<IRecoveredRun> = {}) {
  const run = {
    id,
    pair: `pair-${id}`,
    provider: 'fixed',
    model: 'big',
    state: 'stopped',
    createdAt: Date.UTC(2026, 10, 1),
    cell: { source: [`Question ${id}\n`, 'in two lines'] }
  } as unknown as IRun;
  return { run, text: `Reply ${id}`, ...change };
}

const rows = () => [
  ...document.querySelectorAll<HTMLElement>('[data-turnbook-run]')
];
const status = () =>
  document.querySelector('.jp-Turnbook-recovered [role=status]')!.textContent;

afterEach(() => Dialog.tracker.forEach(dialog => dialog.reject()));

it('lists question, reply, model and state, and restores one', async () => {
  const restored: string[] = [];
  void showRecovered({
    runs: [recovered('a'), recovered('b')],
    onRestore: async run => void restored.push(run.id)
  });
  await until(() => rows().length === 2, 'the list');
  expect(rows()[0].textContent).toContain('Question a\nin two lines');
  expect(rows()[0].textContent).toContain('Reply a');
  expect(rows()[0].textContent).toMatch(/fixed\/big · .*2026.* · stopped/);
  expect(button('Discard')).toBeUndefined();

  await click('Restore');
  await until(() => rows().length === 1, 'one row to go');
  expect(restored).toEqual(['a']);
  expect(status()).toBe('Restored.');
  await click('Restore');
  await until(() => rows().length === 0, 'no row');
  expect(document.querySelector('.jp-Turnbook-recovered')!.textContent).toMatch(
    /Nothing to recover/
  );
  await until(
    () =>
      document
        .querySelector('.jp-Turnbook-dialog')!
        .contains(document.activeElement),
    'the focus in the dialog'
  );
});

it('a failed restore keeps the row and says why', async () => {
  void showRecovered({
    runs: [recovered('a')],
    onRestore: () => Promise.reject(new Error('The file is read-only.'))
  });
  await click('Restore');
  const alert = await until(
    () => document.querySelector('.jp-Turnbook-recovered [role=alert]'),
    'the failure'
  );
  expect(alert.textContent).toBe('The file is read-only.');
  expect(rows().length).toBe(1);
});

it('discards only after confirmation', async () => {
  const discarded: string[] = [];
  void showRecovered({
    runs: [recovered('a')],
    onRestore: () => undefined,
    onDiscard: run => void discarded.push(run.id)
  });
  await click('Discard');
  await until(() => document.activeElement === button('Keep'), 'the question');
  await click('Keep');
  await until(
    () => document.activeElement === button('Discard') && button('Discard'),
    'the focus back'
  );
  expect(discarded).toEqual([]);
  await click('Discard');
  await click('Yes, discard');
  await until(() => rows().length === 0, 'the row to go');
  expect(discarded).toEqual(['a']);
});

it('does not restore an unreadable reply', async () => {
  void showRecovered({
    runs: [recovered('a', { text: '', problem: 'The server is away.' })],
    onRestore: () => undefined
  });
  const restore = await until(() => button('Restore'), 'the button');
  expect(restore.disabled).toBe(true);
  expect(rows()[0].textContent).toContain('The server is away.');
});

it('says when there is nothing to restore', async () => {
  void showRecovered({ runs: [], onRestore: () => undefined });
  await until(
    () => document.body.textContent!.includes('Nothing to recover'),
    'the message'
  );
});
