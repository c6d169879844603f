/**
 * Chats in tabs of browsers, without their widgets: JupyterLab's own document context, our session,
 * and a real server behind them.
 */
import { createRequire } from 'module';
import { ReadableStream, TextDecoderStream, TransformStream } from 'stream/web';
import { TextDecoder, TextEncoder } from 'util';

import { Context } from '@jupyterlab/docregistry';
import {
  NotebookModelFactory,
  type INotebookModel
} from '@jupyterlab/notebook';
import {
  ContentsManager,
  Drive,
  KernelManager,
  ServerConnection,
  SessionManager,
  type ServiceManager
} from '@jupyterlab/services';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { PromiseDelegate, UUID } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import { MemoryStorage } from '../../../faults/client/storage';
import type { INewRun, IRun } from '../../base/run';
import { emptyChat } from '../../document/chatfile';
import { findPair } from '../../document/landing';
import { FORMAT, KEYS, readRunInfo } from '../../document/metadata';
import { readReply } from '../../document/reply';
import { ModelCatalog } from '../../runs/catalog';
import { SharedRules } from '../../request/autoapply';
import { TurnbookAPI } from '../../runs/api';
import { RunSocket } from '../../runs/socket';
import { TIMES } from '../../runs/times';
import type { IRealServer } from '../../runs/__tests__/realserver';
import { ChatFile } from '../file';
import { OwnRuns } from '../ownruns';
import { ChatSession } from '../session';
import {
  ChatSettings,
  DEFAULT_SETTINGS,
  type IChatSettings
} from '../settings';

const { WebSocket: Socket } = createRequire(__filename)('ws') as {
  WebSocket: typeof WebSocket;
};

/** As in a browser, a connection that fails harms nobody who does not listen. */
export class NodeWebSocket extends Socket {
  constructor(...args: ConstructorParameters<typeof WebSocket>) {
    super(...args);
    this.addEventListener('error', () => undefined);
  }
}

// What every browser has and the simulated one lacks.
for (const [name, value] of Object.entries({
  ReadableStream,
  TextDecoder,
  TextDecoderStream,
  TextEncoder,
  TransformStream
})) {
  if (!(name in globalThis)) {
    Object.defineProperty(globalThis, name, { value });
  }
}

// Yjs warns of every cell that JupyterLab makes before it is in a document.
const { warn } = console;
console.warn = (...args: unknown[]) => {
  if (!/Invalid access: Add Yjs type|yjs#509/.test(String(args[0]))) {
    warn(...args);
  }
};

/** A chat has no kernel. */
const kernelManager = new KernelManager.NoopManager();
export const NO_KERNELS = {
  kernels: kernelManager,
  kernelspecs: { specs: null, specsChanged: new Signal({}) },
  sessions: new SessionManager.NoopManager({ kernelManager })
};

/** What all tabs of a browser share. */
export class Browser {
  readonly storage = new MemoryStorage();
  /** The page that has a tab's id, as long as it is there. */
  readonly tabs = new Map<string, Tab>();
  readonly requestStorage = this.storage.requests;
}

/** Settings that a test can change. */
class TestSettings extends ChatSettings {
  constructor() {
    super();
    const settings = {
      composite: this._composite,
      changed: { connect: (told: () => void) => this._told.push(told) }
    } as unknown as ISettingRegistry.ISettings;
    this.load(Promise.resolve(settings));
  }

  set(values: Partial<IChatSettings>): void {
    Object.assign(this._composite, values);
    this._told.forEach(tell => tell());
  }

  private readonly _composite: IChatSettings = { ...DEFAULT_SETTINGS };
  private readonly _told: (() => void)[] = [];
}

/** A request of a tab that is kept from going on. */
export interface IGate {
  /** Resolves when a request has come to the gate. */
  readonly reached: Promise<Request>;
  open(): void;
  /** Let it fail as if the network were gone. */
  fail(): void;
}

/** The tab's way to the server, which can be closed at some requests. */
class Network {
  /** Whether the tab is gone: nothing leaves it and nothing comes. */
  isDead = false;
  /** Requests that fail. */
  broken: RegExp | null = null;
  readonly made: string[] = [];

