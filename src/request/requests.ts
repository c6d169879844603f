import type { IDisposable } from '@lumino/disposable';
import { DisposableDelegate } from '@lumino/disposable';
import type { PartialJSONObject } from '@lumino/coreutils';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import type { IContext } from '../context/gather';
import { readFrame } from './chatframe';
import { RequestDraft } from './draft';
import { DraftKeeper } from './keeper';
import type { IEditCounts, IMember, IRequestBase } from './model';
import { Parity, type IRunHash } from './parity';
import { pastBase, saidBase, type ISentPair } from './past';
import { splitModel } from './render';
import type { IRule } from './rules';
import { baseFromContext } from './sections';
import type { IRequestStorage } from '../base/storage';
import { retrace } from './trace';

/** The message being written. */
export const LIVE = 'live';

/** How long after the last change, in milliseconds, a watched request is rebuilt. */
const REFRESH_MS = 30;

/**
 * The requests of one chat: the one being written, and those of sent pairs.
 *
 * The request being written is only built while it is watched or edited, and when it is sent;
 * otherwise a key press in the composer costs nothing here. Its edits belong to one send and end
 * with it.
 */
export class ChatRequests implements IDisposable {
  constructor(options: ChatRequests.IOptions) {
    this._host = options.host;
    this._getRequest = options.getRequest;
    this._keeper = new DraftKeeper(options.storage);
    this.parity = new Parity();
    this.parity.changed.connect(this._emit, this);
  }

  /** For each pair, whether the bytes that were sent are those that the browser made. */
  readonly parity: Parity;

  /** Emitted when the request being written or the selected one may have changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The selected request: `live`, or a pair's id. */
  get target(): string {
    return this._target;
  }
  set target(target: string) {
    if (target === this._target) {
      return;
    }
    this._target = target;
    this._emit();
  }

  /** The selected request; null while it is being read. */
  get current(): RequestDraft | null {
    return this._target === LIVE
      ? this.live
      : (this._past.get(this._target)?.draft ?? null);
  }

  /** The current request of the message being written. */
  get live(): RequestDraft {
    if (!this._live) {
      this._live = this._make(this._liveBase());
      this._live.changed.connect(this._onLiveChanged, this);
    } else if (this._isStale) {
      this._live.base = this._liveBase();
    }
    this._isStale = false;
    return this._live;
  }

  /**
   * How much of the request being written is edited; null if nothing is.
   *
   * It may briefly lag behind a key press; `changed` is emitted when it is up to date.
   */
  get edits(): IEditCounts | null {
    return this._isWanted && this._live?.isEdited ? this._live.counts : null;
  }

  /** The rules of Auto-apply that are in force. */
  get autoApply(): readonly IRule[] {
    return this._rules;
  }
  set autoApply(rules: readonly IRule[]) {
    this._rules = rules;
    if (this._live) {
      this._live.autoApply = rules;
    }
    this._schedule();
    this._emit();
  }

  /** Keep the request being written up to date until the result is disposed. */
  watch(): IDisposable {
    this._watchers += 1;
    this._schedule();
    return new DisposableDelegate(() => {
      this._watchers -= 1;
    });
  }

  /** To be called when text, model, filter or document changed. */
  refresh(): void {
    this._isStale = true;
    this._schedule();
  }

  /** Store unsent edits under this name: the chat's id, or its path before it has one. */
  async open(name: string): Promise<void> {
    const state = await this._keeper.open(
      name,
      () => this._host.message().pair
    );
    if (this._isDisposed) {
      return;
    }
    if (this._live?.hasEdits) {
      this._keeper.keep(this._live);
    } else if (state) {
      this._live?.dispose();
      this._live = this._make(this._liveBase(), { state });
      this._live.changed.connect(this._onLiveChanged, this);
      this._isStale = false;
      this._emit();
    }
  }

  /** Store unsent edits now; resolves when they would survive a reload. */
  async flush(): Promise<void> {
    if (this._live) {
      this._keeper.keep(this._live);
    }
    await this._keeper.flush();
  }

