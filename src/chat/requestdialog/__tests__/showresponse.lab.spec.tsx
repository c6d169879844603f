import { Dialog } from '@jupyterlab/apputils';
import { Signal } from '@lumino/signaling';

import type { IAttempts, IResponse, IRun } from '../../../base/run';
import {
  button,
  choose,
  click,
  until
} from '../../../providers/__tests__/standin';
import { bodyHash } from '../../../request/render';
import { ApiError } from '../../../runs/api';
import { showExchange, type IExchangeOptions } from '../exchange';

const HOSTILE = '{"x":"<img src=x onerror=alert(1)><b>bold</b>"}';

interface IKept {
  text?: string;
  told?: Partial<IResponse>;
  run?: Partial<IRun>;
}

/** A journal with some responses, by run. */
function journal(responses: Record<string, IKept>): IExchangeOptions['api'] {
  const kept = (id: string): IKept => {
    if (!(id in responses)) {
      throw new ApiError(404, 'no-such-run', 'gone');
    }
    return responses[id];
  };
  const runOf = (id: string) =>
    ({
      id,
      chat: 'c',
      pair: 'p',
      attempt: Object.keys(responses).indexOf(id) + 1,
      state: 'done',
      end: null,
      hash: bodyHash(`request ${id}`),
      createdAt: 1000,
      ...kept(id).run
    }) as unknown as IRun;
  return {
    getRun: async id => ({ run: runOf(id), events: [] }),
    getTurn: async () =>
      ({
        attempts: Object.keys(responses).map(id => ({
          run: runOf(id),
          usage: null
        }))
      }) as unknown as IAttempts,
    getRequest: async id => new TextEncoder().encode(`request ${id}`),
    getResponse: async id => {
      const { text, told } = kept(id);
      return {
        run: id,
        state: 'done',
        end: null,
        sentAt: 1000,
        status: 200,
        headers: {},
        answered: 12,
        ended: 3456,
        size: text === undefined ? null : text.length,
        hash: text === undefined ? null : bodyHash(text),
        exact: text !== undefined,
        missing: text === undefined ? 'not-recorded' : null,
        events: [],
        ...told
      };
    },
    getResponseBytes: async id => new TextEncoder().encode(kept(id).text)
  };
}

function show(responses: Record<string, IKept>, change: object = {}) {
  return showExchange('response', {
    api: journal(responses),
    runId: Object.keys(responses)[0] ?? 'gone',
    requestHash: '',
    chat: 'c',
    pair: 'p',
    ...change
  });
}

const dialog = () => document.querySelector<HTMLElement>('.jp-Turnbook-dialog');
const words = () => dialog()?.textContent ?? '';
const events = () => [
  ...document.querySelectorAll<HTMLElement>('.jp-Turnbook-showResponse-event')
];
const proof = () =>
  until(
    () => document.querySelector<HTMLElement>('[data-turnbook-parity]'),
    'the hash check'
  );

afterEach(() => Dialog.tracker.forEach(dialog => dialog.reject()));

it('shows times, headers and events as text, and that the hash agrees', async () => {
  const text = `data: ${HOSTILE}\n\ndata: [DONE]\n\n`;
  const closed = show({
    a: {
      text,
      told: {
        headers: { 'x-request-id': '<i>7</i>' },
        events: [{ n: 1, at: 345, data: HOSTILE }]
      }
    }
  });
  const check = await proof();
  expect(check.dataset.turnbookParity).toBe('agrees');
  expect(check.textContent).toContain(bodyHash(text));
  expect(events().map(node => node.textContent)).toEqual([
    `1+345 ms${HOSTILE}`,
    '2–[DONE]'
  ]);
  expect(words()).toContain('Answered+12 ms');
  expect(words()).toContain('First event+345 ms');
  expect(words()).toContain('Ended+3.46 s');
  expect(words()).toContain('x-request-id<i>7</i>');
  expect(dialog()!.querySelector('img, b, i')).toBeNull();
  expect(document.querySelector('select')).toBeNull();
  await click('Raw');
  const raw = document.querySelector('.jp-Turnbook-showRequest-raw')!;
  expect(raw.textContent).toBe(text);
  expect(raw.getAttribute('aria-label')).toBe('Raw response');
  button('Close')!.click();
  await closed;
});

it('puts only the events in view into the page', async () => {
  const many = Array.from({ length: 20_000 }, (_, n) => `data: ${n}\n\n`);
  void show({ a: { text: many.join('') } });
  await proof();
  expect(words()).toContain('20000 events');
  expect(events().length).toBeGreaterThan(5);
  expect(events().length).toBeLessThan(100);
});