  /** Stop the next request of this kind before it leaves, or its answer before it arrives. */
  stop(kind: RegExp, at: 'request' | 'answer' = 'request'): IGate {
    const reached = new PromiseDelegate<Request>();
    const opened = new PromiseDelegate<void>();
    opened.promise.catch(() => undefined);
    this._gates.push({ kind, at, reached, opened });
    return {
      reached: reached.promise,
      open: () => opened.resolve(),
      fail: () => opened.reject(new TypeError('Failed to fetch'))
    };
  }

  /** Whether the next request of this name is stopped or fails. */
  concerns(name: string): boolean {
    const isStopped = this._gates.some(({ kind }) => kind.test(name));
    return isStopped || this.broken?.test(name) === true;
  }

  readonly fetch = async (
    input: RequestInfo,
    init?: RequestInit
  ): Promise<Response> => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    const name = `${request.method} ${decodeURIComponent(pathname)}`;
    this.made.push(name);
    if (this.isDead) {
      return new Promise(() => undefined);
    }
    if (this.broken?.test(name)) {
      throw new TypeError('Failed to fetch');
    }
    const index = this._gates.findIndex(({ kind }) => kind.test(name));
    const gate = index === -1 ? null : this._gates.splice(index, 1)[0];
    const copy = request.clone();
    if (gate?.at === 'request') {
      gate.reached.resolve(copy);
      await gate.opened.promise;
    }
    const response = await readWhole(request);
    if (gate?.at === 'answer') {
      gate.reached.resolve(copy);
      await gate.opened.promise;
    }
    return this.isDead ? new Promise(() => undefined) : response;
  };

  private _gates: {
    kind: RegExp;
    at: 'request' | 'answer';
    reached: PromiseDelegate<Request>;
    opened: PromiseDelegate<void>;
  }[] = [];
}

/** Jupyter writes files in place: who reads one meanwhile finds it empty, and these tests open no half files. */
async function readWhole(request: Request): Promise<Response> {
  for (;;) {
    const response = await fetch(request.clone());
    const isHalf =
      request.method === 'GET' &&
      response.status === 400 &&
      (await response.clone().text()).includes('Unreadable Notebook');
    if (!isHalf) {
      return response;
    }
  }
}

export const POST_RUN = /^POST \/turnbook\/api\/runs$/;

/** What a test does to the request for a run would not reach one that goes over the socket. */
class TestSocket extends RunSocket {
  constructor(
    private readonly _net: Network,
    options: RunSocket.IOptions
  ) {
    super(options);
  }

  override send(run: INewRun): Promise<IRun> | null {
    const name = 'POST /turnbook/api/runs';
    const asked = this._net.concerns(name) ? null : super.send(run);
    if (asked) {
      this._net.made.push(name);
    }
    return asked;
  }
}

/** One tab with one chat open in it. */
export class Tab {
  static async open(options: Tab.IOptions): Promise<Tab> {
    const tab = new Tab(options);
    await tab.catalog.refresh();
    void tab.context.initialize(false);
    await tab.session.ready;
    if (tab.session.info) {
      await until(() => tab.session.journalRead);
    }
    return tab;
  }

  private constructor(readonly options: Tab.IOptions) {
    const { server, path, browser = new Browser() } = options;
    this.browser = browser;
    this.tabStorage = options.tabStorage ?? new MemoryStorage();
    this.autosave = options.autosave ?? true;
    this.net.broken = options.broken ?? null;
    const serverSettings = ServerConnection.makeSettings({
      baseUrl: server.baseUrl,
      wsUrl: server.baseUrl.replace('http', 'ws'),
      token: server.token,
      appendToken: true,
      fetch: this.net.fetch as typeof fetch
    });
    this.contents = new ContentsManager({
      defaultDrive: new Drive({ serverSettings }),
      serverSettings
    });
    this.api = new TurnbookAPI({ serverSettings });
    this.socket = new TestSocket(this.net, {
      url: () => this.api.streamUrl,
      WebSocket: options.WebSocket ?? NodeWebSocket
    });
    this.catalog = new ModelCatalog({ api: this.api });
    this.context = new Context<INotebookModel>({
      manager: {
        ...NO_KERNELS,
        contents: this.contents,
        ready: Promise.resolve()
      } as unknown as ServiceManager.IManager,
      factory: new NotebookModelFactory(),
      path
    });
    this.file = new ChatFile({
      context: this.context,
      contents: this.contents,
      isAutosaved: () => this.autosave
    });
    this.settings.set(options.settings ?? {});
    this.session = new ChatSession({
      context: this.context,
      file: this.file,
      api: this.api,
      socket: this.socket,
      catalog: this.catalog,
      storage: browser.storage,
      own: new OwnRuns({
        storage: this.tabStorage,
        take: async id => {
          const holder = browser.tabs.get(id);
          browser.tabs.set(id, holder ?? this);
          return holder === undefined;
        }
      }),
      requestStorage: browser.requestStorage,
      sharedRules: new SharedRules(browser.requestStorage),
      settings: this.settings,
      ask: options.ask ?? (async () => 'use'),
      confirm: options.confirm,
      confirmMissing: options.confirmMissing
    });
    open.add(this);
  }