  /** The request of `live` or of a sent pair, with its exact bytes if they are still stored. */
  async draftOf(target: string): Promise<RequestDraft> {
    if (target === LIVE) {
      return this.live;
    }
    const pair = this._host.sentPair(target);
    if (!pair) {
      throw new Error(
        trans.__('This pair is not in the chat, or it was never sent.')
      );
    }
    const known = this._past.get(target);
    if (known?.runId === pair.info.runId) {
      return known.draft;
    }
    const base = await pastBase(
      this._host.chatId(),
      pair,
      this._getRequest,
      this._host.debugName(target)
    );
    const other = this._past.get(target);
    if (other?.runId === pair.info.runId) {
      return other.draft;
    }
    const draft = this._pastDraft(pair, base);
    draft.changed.connect(this._emit, this);
    this._past.set(target, { runId: pair.info.runId, draft });
    this._emit();
    return draft;
  }

  /**
   * The request of a pair that is sent again with another text.
   *
   * `state` holds stored edits of it.
   */
  resend(pair: string, text: string, state?: Uint8Array): RequestDraft {
    return this._again(pair, this._base(pair, text, pair), state);
  }

  /**
   * The request of a turn that continues with tool results.
   *
   * @param context - What is sent; the last message is the pair's own.
   * @param frame - The turn's last request without its messages; null if unknown.
   * @param state - Stored edits of it.
   */
  goOn(
    pair: string,
    context: IContext & { trimmed: number },
    frame: PartialJSONObject | null,
    state?: Uint8Array
  ): RequestDraft {
    const chatId = this._host.chatId();
    const { provider, model } = splitModel(this._host.model());
    const debugName = this._host.debugName(pair);
    const about = { chatId, pair, provider, model, debugName };
    const base = frame
      ? { ...baseFromContext(context, about), frame: { ...frame, model } }
      : baseFromContext(context, { ...about, members: this._members(model) });
    return this._again(pair, base, state);
  }

  /**
   * A request whose bytes are sent unchanged: no rule changes it, but the user may.
   *
   * `state` holds stored edits of it.
   */
  exact(base: IRequestBase, state?: Uint8Array): RequestDraft {
    return this._again(base.pair, base, state, []);
  }

  /** Drop a request that was to be sent again. */
  cancelResend(pair: string): void {
    this._resends.get(pair)?.dispose();
    this._resends.delete(pair);
    this._emit();
  }

  /**
   * End the edits of a request that is being sent; they remain as versions of its pair.
   *
   * Returns a function that restores them in case nothing was sent.
   */
  leave(pair: string, draft: RequestDraft): () => void {
    draft.takeVersion('send');
    const before = this._sent.get(pair);
    const isLive = draft === this._live;
    this._sent.set(pair, draft);
    this._resends.delete(pair);
    if (isLive) {
      this._live = null;
      draft.changed.disconnect(this._onLiveChanged, this);
      void this._keeper.clear();
    }
    this._emit();
    return () => {
      if (before) {
        this._sent.set(pair, before);
      } else {
        this._sent.delete(pair);
      }
      if (isLive && !this._live?.hasEdits) {
        this._live = draft;
        draft.changed.connect(this._onLiveChanged, this);
        this._keeper.keep(draft);
        this.refresh();
      } else if (!isLive) {
        this._resends.set(pair, draft);
      }
      this._emit();
    };
  }

  /** The body that this browser made for a pair; null if another page sent it. */
  madeBody(pair: string): string | null {
    const versions = this._sent.get(pair)?.versions ?? [];
    return (
      versions.filter(({ why }) => why.includes('send')).pop()?.body ?? null
    );
  }

  /** Compare the server's hash of a run with the one made here. */
  heard(run: IRunHash, made: string): void {
    this.parity.compare(run, made);
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    clearTimeout(this._timer);
    void this._keeper.flush();
    const drafts = [
      this._live,
      ...[...this._past.values()].map(({ draft }) => draft),
      ...this._sent.values(),
      ...this._resends.values()
    ];
    for (const draft of drafts) {
      draft?.dispose();
    }
    this.parity.dispose();
    Signal.clearData(this);
  }

  /** Whether the request being written must be kept up to date before it is sent. */
  private get _isWanted(): boolean {
    return (
      this._watchers > 0 ||
      this._rules.length > 0 ||
      this._live?.hasEdits === true
    );
  }

