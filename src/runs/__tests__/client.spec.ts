/**
 * @jest-environment node
 */
import { createHash } from 'crypto';

import { ServerConnection } from '@jupyterlab/services';
import { UUID } from '@lumino/coreutils';

import { pairCell } from '../../document/chatfile';
import { bodyHash, defaultFrame, renderRequest } from '../../request/render';
import { ApiError, TurnbookAPI } from '../api';
import { LiveRun } from '../live';
import { RunSocket } from '../socket';
import type { INewRun, IRun } from '../../base/run';
import { Contract } from './contract';
import { START_MS, startServer, type IRealServer } from './realserver';

jest.setTimeout(60_000);

const contract = new Contract();
let server: IRealServer;
let api: TurnbookAPI;
let socket: RunSocket;
const sockets: WebSocket[] = [];

beforeAll(async () => {
  server = await startServer();
  const settings = ServerConnection.makeSettings({
    baseUrl: server.baseUrl,
    wsUrl: server.baseUrl.replace('http', 'ws'),
    token: server.token,
    appendToken: true,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const body = request.method === 'GET' ? '' : await request.clone().text();
      const response = await fetch(request);
      contract.check(
        request.method,
        new URL(request.url).pathname.replace('/turnbook/api', ''),
        body || undefined,
        response.status,
        await response.clone().text(),
        response.headers.get('content-type') ?? ''
      );
      return response;
    }
  });
  api = new TurnbookAPI({ serverSettings: settings });
  class Checked extends (settings.WebSocket as typeof WebSocket) {
    constructor(url: string | URL) {
      super(url);
      sockets.push(this);
      this.addEventListener('message', event =>
        contract.checkMessage('ServerMessage', JSON.parse(event.data))
      );
    }
    override send(data: string): void {
      contract.checkMessage('ClientMessage', JSON.parse(data));
      super.send(data);
    }
  }
  socket = new RunSocket({ url: () => api.streamUrl, WebSocket: Checked });
}, START_MS);

afterAll(async () => {
  socket?.dispose();
  await server?.stop();
});

function newRun(text = 'Hello?', change: Partial<INewRun> = {}): INewRun {
  const id = UUID.uuid4();
  const pair = UUID.uuid4();
  const body = renderRequest(defaultFrame('scripted'), [
    { role: 'user', content: text }
  ]);
  const cell = pairCell(pair, text, {
    state: 'sending',
    model: 'scripted/scripted',
    createdAt: 1,
    updatedAt: 1,
    runId: id,
    attempt: 1,
    context: [],
    requestHash: bodyHash(body)
  });
  return {
    id,
    chat: UUID.uuid4(),
    pair,
    cell,
    after: null,
    provider: 'scripted',
    body,
    // The tests begin each attempt themselves.
    autoRetry: false,
    ...change
  };
}

function follow(run: IRun): { live: LiveRun; ended: Promise<IRun> } {
  const live = new LiveRun({ run, api, socket });
  const ended = new Promise<IRun>(resolve => {
    live.ended.connect((_, end) => resolve(end));
  });
  return { live, ended };
}

function grown(live: LiveRun, text: string): Promise<void> {
  return new Promise(resolve => {
    const check = () => {
      if (live.text === text) {
        resolve();
      }
    };
    live.grown.connect(check);
    check();
  });
}