  readonly api: TurnbookAPI;
  autosave: boolean;
  readonly browser: Browser;
  readonly catalog: ModelCatalog;
  readonly contents: ContentsManager;
  readonly context: Context<INotebookModel>;
  readonly file: ChatFile;
  readonly net = new Network();
  readonly session: ChatSession;
  readonly settings = new TestSettings();
  readonly socket: RunSocket;
  readonly tabStorage: MemoryStorage;

  get notebook() {
    return this.context.model.sharedModel;
  }

  get chatId(): string {
    return this.session.info!.chatId;
  }

  /** The ids of the pairs in the document. */
  get pairs(): string[] {
    return this.notebook.cells
      .filter(cell => cell.getMetadata(KEYS.run) !== undefined)
      .map(cell => cell.getId());
  }

  /** What the document says of a pair. */
  info(pair: string) {
    return readRunInfo(findPair(this.notebook, pair)?.getMetadata(KEYS.run));
  }

  /** The reply that the document has. */
  reply(pair: string): string | null {
    return (
      readReply(findPair(this.notebook, pair)?.getOutputs() ?? [])?.text ?? null
    );
  }

  /** The reply that the file has. */
  async saved(pair: string): Promise<string | null> {
    const cells = await savedCells(this.options.server, this.options.path);
    return (
      readReply(cells.find(({ id }) => id === pair)?.outputs ?? [])?.text ??
      null
    );
  }

  /** Queue what the provider does with this chat's next requests. */
  script(...scripts: unknown[]): Promise<void> {
    const [, model] = this.session.model.split('/');
    return this.options.server.scriptFor(model, ...scripts);
  }

  /** Write a message and send it; answers its pair, when the request has an answer or is at a gate. */
  write(text: string): { pair: string; done: Promise<void> } {
    this.session.draft.text = text;
    return { pair: this.session.draft.pair, done: this.session.send() };
  }

  /** Send a message and wait until its reply has landed. */
  async ask(text: string): Promise<string> {
    const { pair, done } = this.write(text);
    await done;
    await this.settled(pair);
    return pair;
  }

  /** Wait until nothing of a pair is under way. */
  settled(pair: string): Promise<void> {
    return until(
      () =>
        !this.session.busy &&
        !this.session.live(pair) &&
        !['sending', 'awaiting'].includes(this.info(pair)?.state ?? '')
    );
  }

  /** Wait until this much of a reply is on the screen. */
  shows(pair: string, text: string): Promise<void> {
    return until(() => this.session.live(pair)?.text === text);
  }

  /** The tab is gone in the middle of whatever it does. */
  kill(): void {
    this.net.isDead = true;
    this.close();
  }

  close(): void {
    if (open.delete(this)) {
      for (const [id, tab] of this.browser.tabs) {
        if (tab === this) {
          this.browser.tabs.delete(id);
        }
      }
      this.session.dispose();
      this.socket.dispose();
      this.context.dispose();
      this.catalog.dispose();
      this.contents.dispose();
    }
  }

  /** The same tab after a reload of the page. */
  async reload(options: Partial<Tab.IOptions> = {}): Promise<Tab> {
    this.kill();
    const { browser, tabStorage } = this;
    return Tab.open({ ...this.options, browser, tabStorage, ...options });
  }

  /** A copy of this tab, with what the browser keeps for it. */
  duplicate(options: Partial<Tab.IOptions> = {}): Promise<Tab> {
    const tabStorage = new MemoryStorage();
    this.tabStorage.items.forEach((value, key) =>
      tabStorage.setItem(key, value)
    );
    return this.another({ tabStorage, ...options });
  }

