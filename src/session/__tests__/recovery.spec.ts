import { ServerConnection } from '@jupyterlab/services';
import { UUID } from '@lumino/coreutils';

import { pairCell } from '../../document/chatfile';
import { bodyHash, defaultFrame, renderRequest } from '../../request/render';
import { TurnbookAPI } from '../../runs/api';
import {
  START_MS,
  startServer,
  type IRealServer
} from '../../runs/__tests__/realserver';
import { isAlive, type INewRun, type IRun } from '../../base/run';
import { loadReplies, recoverable } from '../recovery';

jest.setTimeout(60_000);

let server: IRealServer;
let api: TurnbookAPI;

beforeAll(async () => {
  server = await startServer();
  const serverSettings = ServerConnection.makeSettings({
    baseUrl: server.baseUrl,
    token: server.token
  });
  api = new TurnbookAPI({ serverSettings });
}, START_MS);

afterAll(() => server?.stop());

/** A message whose model has the chat's name, so that no other chat gets its reply. */
function newRun(chat: string, provider = 'scripted'): INewRun {
  const id = UUID.uuid4();
  const pair = UUID.uuid4();
  const body = renderRequest(defaultFrame(chat), [
    { role: 'user', content: 'Hello?' }
  ]);
  const cell = pairCell(pair, 'Hello?', {
    state: 'sending',
    model: `${provider}/${chat}`,
    createdAt: 1,
    updatedAt: 1,
    runId: id,
    attempt: 1,
    context: [],
    requestHash: bodyHash(body)
  });
  return {
    id,
    chat,
    pair,
    cell,
    after: null,
    provider,
    body,
    // The tests begin each attempt themselves.
    autoRetry: false
  };
}

async function ended(id: string): Promise<IRun> {
  for (;;) {
    const { run } = await api.getRun(id);
    if (!isAlive(run)) {
      return run;
    }
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

const reply = (text: string) => ({
  steps: [{ delta: text }, { finish: 'stop' }, { done: true }]
});

it('a deleted reply is offered with its whole text, until it is back', async () => {
  const chat = UUID.uuid4();
  await server.scriptFor(
    chat,
    { steps: [{ delta: 'Half a ' }, { cut: true }] },
    // It takes up what was there, which is shown once.
    reply('Half a reply.'),
    reply('Kept.')
  );
  const deleted = newRun(chat, 'instruct');
  await api.createRun(deleted);
  await ended(deleted.id);
  const again = await api.retryTurn(chat, deleted.pair, { now: true });
  await ended(again.run.id);
  const kept = newRun(chat);
  await api.createRun(kept);
  await ended(kept.id);

  const present = new Set([kept.pair]);
  await api.dropRun(deleted.chat, deleted.id);
  await api.dropRun(again.run.chat, again.run.id);
  const offered = recoverable(await api.listRuns({ chat }), present);
  expect(offered.map(run => run.id)).toEqual([again.run.id]);
  const [item] = await loadReplies(api, offered);
  expect(item.text).toBe('Half a reply.');
  expect(item.problem).toBeUndefined();
  expect(item.run.cell.source).toBe('Hello?');

  await api.dropRun(deleted.chat, deleted.id, false);
  await api.dropRun(again.run.chat, again.run.id, false);
  const runs = await api.listRuns({ chat });
  expect(recoverable(runs, present.add(deleted.pair))).toEqual([]);
});

it('a reply whose pair is gone is offered, one in progress is not', async () => {
  const chat = UUID.uuid4();
  await server.scriptFor(chat, reply('Gone.'), {
    steps: [{ delta: 'Once ' }, { stall: true }]
  });
  const gone = newRun(chat);
  await api.createRun(gone);
  await ended(gone.id);
  const alive = newRun(chat);
  await api.createRun(alive);
  const runs = await api.listRuns({ chat });
  expect(recoverable(runs, new Set()).map(run => run.id)).toEqual([gone.id]);
  await api.dropRun(alive.chat, alive.id);
  expect(
    recoverable(await api.listRuns({ chat }), new Set()).map(run => run.id)
  ).toEqual([alive.id, gone.id]);
  await api.stopRun(alive.chat, alive.id);
});

it('an unreadable reply says so and does not affect the others', async () => {
  const chat = UUID.uuid4();
  await server.scriptFor(chat, reply('Here.'));
  const request = newRun(chat);
  await api.createRun(request);
  const run = await ended(request.id);
  const [lost, found] = await loadReplies(api, [
    { ...run, id: UUID.uuid4() },
    run
  ]);
  expect(lost.text).toBe('');
  expect(lost.problem).toBeTruthy();
  expect(found).toMatchObject({ run, text: 'Here.', reasoning: [] });
  expect(found.problem).toBeUndefined();
});

describe('recoverable', () => {
  const run = (change: Partial<IRun>): IRun =>
    ({
      id: 'r',
      pair: 'p',
      attempt: 1,
      state: 'done',
      createdAt: 1,
      events: 3,
      end: {},
      continues: null,
      replaces: null,
      automatic: false,
      pageHash: null,
      landed: true,
      dropped: true,
      ...change
    }) as IRun;
  const ids = (...runs: IRun[]) =>
    recoverable(runs, new Set()).map(one => one.id);

  it('keeps each reply of a pair that was sent again', () => {
    expect(
      ids(run({ id: 'a' }), run({ id: 'b', attempt: 2, createdAt: 2 }))
    ).toEqual(['b', 'a']);
  });

  it('leaves out empty attempts, unless there is no other', () => {
    const nothing = run({ id: 'a', state: 'failed', events: 1 });
    expect(ids(nothing)).toEqual(['a']);
    expect(ids(nothing, run({ id: 'b', attempt: 2 }))).toEqual(['b']);
  });

  it('has the last attempt at each of several replies', () => {
    const of = (id: string, sibling: number, attempt: number) =>
      run({ id, group: 'g', sibling, attempt, state: 'failed', events: 1 });
    expect(ids(of('a', 0, 1), of('b', 1, 2), of('c', 0, 3))).toEqual([
      'c',
      'b'
    ]);
  });
});