it('reports bytes that are not those that came', async () => {
  const told = { hash: bodyHash('other') };
  void show({ a: { text: 'data: 1\n\n', told } });
  const check = await proof();
  expect(check.dataset.turnbookParity).toBe('differs');
  expect(check.getAttribute('role')).toBe('alert');
  expect(check.textContent).toContain(told.hash);
});

it.each([
  ['redacted', /contained a key/],
  ['malformed', /not a stream that the journal can store/],
  ['compressed', /was compressed/],
  ['server-stopped', /stopped before the response ended/],
  ['no-answer', /No response came/],
  ['not-recorded', /older version/]
] as const)('says why the bytes are not kept: %s', async (missing, said) => {
  const known = [{ n: 1, at: 3, data: '{"key":"[key]"}' }];
  void show({ a: { told: { missing, hash: 'f00d', events: known } } });
  const check = await proof();
  expect(check.textContent).toMatch(said);
  expect(check.textContent).toContain('f00d');
  expect(events()[0].textContent).toContain('[key]');
  expect(button('Raw')).toBeUndefined();
  expect(button('Download')).toBeUndefined();
});

it('shows an answer that is no stream as it is', async () => {
  const text = '{"error":{"message":"<script>no</script>"}}';
  const end = { type: 'request', code: 'bad', message: 'No.', status: 400 };
  void show({
    a: {
      text,
      told: { status: 400 },
      run: { state: 'failed', end: end as IRun['end'] }
    }
  });
  await proof();
  const raw = document.querySelector('.jp-Turnbook-showRequest-raw')!;
  expect(raw.textContent).toBe(text);
  expect(words()).toContain('Status400');
  expect(words()).toContain('No.');
  await click('Events');
  expect(words()).toContain('did not come as a stream');
});

it('shows each attempt, and the request of the one that is shown', async () => {
  const closed = show({
    a: { text: '{"error":"busy"}', told: { status: 503 } },
    b: { text: 'data: here\n\n' }
  });
  await proof();
  expect(words()).toContain('Status503');
  const select = document.querySelector('select')!;
  expect([...select.options].map(option => option.value)).toEqual(['a', 'b']);
  choose(select, 'b');
  await until(() => words().includes('here'), 'the other response');
  expect(words()).toContain('Status200');

  await click('Show request');
  await until(() => words().includes('request b'), 'the request');
  expect((await proof()).textContent).toContain(bodyHash('request b'));
  await click('Show response');
  await until(() => words().includes('here'), 'the response again');
  button('Close')!.click();
  await closed;
});

it('shows what came so far, and the rest when it has ended', async () => {
  const one = { n: 1, at: 3, data: 'one' };
  const state: { a: IKept } = {
    a: {
      run: { state: 'streaming' },
      told: {
        missing: 'under-way',
        ended: null,
        events: [one]
      }
    }
  };
  const changed = new Signal<object, string>({});
  void show(state as never, { changed });
  expect((await proof()).textContent).toContain('still arriving');
  expect(events()).toHaveLength(1);
  state.a.told!.events = [one, { n: 2, at: 5, data: 'two' }];
  await click('Refresh');
  await until(() => events().length === 2, 'the next event');
  state.a = { text: 'data: one\n\ndata: two\n\ndata: [DONE]\n\n' };
  changed.emit('another');
  changed.emit('p');
  await until(() => events().length === 3, 'the end');
  expect((await proof()).dataset.turnbookParity).toBe('agrees');
  expect(button('Refresh')).toBeUndefined();
});

it('says that a response was sent for another message', async () => {
  void show({ a: { text: 'data: 1\n\n', run: { chat: 'other' } } });
  await proof();
  expect(words()).toContain('not sent for this message of this chat');
});

it('says when the journal does not have it, and when nothing was sent', async () => {
  const closed = show({});
  await until(() => /does not have this response/.test(words()), 'the words');
  button('Close')!.click();
  await closed;
  void show({}, { runId: '' });
  await until(() => /was not sent from here/.test(words()), 'the words');
});

it('reports any other failure, and retries', async () => {
  const api = journal({ a: { text: 'data: 1\n\n' } });
  const read = api.getResponse;
  api.getResponse = async () => {
    api.getResponse = read;
    throw new Error('The server is away.');
  };
  void show({}, { api, runId: 'a' });
  await until(() => /The server is away/.test(words()), 'the failure');
  await click('Try again');
  expect((await proof()).dataset.turnbookParity).toBe('agrees');
});