  /** Another tab of the same browser. */
  another(options: Partial<Tab.IOptions> = {}): Promise<Tab> {
    return Tab.open({
      ...this.options,
      browser: this.browser,
      tabStorage: new MemoryStorage(),
      ...options
    });
  }
}

export namespace Tab {
  export interface IOptions {
    /** Requests that fail from the beginning. */
    broken?: RegExp;
    server: IRealServer;
    path: string;
    browser?: Browser;
    tabStorage?: MemoryStorage;
    settings?: Partial<IChatSettings>;
    WebSocket?: typeof WebSocket;
    /** Whether JupyterLab saves by itself. */
    autosave?: boolean;
    /** What the user says to a request that is over the budget. */
    confirm?: ChatSession.IOptions['confirm'];
    /** What the user says to a request without files that are missing. */
    confirmMissing?: ChatSession.IOptions['confirmMissing'];
    /** What the user says to a file from elsewhere; lets it have all unless told. */
    ask?: ChatSession.IOptions['ask'];
  }
}

const open = new Set<Tab>();

/** How many tests have ended. */
let tests = 0;

/** Close what a test left open. */
export function closeTabs(): void {
  tests++;
  [...open].forEach(tab => tab.kill());
}

/** A new chat's file, with an id and no pairs. */
export async function newChat(server: IRealServer): Promise<string> {
  const path = `${UUID.uuid4()}.chat.ipynb`;
  const content = emptyChat() as any;
  content.metadata[KEYS.notebook] = {
    format: FORMAT,
    chatId: UUID.uuid4(),
    // A model of its own, so that nobody else gets the replies that are meant for this chat.
    model: `scripted/${UUID.uuid4()}`
  };
  await writeFile(server, path, content);
  return path;
}

/** Write a file as another program would. */
export async function writeFile(
  server: IRealServer,
  path: string,
  content: unknown
): Promise<void> {
  const response = await fetch(contentsUrl(server, path), {
    method: 'PUT',
    body: JSON.stringify({ type: 'notebook', format: 'json', content })
  });
  if (!response.ok) {
    throw new Error(`${path} was not written: ${response.status}`);
  }
}

/** Have somebody read a notebook during each of its next writes. */
export async function readWhileWritten(
  server: IRealServer,
  path: string,
  times: number
): Promise<void> {
  const response = await fetch(contentsUrl(server, `${path}.reads`), {
    method: 'PUT',
    body: JSON.stringify({
      type: 'file',
      format: 'text',
      content: String(times)
    })
  });
  if (!response.ok) {
    throw new Error(`Nobody reads ${path}: ${response.status}`);
  }
}

/** The cells that are in a file. */
export async function savedCells(
  server: IRealServer,
  path: string
): Promise<any[]> {
  return (await savedNotebook(server, path)).cells;
}

/** The notebook that is in a file, which may be written meanwhile. */
export async function savedNotebook(
  server: IRealServer,
  path: string
): Promise<any> {
  // As a notebook the server would take one that is being written for a damaged one, and put the
  // older version back in its place.
  const asText = `${contentsUrl(server, path)}&type=file&format=text`;
  let notebook: any;
  await until(async () => {
    const { content } = await (await fetch(asText)).json();
    try {
      notebook = JSON.parse(content);
    } catch (error) {
      // It is being written.
      return !(error instanceof SyntaxError);
    }
    return true;
  });
  return notebook;
}

function contentsUrl(server: IRealServer, path: string): string {
  return `${server.baseUrl}api/contents/${path}?token=${server.token}`;
}

/** Wait until something holds; the test's time-out says when it never does. */
export async function until(
  holds: () => boolean | Promise<boolean>
): Promise<void> {
  const test = tests;
  while (!(await holds())) {
    if (test !== tests) {
      throw new Error('The test has ended');
    }
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}

/** How long a tab waits for the one that sent a message to save its reply. */
export const GRACE = [TIMES.grace, TIMES.grace + TIMES.graceSpread] as const;

/** Catch the timers of a length, to let them come when the test wants. */
export function catchTimers(from: number, to: number): (() => void)[] {
  const caught: (() => void)[] = [];
  const { setTimeout: real } = globalThis;
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((
    act: () => void,
    ms = 0
  ) => {
    if (ms >= from && ms <= to) {
      caught.push(act);
      return 0;
    }
    return real(act, ms);
  }) as typeof setTimeout);
  return caught;
}
