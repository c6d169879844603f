import { Dialog } from '@jupyterlab/apputils';

import { button, click, until } from '../../../providers/__tests__/standin';
import { ApiError } from '../../../runs/api';
import type { IRun } from '../../../base/run';
import { bodyHash, defaultFrame, renderRequest } from '../../../request/render';
import { showRequest } from '../showrequest';

const RUN = '4be1f0a2-8f0c-4a53-9a77-0d6f6f2b7c11';
const LONG = `${'long '.repeat(2000)}end`;
const BODY = renderRequest(defaultFrame('m'), [
  { role: 'system', content: 'Be <b>brief</b>.' },
  { role: 'user', content: LONG }
]);

/** A journal of one request. */
function journal(body: Uint8Array | string | Error, hash?: string) {
  return {
    getRequest: async () => {
      if (body instanceof Error) {
        throw body;
      }
      return typeof body === 'string' ? new TextEncoder().encode(body) : body;
    },
    getRun: async () => ({
      run: { hash: hash ?? bodyHash(String(body)) } as IRun,
      events: []
    })
  };
}

const dialog = () => document.querySelector('.jp-Turnbook-dialog');
const find = (selector: string) =>
  document.querySelector<HTMLElement>(`.jp-Turnbook-showRequest ${selector}`);
const shownParity = () =>
  until(() => find('[data-turnbook-parity]'), 'the hash check');

afterEach(() => Dialog.tracker.forEach(dialog => dialog.reject()));

it('shows messages and options, long texts folded, and that the hash agrees', async () => {
  const closed = showRequest({
    api: journal(BODY),
    runId: RUN,
    requestHash: bodyHash(BODY)
  });
  const check = await shownParity();
  expect(check.dataset.turnbookParity).toBe('agrees');
  expect(check.textContent).toContain(bodyHash(BODY));

  const roles = [...document.querySelectorAll('[data-turnbook-role]')];
  expect(roles.map(node => node.getAttribute('data-turnbook-role'))).toEqual([
    'system',
    'user'
  ]);
  expect(roles[0].textContent).toContain('Be <b>brief</b>.');
  expect(roles[0].querySelector('b')).toBeNull();
  expect(roles[1].textContent).not.toContain('end');
  roles[1].querySelector('button')!.click();
  await until(() => roles[1].textContent!.includes('end'), 'the whole text');
  expect(find('dl')!.textContent).toContain('model:m');

  await click('Raw');
  const raw = await until(() => find('pre'), 'the raw text');
  expect(raw.textContent).toBe(BODY);
  expect(raw.getAttribute('aria-label')).toBe('Raw request');

  raw.focus();
  raw.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })
  );
  await closed;
  expect(dialog()).toBeNull();
});

it('names both hashes when the cell has another hash', async () => {
  const other = bodyHash('other');
  void showRequest({ api: journal(BODY), runId: RUN, requestHash: other });
  const check = await shownParity();
  expect(check.dataset.turnbookParity).toBe('differs');
  expect(check.textContent).toContain(other);
  expect(check.textContent).toContain(bodyHash(BODY));
});

it('says when the server’s record has another hash', async () => {
  const server = bodyHash('x');
  void showRequest({
    api: journal(BODY, server),
    runId: RUN,
    requestHash: bodyHash(BODY)
  });
  const check = await shownParity();
  expect(check.dataset.turnbookParity).toBe('differs');
  expect(check.textContent).toContain(`Hash of the server: ${server}`);
});

it('shows the beginning of a large body first, and all of it on request', async () => {
  const large = renderRequest(defaultFrame('m'), [
    { role: 'user', content: 'x'.repeat(1_000_000) }
  ]);
  void showRequest({
    api: journal(large),
    runId: RUN,
    requestHash: bodyHash(large)
  });
  await shownParity();
  await click('Raw');
  await until(() => find('pre'), 'the raw text');
  expect(find('pre')!.textContent).toBe(large.slice(0, 200_000));
  await click('Show all');
  await until(() => find('pre')!.textContent === large, 'the whole body');
  expect(button('Show all')).toBeUndefined();
  expect(dialog()!.contains(document.activeElement)).toBe(true);
});

it('shows bytes that are neither JSON nor text', async () => {
  void showRequest({
    api: journal(new Uint8Array([104, 105, 255]), ''),
    runId: RUN,
    requestHash: ''
  });
  const check = await shownParity();
  expect(check.dataset.turnbookParity).toBe('unrecorded');
  expect(find('pre')!.textContent).toBe('hi\ufffd');
  expect(find('.jp-Turnbook-showRequest-note')!.textContent).toMatch(/UTF-8/);
});

it('says that the journal no longer has it, with the cell’s hash', async () => {
  void showRequest({
    api: journal(new ApiError(404, 'no-run', 'No such run.')),
    runId: RUN,
    requestHash: 'abc123'
  });
  const gone = await until(
    () => find('.jp-Turnbook-showRequest-gone'),
    'the message'
  );
  expect(gone.textContent).toMatch(/journal no longer has this request/);
  expect(gone.textContent).toContain('abc123');
});

it('reports any other failure, and retries', async () => {
  const answers = [new Error('The server is away.'), BODY];
  const api = journal(BODY);
  api.getRequest = () => journal(answers.shift()!).getRequest();
  void showRequest({ api, runId: RUN, requestHash: bodyHash(BODY) });
  await until(() => find('[role=alert]'), 'the failure');
  expect(find('[role=alert]')!.textContent).toContain('The server is away.');
  await click('Try again');
  expect((await shownParity()).dataset.turnbookParity).toBe('agrees');
});
