import { ContentsManager, Drive, ServerConnection } from '@jupyterlab/services';

import {
  progress,
  type INewRun,
  type IRun,
  type IRunEvent
} from '../../src/base/run';
import { quickReading } from '../../src/chat/chatreader';
import { Pair } from '../../src/document/pair';
import { SharedRules } from '../../src/request/autoapply';
import { TurnbookAPI } from '../../src/runs/api';
import { ModelCatalog } from '../../src/runs/catalog';
import type { LiveRun } from '../../src/runs/live';
import { TIMES, type ITimes } from '../../src/runs/times';
import { ChatFile } from '../../src/session/file';
import { OwnRuns } from '../../src/session/ownruns';
import { ChatSession } from '../../src/session/session';
import { ChatSettings } from '../../src/session/settings';
import { Context } from './context';
import { Network, type IAnswer } from './network';
import { ToldSocket } from './socket';
import { MemoryStorage } from './storage';
import { Wrong, type WrongWay } from './wrong';

/** What happens in a page, as the harness hears it. */
export type News =
  | { run: IRun }
  | { of: string; event: IRunEvent }
  | { sent: { pair: string; run: string } }
  | { posted: INewRun }
  | { complaint: string }
  | { state: IState };

/** What a page shows. */
export interface IState {
  connections: number;
  notice: string | null;
  /** The run that the pair streams, and whether all of it is here. */
  live: { run: string; ended: boolean } | null;
  /** What the document says of the pair. */
  cell: { run: string; state: string } | null;
}

/** One page with one chat: the shipped session, on a shared notebook and a socket of its own. */
export class Page {
  constructor(private readonly _options: Page.IOptions) {
    const { url, socketUrl, postUrl, token, autosave, path } = _options;
    const times = { ...TIMES, ..._options.times };
    this._net = new Network({
      url,
      postUrl,
      posted: run => this._tell({ posted: run }),
      told: run => this._told(run)
    });
    const serverSettings = ServerConnection.makeSettings({
      baseUrl: `${url}/`,
      wsUrl: `${socketUrl.replace('http', 'ws')}/`,
      token,
      appendToken: true,
      fetch: this._net.fetch
    });
    this._contents = new ContentsManager({
      defaultDrive: new Drive({ serverSettings }),
      serverSettings
    });
    this._context = new Context(path, this._contents);
    quickReading(this._contents)(this._context.asContext);
    this._wrong = _options.wrong
      ? new Wrong(_options.wrong, this._context)
      : null;
    const api = new TurnbookAPI({ serverSettings });
    this._socket = new ToldSocket({
      url: () => api.streamUrl,
      WebSocket: this._webSocket(serverSettings.WebSocket),
      source: api,
      times,
      told: run => this._told(run),
      event: (of, event) => this._event(of, event),
      complain: words => this._tell({ complaint: words }),
      sends: () => this._net.mayUseSocket,
      sending: this._net.overSocket,
      wrong: this._wrong
    });
    this._catalog = new ModelCatalog({ api });
    const context = this._context.asContext;
    const file = new ChatFile({
      context,
      contents: this._contents,
      isAutosaved: () => autosave
    });
    file.trouble.connect((_, words) => this._tell({ complaint: words }));
    const storage = new MemoryStorage();
    const requestStorage = storage.requests;
    this._session = new ChatSession({
      context,
      file,
      api,
      socket: this._socket,
      catalog: this._catalog,
      storage,
      own: new OwnRuns({ storage, take: async () => true }),
      requestStorage,
      sharedRules: new SharedRules(requestStorage),
      settings: new ChatSettings(),
      ask: async () => 'use',
      times
    });
    this._connect();
  }

  /** Read the file and learn from the server which chat it is. */
  async open(): Promise<void> {
    const { entry, ready } = this._session;
    await this._context.initialize();
    await ready;
    if (entry.unclaimed) {
      // The user is asked whether this is the chat, and it is.
      entry.claim('take');
      await this._until(() => entry.chatId !== null);
    }
    const { chat } = this._options;
    if (entry.chatId !== null && entry.chatId !== chat) {
      this._tell({ complaint: `the file is taken for another chat` });
    }
  }

  /** Write a message and send it; answers what the server said of it last, null if it was not asked. */
  async send(
    text: string,
    copies: number,
    models: string[] = []
  ): Promise<IAnswer | null> {
    const { model } = this._options;
    const { _net: net, _session: session } = this;
    if (session.model !== model) {
      session.model = model;
    }
    net.last = null;
    net.copies = copies;
    session.notice = null;
    session.draft.text = text;
    do {
      // While something else is under way, the button cannot be pressed.
      await this._until(() => session.obstacle === null);
      await session.send(models);
    } while (!net.last && !session.notice && !net.isDead);
    return net.last;
  }

  /** What the composer holds. */
  get draft(): string {
    return this._session.draft.text;
  }

  async stop(): Promise<IAnswer | null> {
    this._net.last = null;
    await this._session.stop();
    return this._net.last;
  }

  async retry(
    pair: string,
    now: boolean,
    sibling?: number
  ): Promise<IAnswer | null> {
    const { _session: session } = this;
    // While something is under way, the button is not there, but for a sibling of it.
    await this._until(() => session.busy === null || sibling !== undefined);
    this._net.last = null;
    await (now ? session.retry(pair, sibling) : session.stopAutoRetry(pair));
    return this._net.last;
  }

