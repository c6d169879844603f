import { Dialog } from '@jupyterlab/apputils';

import type { IDayUsage } from '../../../base/run';
import { NO_TOTAL } from '../../../document/usagetotals';
import { until } from '../../../providers/__tests__/standin';
import { showUsage } from '../usagedialog';

const NOW = new Date(2026, 10, 18, 12);

const table = (name: string) =>
  document.querySelector<HTMLTableElement>(`table[aria-label="${name}"]`);
const rows = (name: string) =>
  [...(table(name)?.rows ?? [])].map(({ cells }) =>
    [...cells].map(({ textContent }) => textContent)
  );
const CHAT = 'What this chat took, by model';
const DAYS = 'What all chats took, by day and model';

const said = () => document.querySelector('.jp-Dialog')?.textContent ?? '';

afterEach(() => Dialog.tracker.forEach(dialog => dialog.reject()));

function day(start: Date, change: Partial<IDayUsage> = {}): IDayUsage {
  const facts = { unknown: 0, input: 900, cached: 100, output: 10, cost: null };
  const about = { provider: 'p', model: 'm', runs: 2 };
  return { start: start.getTime(), ...about, ...facts, ...change };
}

it('lists the chat by model, and days by model', async () => {
  const asked: (readonly number[])[] = [];
  void showUsage({
    api: {
      getUsage: async starts => {
        asked.push(starts);
        return [
          day(new Date(2026, 10, 18)),
          day(new Date(2026, 10, 18), { model: 'n', unknown: 1 }),
          day(new Date(2026, 10, 16))
        ];
      }
    },
    chat: new Map([
      ['p/m', { ...NO_TOTAL, runs: 3, input: 1000, output: 10, cost: 0.5 }],
      ['p/n', { ...NO_TOTAL, runs: 1, unknown: 1, unpriced: 1 }]
    ]),
    title: 'A chat',
    priceOf: model =>
      model === 'p/m'
        ? { input: 1, output: 1, source: 'provider', asOf: '2026-11-01' }
        : null,
    now: NOW
  });
  await until(() => table(DAYS), 'the days');
  expect(asked[0]).toHaveLength(30);
  expect(asked[0].at(-1)).toBe(new Date(2026, 10, 18).getTime());
  expect(rows(CHAT)).toEqual([
    ['Model', 'Requests', 'Tokens in', 'Tokens out', 'Price'],
    ['p/m', '3', '1k', '10', '$0.50'],
    ['p/n', '1', 'unknown', 'unknown', 'unknown'],
    ['Total', '4', '1k + ?', '10 + ?', '$0.50 + ?']
  ]);
  const [, first, second, third, total] = rows(DAYS);
  expect(first.slice(1)).toEqual([
    'p/m',
    '2',
    '900 (100 cached)',
    '10',
    '$0.00091'
  ]);
  expect(second).toEqual([
    'p/n',
    '2',
    '900 (100 cached) + ?',
    '10 + ?',
    'unknown'
  ]);
  expect(third[0]).toContain('16');
  expect(total[0]).toBe('Total');
  expect(said()).toContain('The price of 2 requests is unknown');
  expect(said()).toContain('Prices are those of the lists of 2026-11-01.');
});

it('says so if nothing was sent, or the journal cannot be read', async () => {
  const options = {
    chat: new Map(),
    title: 'A chat',
    priceOf: () => null,
    now: NOW
  };
  void showUsage({ ...options, api: { getUsage: async () => [] } });
  await until(() => /in the last 30 days/.test(said()), 'no days');
  expect(said()).toContain('Nothing has been sent in this chat.');
  Dialog.tracker.forEach(dialog => dialog.reject());
  await until(() => said() === '', 'the dialog to close');
  void showUsage({
    ...options,
    api: {
      getUsage: async () => {
        throw new Error('The disk is full.');
      }
    }
  });
  await until(() => /cannot be read: The disk is full/.test(said()), 'why');
});