/** Wait until something holds; the test's time-out says when it never does. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}

describe('a run', () => {
  it('puts exactly its bytes on the wire and streams the reply', async () => {
    await server.script({
      steps: [
        { delta: 'Grüße, ' },
        { delta: '世界!' },
        { finish: 'stop', usage: { completion_tokens: 4 } },
        { done: true }
      ],
      split: 3
    });
    const request = newRun('Wie heißt das?');
    const run = await api.createRun(request);
    const { live, ended } = follow(run);
    const end = await ended;
    expect(end.state).toBe('done');
    expect(live.text).toBe('Grüße, 世界!');
    expect(live.reply.usage).toEqual({ completion_tokens: 4 });
    const sent = (await server.requests()).pop()!;
    expect(sent.body).toBe(request.body);
    expect(sent.sha256).toBe(run.hash);
    expect(run.hash).toBe(bodyHash(request.body));
    const bytes = await api.getRequest(run.id);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(run.hash);
    const response = await api.getResponse(run.id);
    const raw = await api.getResponseBytes(run.id);
    expect(createHash('sha256').update(raw).digest('hex')).toBe(response.hash);
    expect(response.exact).toBe(true);
    expect(await api.getCell(run.id)).toEqual(run.cell);
  });

  it('is the same run when requested twice, and another body is refused', async () => {
    const before = (await server.requests()).length;
    const request = newRun();
    const [first, second] = [
      await api.createRun(request),
      await api.createRun(request)
    ];
    expect(second.id).toBe(first.id);
    const other = {
      ...request,
      body: renderRequest(defaultFrame('scripted'), [])
    };
    await expect(api.createRun(other)).rejects.toMatchObject({
      status: 409,
      code: 'body-differs'
    });
    await follow(first).ended;
    expect((await server.requests()).length).toBe(before + 1);
  });

  it('is not reverted by a late response', async () => {
    await server.script({ steps: [{ delta: 'Once ' }, { stall: true }] });
    const request = newRun();
    const claimed = await api.createRun(request);
    const { live, ended } = follow(claimed);
    await grown(live, 'Once ');
    live.update({ ...claimed, state: 'sending' });
    expect(live.run.state).toBe('streaming');
    await api.stopRun(request.chat, request.id);
    await ended;
    live.update({ ...claimed, state: 'streaming' });
    expect(live.run.state).toBe('stopped');
  });

  it('locks its chat until it ends, and can be stopped', async () => {
    await server.script({ steps: [{ delta: 'Once ' }, { stall: true }] });
    const request = newRun();
    const { live, ended } = follow(await api.createRun(request));
    await grown(live, 'Once ');
    const refused = await api
      .createRun(newRun('Me too', { chat: request.chat }))
      .catch(error => error as ApiError);
    expect(refused).toMatchObject({ status: 409, code: 'chat-busy' });
    expect((refused as ApiError).run?.id).toBe(request.id);
    await api.stopRun(request.chat, request.id);
    expect((await ended).state).toBe('stopped');
    expect(live.text).toBe('Once ');
    expect((await api.stopRun(request.chat, request.id)).state).toBe('stopped');
  });

  it('continues at the next event when the socket is cut', async () => {
    await server.script({
      steps: [
        { delta: 'one ' },
        { wait: 'more' },
        { delta: 'two' },
        { finish: 'stop' },
        { done: true }
      ]
    });
    const { live, ended } = follow(await api.createRun(newRun()));
    await grown(live, 'one ');
    sockets.forEach(item => item.close());
    await server.release('more');
    expect((await ended).state).toBe('done');
    expect(live.text).toBe('one two');
  });

  it('reads the same without a socket', async () => {
    const request = newRun('again');
    const { live, ended } = follow(await api.createRun(request));
    await ended;
    const { run, events } = await api.getRun(request.id);
    expect(events.map(event => event.n)).toEqual(
      events.map((_, index) => index + 1)
    );
    expect(run.events).toBe(events.length);
    expect(events[events.length - 1].state).toBe('done');
    const tail = await api.getRun(request.id, events.length - 1);
    expect(tail.events).toEqual(events.slice(-1));
    expect(live.text).toContain('again');
  });

  it('is polled while no socket gets through, and then followed by one', async () => {
    let blocked = true;
    let tries = 0;
    class Blocked extends (api.serverSettings.WebSocket as typeof WebSocket) {
      constructor(url: string | URL) {
        // Nothing listens on the discard port.
        super(blocked ? 'ws://127.0.0.1:9' : url);
        // Unlike a browser's socket, one of node throws when no one handles its error.
        this.addEventListener('error', () => undefined);
        tries++;
      }
    }
    const wanting = new RunSocket({
      url: () => api.streamUrl,
      WebSocket: Blocked,
      source: api
    });
    await server.script({
      steps: [
        { delta: 'step ' },
        { wait: 'poll' },
        { delta: 'by step' },
        { wait: 'socket' },
        { delta: '.' },
        { finish: 'stop' },
        { done: true }
      ]
    });
    const request = newRun();
    const told: string[] = [];
    wanting.watch(request.chat, {
      onRuns: runs => runs.forEach(run => told.push(run.state)),
      onChanged: run => told.push(run.state)
    });
    const run = await api.createRun(request);
    const live = new LiveRun({ run, api, socket: wanting });
    const ended = new Promise<IRun>(resolve => {
      live.ended.connect((_, end) => resolve(end));
    });
    await grown(live, 'step ');
    expect(wanting.isPolling).toBe(true);
    // The reply may come before the rest of its round of questions.
    await until(() => wanting.connected && told.includes('streaming'));
    expect(tries).toBeGreaterThanOrEqual(2);
    await server.release('poll');
    await grown(live, 'step by step');
    blocked = false;
    wanting.wake();
    await until(() => !wanting.isPolling);
    // The server's clock is that of this machine, and no message was longer on its way than the test.
    expect(Math.abs(wanting.skew)).toBeLessThan(60_000);
    await server.release('socket');
    expect((await ended).state).toBe('done');
    expect(live.text).toBe('step by step.');
    wanting.dispose();
  });

  it('reports to a watcher of the chat what is open, landed and dropped', async () => {
    const request = newRun();
    const heard: string[] = [];
    let landed: (run: IRun) => void;
    const done = new Promise<IRun>(resolve => {
      landed = resolve;
    });
    const watch = socket.watch(request.chat, {
      onRuns: runs => heard.push(`open ${runs.length}`),
      onChanged: run => {
        heard.push(run.state);
        if (run.landed) {
          landed(run);
        }
      }
    });
    await until(() => heard.length > 0);
    await follow(await api.createRun(request)).ended;
    expect(
      (await api.listRuns({ chat: request.chat, open: true })).length
    ).toBe(1);
    await api.landRun(request.chat, request.id);
    expect((await done).id).toBe(request.id);
    expect(await api.listRuns({ chat: request.chat, open: true })).toEqual([]);
    expect((await api.dropRun(request.chat, request.id)).dropped).toBe(true);
    expect((await api.dropRun(request.chat, request.id, false)).dropped).toBe(
      false
    );
    expect(heard[0]).toBe('open 0');
    expect(heard).toContain('done');
    watch.dispose();
  });

  it('can be retried, and continues after what had arrived', async () => {
    await server.script(
      { steps: [{ delta: 'Half a ' }, { cut: true }] },
      { steps: [{ delta: 'reply.' }, { finish: 'stop' }, { done: true }] }
    );
    const request = newRun('Hello?', { provider: 'prefill' });
    const first = follow(await api.createRun(request));
    expect((await first.ended).state).toBe('interrupted');
    const turn = await api.retryTurn(request.chat, request.pair, { now: true });
    expect(turn.run.attempt).toBe(2);
    expect(turn.run.continues).toBe(request.id);
    const second = follow(turn.run);
    expect((await second.ended).state).toBe('done');
    expect(second.live.text).toBe('Half a reply.');
    expect(second.live.seams).toEqual([{ at: 7 }]);
    expect(second.live.hasEnded).toBe(true);
    const { attempts } = await api.getTurn(request.chat, request.pair);
    expect(attempts.map(each => each.run.state)).toEqual([
      'interrupted',
      'done'
    ]);
    const today = Date.now() - 3_600_000;
    const days = await api.getUsage([today - 86_400_000, today]);
    expect(days.map(({ start }) => start)).toContain(today);
    expect(days.every(({ runs, unknown }) => unknown <= runs)).toBe(true);
  });

  /** Let a reply be interrupted and retried with this provider; return both attempts. */
  async function resumed(provider: string, said: string, steps: unknown[]) {
    await server.script(
      {
        steps: [
          { delta: said },
          // Like a provider that reports usage as it streams.
          { chunk: { choices: [], usage: { completion_tokens: 2 } } },
          { cut: true }
        ]
      },
      { steps: [...steps, { done: true }] }
    );
    const request = newRun('Hello?', { provider });
    const first = follow(await api.createRun(request));
    await first.ended;
    const { chat, pair } = request;
    const { run } = await api.retryTurn(chat, pair, { now: true });
    return { first: first.live, run };
  }

  const finish = { finish: 'stop', usage: { completion_tokens: 5 } };

  it('is replaced by one that starts over instead of continuing', async () => {
    const { first, run } = await resumed('instruct', 'Half a ', [
      { delta: 'Half a' },
      { wait: 'again' },
      { delta: ' reply is better than none.' },
      finish
    ]);
    const { live, ended } = follow(run);
    await grown(live, 'Half a ');
    await server.release('again');
    await ended;
    expect(live.text).toBe('Half a reply is better than none.');
    expect([live.seams, live.abandoned]).toEqual([[], null]);
    expect(live.usage).toEqual({ completion_tokens: 7, attempts: 2 });
    expect(first.usage).toEqual({ completion_tokens: 2 });
  });

  it('does not join what is not continued', async () => {
    const { first, run } = await resumed('instruct', 'The answer is forty', [
      { delta: 'The answer is a number.' },
      finish
    ]);
    const { live, ended } = follow(run);
    await ended;
    expect(live.text).toBe('The answer is a number.');
    expect(live.abandoned).toMatchObject({
      run: { id: first.run.id },
      text: 'The answer is forty'
    });
  });

  it('has a seam where unrequested prose starts', async () => {
    const { run } = await resumed('instruct', 'Half a ', [
      { delta: 'Sure! Here is the rest: reply.' },
      finish
    ]);
    const { live, ended } = follow(run);
    await ended;
    expect(live.text).toBe('Half a Sure! Here is the rest: reply.');
    expect(live.seams).toEqual([{ at: 7 }]);
  });

  it('starts over unless the provider can continue, and what had arrived stays until then', async () => {
    const { run } = await resumed('scripted', 'Half a ', [
      { wait: 'anew' },
      { delta: 'Half ' },
      { wait: 'further' },
      { delta: 'a reply.' },
      finish
    ]);
    const { live, ended } = follow(run);
    const shown: string[] = [];
    const note = () => shown.push(live.outgrown || live.text);
    live.rebuilt.connect(note);
    live.grown.connect(note);
    // Until then, this page does not know the first attempt.
    await live.ready;
    await server.release('anew');
    await grown(live, 'Half ');
    expect([live.outgrown, live.seams]).toEqual(['Half a ', []]);
    await server.release('further');
    await ended;
    expect(live.outgrown).toBe('');
    expect(new Set(shown)).toEqual(new Set(['Half a ', 'Half a reply.']));
    expect(live.usage).toEqual({ completion_tokens: 7, attempts: 2 });
    live.dispose();
    // A page that has the partial reply shows it from the start.
    const other = new LiveRun({ run, api, socket, replaced: 'Half a ' });
    expect(other.outgrown).toBe('Half a ');
    other.dispose();
  });

  it('stays open, and says so, when its beginning cannot be read', async () => {
    await server.script(
      { steps: [{ delta: 'Half a ' }, { cut: true }] },
      { steps: [{ delta: 'reply.' }, { finish: 'stop' }, { done: true }] }
    );
    const request = newRun('Hello?', { provider: 'prefill' });
    await follow(await api.createRun(request)).ended;
    const turn = await api.retryTurn(request.chat, request.pair, { now: true });
    const broken = new TurnbookAPI({
      serverSettings: {
        ...api.serverSettings,
        fetch: () => Promise.reject(new TypeError('Failed to fetch'))
      }
    });
    const logged = jest.spyOn(console, 'error').mockImplementation();
    const live = new LiveRun({ run: turn.run, api: broken, socket });
    const ended = jest.fn();
    live.ended.connect(ended);
    const words = await new Promise<string>(resolve => {
      live.failed.connect((_, said) => resolve(said));
    });
    expect(words).toMatch(/Failed to fetch.*reload the page/);
    expect(ended).not.toHaveBeenCalled();
    expect(live.hasEnded).toBe(false);
    expect(live.reply.text).toBe('reply.');
    live.dispose();
    logged.mockRestore();
  });

  it('is complete when its beginning could only be read at its end', async () => {
    await server.script(
      { steps: [{ delta: 'Half a ' }, { cut: true }] },
      { steps: [{ delta: 'reply.' }, { finish: 'stop' }, { done: true }] }
    );
    const request = newRun('Hello?', { provider: 'prefill' });
    await follow(await api.createRun(request)).ended;
    const turn = await api.retryTurn(request.chat, request.pair, { now: true });
    let failures = 0;
    const shaky = new TurnbookAPI({
      serverSettings: {
        ...api.serverSettings,
        fetch: (input, init) =>
          failures++ === 0
            ? Promise.reject(new TypeError('Failed to fetch'))
            : fetch(input, init)
      }
    });
    const live = new LiveRun({ run: turn.run, api: shaky, socket });
    const end = await new Promise<IRun | string>(resolve => {
      live.ended.connect((_, run) => resolve(run));
      live.failed.connect((_, why) => resolve(why));
    });
    expect(end).toMatchObject({ state: 'done' });
    expect(failures).toBeGreaterThan(1);
    expect(live.text).toBe('Half a reply.');
    live.dispose();
  });

  it('is read without the package that reads chunks', async () => {
    await server.script({
      steps: [
        { delta: 'one ' },
        { wait: 'loaded' },
        { delta: 'two' },
        { finish: 'stop' },
        { done: true }
      ]
    });
    const warned = jest.spyOn(console, 'warn').mockImplementation();
    const run = await api.createRun(newRun());
    const load = () => Promise.reject(new Error('Loading chunk 7 failed.'));
    const live = new LiveRun({ run, api, socket, load });
    const ended = new Promise<IRun>(resolve => {
      live.ended.connect((_, end) => resolve(end));
    });
    await grown(live, 'one ');
    await server.release('loaded');
    expect((await ended).state).toBe('done');
    expect(live.text).toBe('one two');
    expect(warned.mock.calls.flat().join()).toContain('Loading chunk 7 failed');
    warned.mockRestore();
  });

  it('is refused for a sent pair, unless it is a resend', async () => {
    const request = newRun();
    await follow(await api.createRun(request)).ended;
    const again = newRun('Again', { chat: request.chat, pair: request.pair });
    const refused = await api
      .createRun(again)
      .catch(error => error as ApiError);
    expect(refused).toMatchObject({ status: 409, code: 'pair-exists' });
    expect((refused as ApiError).run?.id).toBe(request.id);
    const run = await api.createRun({ ...again, resend: true });
    expect(run.attempt).toBe(2);
    await follow(run).ended;
  });
});