  /** Save what can be seen, and wait until the journal was told of it; answers whether the file has it. */
  async save(): Promise<boolean> {
    try {
      await this._context.save();
    } catch (error) {
      console.warn(`A page cannot save: ${String(error)}`);
      return false;
    }
    await new Promise(resolve => setTimeout(resolve));
    await this._until(() => this._net.landing === 0);
    return true;
  }

  /** The reply to a pair as it shows. */
  text(pair: string): string {
    const { sharedModel } = this._context.model;
    const live = this._session.live(pair);
    return live?.text ?? Pair.find(sharedModel, pair)?.reply?.text ?? '';
  }

  /** It is gone, in the middle of whatever it does and without a word. */
  kill(): void {
    this._net.isDead = true;
    this._sockets.forEach(socket => socket.terminate());
    this._session.dispose();
    this._socket.dispose();
    this._context.dispose();
    this._catalog.dispose();
    this._contents.dispose();
  }

  private _connect(): void {
    const { _session: session } = this;
    session.sent.connect((_, pair) => {
      this._pair = pair;
      this._tell({ sent: { pair, run: session.busy?.id ?? '' } });
    });
    session.pairChanged.connect((_, pair) => {
      const live = session.live(pair);
      if (live && !this._known.has(live)) {
        this._known.add(live);
        live.failed.connect((__, words) => this._tell({ complaint: words }));
      }
    });
    session.landed.connect((_, pair) => this._wrong?.landed(pair));
    for (const signal of [session.changed, session.pairChanged]) {
      (signal as ChatSession['changed']).connect(() => this._refresh());
    }
    this._context.model.contentChanged.connect(() => this._refresh());
  }

  /** Sockets that count, and that can be dropped. */
  private _webSocket(base: typeof WebSocket): typeof WebSocket {
    const { _sockets: sockets } = this;
    const opened = () => {
      this._connections++;
      this._refresh();
    };
    const Base = base as unknown as new (url: string) => INodeSocket;
    class PageSocket extends Base {
      constructor(url: string) {
        super(url);
        sockets.add(this);
        this.on('open', opened);
        // An error is followed by a close; Node wants somebody to listen.
        this.on('error', () => undefined);
        this.on('close', () => sockets.delete(this));
      }
    }
    return PageSocket as unknown as typeof WebSocket;
  }

  private async _until(holds: () => boolean): Promise<void> {
    while (!holds() && !this._net.isDead) {
      await new Promise(resolve => setTimeout(resolve, 5));
    }
  }

  private _event(of: string, event: IRunEvent): void {
    this._tell({ of, event });
    this._refresh();
  }

  private _told(run: IRun): void {
    const known = this._runs.get(run.id);
    if (known && progress(run) < progress(known)) {
      return;
    }
    this._runs.set(run.id, run);
    if (JSON.stringify(run) !== JSON.stringify(known)) {
      this._tell({ run });
    }
    this._refresh();
  }

  /** Tell what shows, when what happens now is over. */
  private _refresh(): void {
    if (!this._refreshing) {
      this._refreshing = true;
      setTimeout(() => {
        this._refreshing = false;
        if (!this._net.isDead) {
          this.tellState();
        }
      });
    }
  }

  /** Tell what shows, if that is new. */
  tellState(): void {
    const { sharedModel } = this._context.model;
    const pair = this._pair ?? this._options.pair;
    const live = this._session.live(pair);
    const info = Pair.find(sharedModel, pair)?.run ?? null;
    const state: IState = {
      connections: this._connections,
      notice: this._session.notice,
      live: live && { run: live.run.id, ended: live.hasEnded },
      cell: info && { run: info.runId, state: info.state }
    };
    const said = JSON.stringify(state);
    if (said !== this._lastState) {
      this._lastState = said;
      this._tell({ state });
    }
  }

  private _tell(news: News): void {
    if (!this._net.isDead) {
      this._options.tell(news);
    }
  }

  private readonly _catalog: ModelCatalog;
  private _connections = 0;
  private readonly _contents: ContentsManager;
  private readonly _context: Context;
  private readonly _known = new WeakSet<LiveRun>();
  private _lastState = '';
  private readonly _net: Network;
  /** The pair that it sent. */
  private _pair: string | null = null;
  private _refreshing = false;
  private readonly _runs = new Map<string, IRun>();
  private readonly _session: ChatSession;
  private readonly _socket: ToldSocket;
  private readonly _sockets = new Set<INodeSocket>();
  private readonly _wrong: Wrong | null;
}

export namespace Page {
  export interface IOptions {
    url: string;
    socketUrl: string;
    postUrl: string;
    token: string;
    path: string;
    chat: string;
    /** The pair to tell of, until it sends one. */
    pair: string;
    /** The model that messages go to, as `provider/model`. */
    model: string;
    autosave: boolean;
    times: Partial<ITimes>;
    wrong?: WrongWay;
    tell: (news: News) => void;
  }
}

/** What Node's sockets have besides those of browsers. */
interface INodeSocket {
  on(name: 'open' | 'error' | 'close', act: () => void): void;
  terminate(): void;
}
