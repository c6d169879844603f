import { Drive, ServerConnection } from '@jupyterlab/services';
import { UUID } from '@lumino/coreutils';

import { emptyChat, pairCell } from '../../document/chatfile';
import { FORMAT, type IChatInfo } from '../../document/metadata';
import {
  START_MS,
  startServer,
  type IRealServer
} from '../../runs/__tests__/realserver';
import { ApiError, TurnbookAPI } from '../../runs/api';
import type { IOpening, IRun } from '../../base/run';
import { RunClaims } from '../claims';
import { ChatEntry } from '../entry';

jest.setTimeout(60_000);

let server: IRealServer;
let api: TurnbookAPI;
let drive: Drive;

beforeAll(async () => {
  server = await startServer();
  const serverSettings = ServerConnection.makeSettings({
    baseUrl: server.baseUrl,
    token: server.token
  });
  api = new TurnbookAPI({ serverSettings });
  drive = new Drive({ serverSettings });
}, START_MS);

afterAll(() => server?.stop());

/** A file of a chat, and what a page knows of it. */
class File {
  constructor(
    public path: string,
    public info: IChatInfo
  ) {}

  readonly entry = new ChatEntry({
    api: {
      openChat: (...args) =>
        this.failure ? Promise.reject(this.failure) : api.openChat(...args)
    },
    path: () => this.path,
    write: info => {
      this.info = info;
    },
    reopen: (info, more) => {
      this.opened = this.entry.open(info, more);
      this.reopened();
    }
  });

  readonly claims = new RunClaims({
    api,
    chat: () => this.opened.then(() => this.entry.chatId)
  });

  failure: Error | null = null;
  opened: Promise<IChatInfo | null> = Promise.resolve(null);
  reopened: () => void = () => undefined;

  open(more: IOpening = {}): Promise<IChatInfo | null> {
    return (this.opened = this.entry.open(this.info, more));
  }

  async save(): Promise<void> {
    const content = emptyChat();
    content.metadata.turnbook = { ...this.info } as never;
    await drive.save(this.path, { type: 'notebook', format: 'json', content });
  }
}

async function saved(chatId = UUID.uuid4()): Promise<File> {
  const file = new File(`${UUID.uuid4()}.chat.ipynb`, {
    format: FORMAT,
    chatId
  });
  await file.save();
  return file;
}

/** A run that waits at a gate. */
async function living(chat: string): Promise<IRun> {
  const pair = UUID.uuid4();
  await server.scriptFor(pair, {
    steps: [{ delta: 'a' }, { wait: pair }, { finish: 'stop' }, { done: true }]
  });
  return api.createRun({
    id: UUID.uuid4(),
    chat,
    pair,
    cell: pairCell(pair, 'Hello?', {} as never),
    after: null,
    provider: 'scripted',
    // A model of its own, so that no other run gets a reply that was stopped before it began.
    body: JSON.stringify({ model: pair, stream: true, messages: [] })
  });
}

async function ended({ id, pair }: IRun): Promise<IRun> {
  await server.release(pair);
  for (;;) {
    const { run } = await api.getRun(id);
    if (run.end) {
      return run;
    }
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

const missing = { status: 404, code: 'no-such-run' };

it('a copy cannot stop, drop, land or retry runs of the original', async () => {
  const original = await saved();
  await original.open();
  const run = await living(original.info.chatId);
  const copy = await saved(original.info.chatId);
  const opening = copy.open();
  // Before the server has answered, the copy still says the original's id.
  const early = copy.claims.drop(run.id);
  await expect(early).rejects.toMatchObject(missing);
  await opening;
  expect(copy.info.chatId).not.toBe(original.info.chatId);
  expect(copy.info.lineage).toEqual({ copiedFrom: original.info.chatId });
  const { claims } = copy;
  await expect(claims.stop(run.id)).rejects.toMatchObject(missing);
  await expect(claims.drop(run.id)).rejects.toMatchObject(missing);
  await expect(claims.retry(run.pair, { auto: false })).rejects.toMatchObject(
    missing
  );
  const over = await ended(run);
  await expect(claims.land(run.id)).rejects.toMatchObject(missing);
  expect(over).toMatchObject({ state: 'done', landed: false, dropped: false });
  expect(over.turn.auto).toBe(true);
  expect((await original.claims.land(run.id)).landed).toBe(true);
  expect((await original.claims.drop(run.id)).dropped).toBe(true);
});

it('a file that appears where another is gone asks, and takes over on request', async () => {
  const before = await saved();
  await before.open();
  const run = await ended(await living(before.info.chatId));
  const after = await saved(before.info.chatId);
  await drive.delete(before.path);
  expect(await after.open()).toBeNull();
  expect(after.entry).toMatchObject({ chatId: null, unclaimed: 1 });
  await expect(after.claims.drop(run.id)).rejects.toMatchObject(missing);
  after.entry.claim('take');
  expect(await after.opened).toMatchObject({ chatId: run.chat });
  expect(after.entry).toMatchObject({ chatId: run.chat, unclaimed: 0 });
  expect((await after.claims.land(run.id)).landed).toBe(true);
});

it('or becomes a copy, and the replies stay where they are', async () => {
  const before = await saved();
  await before.open();
  const run = await ended(await living(before.info.chatId));
  const after = await saved(before.info.chatId);
  await drive.delete(before.path);
  await after.open();
  after.entry.claim('copy');
  expect((await after.opened)?.chatId).not.toBe(run.chat);
  expect(after.entry.unclaimed).toBe(0);
  await expect(after.claims.land(run.id)).rejects.toMatchObject(missing);
  expect((await api.getRun(run.id)).run.landed).toBe(false);
});

it('a page that sees its file move continues without asking', async () => {
  const file = await saved();
  await file.open();
  const run = await living(file.info.chatId);
  const from = file.path;
  file.path = `moved-${from}`;
  await drive.rename(from, file.path);
  await file.open({ from });
  expect(file.entry.chatId).toBe(run.chat);
  expect((await file.claims.stop(run.id)).state).toBe('stopped');
});

it('a failed registration is repeated, and until then the file has no runs', async () => {
  const file = await saved();
  const run = await living(file.info.chatId);
  file.failure = new ApiError(503, 'journal', 'The disk is full.');
  await expect(file.open()).rejects.toBe(file.failure);
  expect(file.entry.chatId).toBeNull();
  file.failure = null;
  await new Promise<void>(resolve => {
    file.reopened = resolve;
  });
  await file.opened;
  expect((await file.claims.stop(run.id)).state).toBe('stopped');
});

it('a refused registration is not repeated', async () => {
  const file = await saved();
  file.path = '../elsewhere.chat.ipynb';
  file.reopened = () => {
    throw new Error('asked again');
  };
  await expect(file.open()).rejects.toMatchObject({ code: 'bad-path' });
  jest.useFakeTimers();
  jest.runAllTimers();
  jest.useRealTimers();
  expect(file.entry.chatId).toBeNull();
});