describe('the other routes', () => {
  it('open a chat', async () => {
    const chat = await api.openChat(UUID.uuid4(), 'x.chat.ipynb');
    expect(chat).toMatchObject({ status: 'new', copiedFrom: null });
    expect(await api.listChats()).toContainEqual({
      chatId: chat.chatId,
      path: 'x.chat.ipynb',
      exists: false
    });
  });

  it('store providers, and never return a key', async () => {
    const { url } = { url: 'http://127.0.0.1:9/v1' };
    const kept = await api.putProvider('mine', {
      baseUrl: url,
      key: 'secret-1'
    });
    expect(kept).toMatchObject({ key: 'set', source: 'user', editable: true });
    expect(JSON.stringify(await api.listProviders())).not.toContain('secret-1');
    const test = await api.testProvider('mine', { baseUrl: url });
    expect(test).toMatchObject({ ok: false, error: { type: 'network' } });
    const { signal } = new AbortController();
    const checked = await api.checkProvider(
      'mine',
      { baseUrl: url },
      'any',
      'streaming',
      signal
    );
    expect(checked.result).toBe('failed');
    await api.deleteProvider('mine');
    await expect(api.deleteProvider('mine')).rejects.toBeInstanceOf(ApiError);
  });

  it('find no other servers on loopback', async () => {
    expect(await api.listLoopback()).toEqual([]);
  });

  it('say what a path of the server leads to', async () => {
    expect(await api.checkFile('nothing here.txt')).toEqual({
      kind: 'missing'
    });
    expect(await api.checkFile('../x')).toEqual({ kind: 'outside' });
  });

  it('say how the server would read a notebook', async () => {
    await expect(api.getReading('nothing.ipynb')).rejects.toMatchObject({
      status: 404
    });
  });

  it('list models', async () => {
    const list = await api.listModels(true);
    expect(list.default).toBe('scripted/scripted');
    expect(list.models.map(model => model.provider)).toContain('scripted');
  });

  it('describe the journal, and accept events', async () => {
    expect((await api.getJournal()).damaged).toEqual([]);
    const data = { chat: 'a-chat', pair: 'a-pair', kind: 'send' };
    await api.emitEvent('resume', data);
    await expect(
      api.emitEvent('resume', { ...data, text: 'content' })
    ).rejects.toMatchObject({ status: 400, code: 'bad-event' });
  });

  it('describe the embedded model', async () => {
    const local = await api.getLocal();
    expect(local.model).toMatch(/^SmolLM2/);
    expect(local.received).toBe(local.state === 'missing' ? 0 : local.size);
    // Cancelling changes nothing if no download is in progress.
    expect(await api.cancelFetchLocal()).toEqual(local);
    expect(await api.getLocal()).toEqual(local);
  });

  it('list the models that can be downloaded', async () => {
    const { models } = await api.listLocalModels();
    const { name } = models[0];
    expect(models[0].state).toBe('absent');
    await expect(api.downloadLocalModel(name)).rejects.toMatchObject({
      status: 409,
      code: 'download'
    });
    expect((await api.stopDownload(name)).models).toEqual(models);
    expect((await api.removeLocalModel(name)).models).toEqual(models);
  });

  it('preview reruns and say why one cannot be started, continued, stopped or forgotten', async () => {
    const wish = {
      source: { paths: ['none.replay.ipynb'] },
      models: [],
      repeats: 1,
      set: [],
      prices: {},
      maxRequests: null,
      maxCost: null
    };
    const { plan } = await api.previewRerun(wish);
    const id = UUID.uuid4();
    await expect(api.startRerun(id, wish, plan)).rejects.toMatchObject({
      status: 409
    });
    for (const act of [
      () => api.continueRerun(id),
      () => api.stopRerun(id),
      () => api.forgetRerun(id)
    ]) {
      await expect(act()).rejects.toMatchObject({ status: 404 });
    }
    expect(await api.listReruns()).toEqual([]);
  });

  it('explain errors', async () => {
    const error = await api
      .createRun({ ...newRun(), provider: 'nobody' })
      .catch(reason => reason as ApiError);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).message).toMatch(/nobody/);
    await expect(api.getRun(UUID.uuid4())).rejects.toMatchObject({
      status: 404
    });
  });
});

it('every operation of the contract was checked except the download', () => {
  const missed = contract.operations.filter(id => !contract.seen.has(id));
  expect(missed).toEqual(['fetchLocal']);
});