  /** A draft of what was sent; if its edits are still known, as edits of what the cells said. */
  private _pastDraft(pair: ISentPair, base: IRequestBase): RequestDraft {
    const sent = this._sent.get(pair.id);
    if (base.edited && base.raw) {
      const said =
        sent && sent.request.body === base.raw.body
          ? sent.base
          : saidBase(base.chatId, pair, base.debugName);
      const draft = retrace(said, base, sent);
      if (draft) {
        return draft;
      }
    }
    return new RequestDraft({ base, before: sent });
  }

  private _again(
    pair: string,
    base: IRequestBase,
    state?: Uint8Array,
    autoApply = this._rules
  ): RequestDraft {
    const known = this._resends.get(pair);
    if (known) {
      known.base = base;
      return known;
    }
    const before = this._sent.get(pair);
    const draft = this._make(base, { before, state, autoApply });
    draft.changed.connect(this._emit, this);
    this._resends.set(pair, draft);
    return draft;
  }

  private _make(
    base: IRequestBase,
    more: Partial<RequestDraft.IOptions> = {}
  ): RequestDraft {
    return new RequestDraft({ base, autoApply: this._rules, ...more });
  }

  private _liveBase(): IRequestBase {
    const { pair, text } = this._host.message();
    return this._base(pair, text);
  }

  private _base(pair: string, text: string, before?: string): IRequestBase {
    const chatId = this._host.chatId();
    const { provider, model } = splitModel(this._host.model());
    const context = this._host.gather(text, before);
    return baseFromContext(context, {
      chatId,
      pair,
      provider,
      model,
      members: this._members(model),
      cell: before ?? null,
      debugName: this._host.debugName(pair)
    });
  }

  private _members(model: string): readonly IMember[] | null {
    return readFrame(this._host.entry?.(), model);
  }

  private _schedule(): void {
    if (!this._isWanted || this._timer !== undefined) {
      return;
    }
    this._timer = setTimeout(() => {
      this._timer = undefined;
      if (this._isDisposed || !this._isStale) {
        return;
      }
      const isFirst = this._live === null;
      void this.live;
      if (isFirst) {
        this._emit();
      }
    }, REFRESH_MS);
  }

  private _onLiveChanged(draft: RequestDraft): void {
    this._keeper.keep(draft);
    this._emit();
  }

  private _emit(): void {
    if (!this._isDisposed) {
      this._changed.emit();
    }
  }

  private _changed = new Signal<this, void>(this);
  private _getRequest: (runId: string) => Promise<Uint8Array | null>;
  private _host: ChatRequests.IHost;
  private _isDisposed = false;
  private _isStale = true;
  private _keeper: DraftKeeper;
  private _live: RequestDraft | null = null;
  private _past = new Map<string, { runId: string; draft: RequestDraft }>();
  private _resends = new Map<string, RequestDraft>();
  private _rules: readonly IRule[] = [];
  /** The drafts from which this page sent pairs; they keep the versions. */
  private _sent = new Map<string, RequestDraft>();
  private _target = LIVE;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _watchers = 0;
}

/**
 * The namespace for `ChatRequests` statics.
 */
export namespace ChatRequests {
  /** The state of the chat that requests are made from. */
  export interface IHost {
    /** The chat's id; empty while it has none. */
    chatId(): string;
    /** The model as `provider/model`. */
    model(): string;
    /** The notebook's `turnbook` metadata, which may contain the chat's own options. */
    entry?(): unknown;
    /** The message being written, and the id of the cell that it becomes. */
    message(): { readonly pair: string; readonly text: string };
    /** The context of a message; with `before`, from the cells above that one. */
    gather(text: string, before?: string): IContext & { trimmed: number };
    /** The name of a pair's request; the pair may not exist yet. */
    debugName(pair: string): string;
    /** A sent pair; null if there is none with that id. */
    sentPair(id: string): ISentPair | null;
  }

  export interface IOptions {
    host: IHost;
    /** The bytes of a run from the journal; null if it no longer has them. */
    getRequest: (runId: string) => Promise<Uint8Array | null>;
    storage: IRequestStorage;
  }
}
