import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { EventName } from '../../base/run';
import {
  buildKey,
  buildOf,
  isBuilt,
  ReplayEntry,
  replayKey,
  type IReplayEntry
} from './entry';
import { factsOf } from './facts';
import { beforeEdits, isEdited, originalsOf } from './originals';
import { buildSoon, differsFromLogged, withSent } from './record';
import type { IBuilt, IReplayOrigin, IReplaySource, ITurns } from './source';
import {
  FOLLOWED,
  transition,
  type ReplayEvent,
  type StaleReason
} from './state';
import type { IKept, IReplayStore } from './store';

/** How long an open replay waits for further edits before it is rebuilt. */
export const DEBOUNCE_MS = 300;

/**
 * The replays of a page: at most one for each turn.
 *
 * A build that was superseded is ignored. This does not depend on widgets.
 */
export class ReplayManager implements IDisposable {
  constructor(options: ReplayManager.IOptions = {}) {
    this._options = options;
  }

  /** Emitted with the key of a replay that changed. */
  get changed(): ISignal<this, string> {
    return this._changed;
  }

  /** The replays, optionally only those of one chat. */
  list(chatId?: string): IReplayEntry[] {
    return [...this._entries.values()].filter(
      ({ origin }) => chatId === undefined || origin.chatId === chatId
    );
  }

  /** The replay with a key; null if there is none. */
  get(key: string): IReplayEntry | null {
    return this._entries.get(key) ?? null;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /**
   * Build the replay of a turn, replacing an existing one.
   *
   * Resolves when this build, or the one that superseded it, has ended.
   */
  async replay(source: IReplaySource): Promise<IReplayEntry> {
    const entry = this._ensure(source.origin);
    entry.source = source;
    this._follow(entry);
    await this._build(entry, source);
    return entry;
  }

  /**
   * Set whether a replay is visible. A visible one is rebuilt when its request changes, and at once
   * if the request changed while it was hidden.
   */
  setOpen(key: string, isOpen: boolean): void {
    this._openKeys[isOpen ? 'add' : 'delete'](key);
    const entry = this._entries.get(key);
    if (entry) {
      this._follow(entry);
      void this._catchUp(entry);
    }
  }

  /** Whether a replay that is not open shows a request other than the current one of its turn. */
  isOutdated(key: string): boolean {
    const entry = this._entries.get(key);
    const shown = entry?.machine.current?.hash;
    if (!entry || shown === undefined || this._openKeys.has(key)) {
      return false;
    }
    const hash = this._options.turns?.hash(entry.origin) ?? null;
    return hash !== null && hash !== shown && hash !== entry.left;
  }

  /** To be called when a chat was opened, or a turn of it was sent. */
  look(chatId: string, pair?: string): void {
    for (const entry of this._entries.values()) {
      const { origin } = entry;
      if (
        origin.chatId === chatId &&
        (pair === undefined || origin.pair === pair)
      ) {
        this._learn(entry);
        void this._catchUp(entry);
      }
    }
  }

  /** Use the id of a chat that was known by its path before. */
  adopt(path: string, chatId: string): void {
    for (const entry of this._entries.values()) {
      if (entry.origin.chatId === path) {
        entry.origin = { ...entry.origin, chatId };
        this._keep(entry);
        this._changed.emit(entry.key);
      }
    }
  }

  /** The key of a turn's replay, which may have been made before the chat had an id. */
  keyOf({ chatId, pair }: { chatId: string; pair: string }): string {
    const known = this.list(chatId).find(({ origin }) => origin.pair === pair);
    return known?.key ?? replayKey({ chatId, pair });
  }

  /** Clear a replay, since it no longer shows what would be sent. */
  clear(key: string, why: StaleReason): void {
    const entry = this._entries.get(key);
    const shown = entry?.current ?? entry?.previousBuilt ?? null;
    if (entry && this._apply(entry, { type: 'cancel', why })) {
      entry.source = null;
      entry.unfollow();
      this._forget(key);
      this._emit('stale', entry, shown, { replay: key, reason: why });
      this._changed.emit(key);
    }
  }

  /** Clear all replays of a chat. */
  clearChat(chatId: string, why: StaleReason): void {
    for (const { key } of this.list(chatId)) {
      this.clear(key, why);
    }
  }

  /** Restore the previous replay. */
  restore(key: string): IReplayEntry | null {
    const entry = this._entries.get(key);
    const left = entry?.machine.current?.hash ?? null;
    if (!entry || !this._apply(entry, { type: 'restore_previous' })) {
      return null;
    }
    entry.cancelTimer();
    entry.left = left;
    this._keep(entry);
    this._emit('restore', entry, entry.current);
    this._changed.emit(key);
    return entry;
  }

  /**
   * Record that a chat was started from a replay; return whether there was anything to start from.
   *
   * @param fork - The id of the new chat.
   */
  startChatting(key: string, fork: string): boolean {
    const entry = this._entries.get(key);
    const built = entry?.current ?? null;
    if (!entry || !built || entry.machine.state === 'building') {
      return false;
    }
    this._apply(entry, { type: 'start_chatting' });
    this._emit('start-chatting', entry, built, { fork });
    this._changed.emit(key);
    return true;
  }

  /** Update the path of a replay's chat. */
  move(key: string, path: string, name: string): void {
    const entry = this._entries.get(key);
    if (entry) {
      entry.origin = { ...entry.origin, path, name };
      this._keep(entry);
      this._changed.emit(key);
    }
  }

  /** Load stored replays. */
  async recall(): Promise<void> {
    for (const kept of (await this._options.store?.all()) ?? []) {
      this.take(kept);
    }
  }

  /** Take over a replay that was stored, or built by another page, unless it is unreadable. */
  take({ key: known, origin, built }: IKept): void {
    const key = known ?? replayKey(origin);
    if (this._entries.has(key) || !isBuilt(built)) {
      return;
    }
    const entry = this._ensure(origin, key);
    const build = buildOf(built.replay);
    entry.builts.set(buildKey(build), built);
    this._apply(entry, { type: 'replay_request', build });
    this._apply(entry, { type: 'build_success', build });
    this._changed.emit(key);
    this._learn(entry);
    void this._catchUp(entry);
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    for (const entry of this._entries.values()) {
      entry.unfollow();
    }
    Signal.clearData(this);
  }

  private _ensure(
    origin: IReplayOrigin,
    key = this.keyOf(origin)
  ): ReplayEntry {
    let entry = this._entries.get(key);
    if (!entry) {
      entry = new ReplayEntry(key, origin);
      this._entries.set(key, entry);
    }
    entry.origin = origin;
    return entry;
  }

  /** Add to a replay what its turn was sent with. */
  private _learn(entry: ReplayEntry): void {
    const sent = this._options.turns?.sent(entry.origin);
    let isNew = false;
    for (const [key, built] of sent ? entry.builts : []) {
      const replay = withSent(built.replay, sent!);
      if (replay !== built.replay) {
        entry.builts.set(key, { ...built, replay });
        isNew = true;
      }
    }
    if (isNew) {
      this._keep(entry);
      this._tellMismatch(entry);
      this._changed.emit(entry.key);
    }
  }

  /**
   * Let an open replay follow the current request: another page, or a send, may have changed it.
   */
  private async _catchUp(entry: ReplayEntry): Promise<void> {
    const { turns } = this._options;
    const { state } = entry.machine;
    if (!turns || !this._openKeys.has(entry.key) || !FOLLOWED.has(state)) {
      return;
    }
    let source: IReplaySource | null = null;
    try {
      source = await turns.source(entry.origin);
    } catch (error) {
      console.warn('Turnbook: a replay cannot follow its request', error);
    }
    if (
      source &&
      !this._isDisposed &&
      this._openKeys.has(entry.key) &&
      FOLLOWED.has(entry.machine.state)
    ) {
      entry.source = source;
      this._follow(entry);
      await this._build(entry, source, true);
    }
  }

  /** Rebuild an open replay when its request changes; any other stays as it is. */
  private _follow(entry: ReplayEntry): void {
    entry.unfollow();
    const { key, source } = entry;
    if (!source || !this._openKeys.has(key)) {
      return;
    }
    const onChanged = () => {
      entry.cancelTimer();
      entry.cancelTimer = this._later(() => {
        void this._build(entry, source, true);
      });
    };
    const watched = source.watch();
    source.changed.connect(onChanged);
    entry.unfollow = () => {
      entry.unfollow = () => undefined;
      source.changed.disconnect(onChanged);
      watched.dispose();
      entry.cancelTimer();
    };
  }

  /** Build from the current request; with `ifChanged`, only if its hash differs. */
  private async _build(
    entry: ReplayEntry,
    source: IReplaySource,
    ifChanged = false
  ): Promise<void> {
    entry.cancelTimer();
    const { build = buildSoon, now = Date.now, count = chars } = this._options;
    const request = source.request();
    const { current, awaited } = entry.machine;
    if (!ifChanged || request.hash !== entry.left) {
      entry.left = null;
    }
    const isShown = (awaited ?? current)?.hash === request.hash;
    const isRefused = entry.refused === request.hash;
    if (ifChanged && (isShown || isRefused || entry.left !== null)) {
      return;
    }
    entry.refused = null;
    const facts = { ...source.version(), at: now(), count };
    const awaits = { version: facts.version, hash: request.hash };
    const known =
      entry.machine.state !== 'idle' && entry.machine.state !== 'stale';
    this._apply(entry, {
      type: known ? 'replay_replace' : 'replay_request',
      build: awaits
    });
    this._changed.emit(entry.key);
    try {
      const replay = await build(request, facts);
      entry.builts.set(buildKey(awaits), {
        replay,
        originals: originalsOf(request),
        before: isEdited(request) ? beforeEdits(request) : null
      });
      if (this._apply(entry, { type: 'build_success', build: awaits })) {
        entry.problem = null;
        this._onBuilt(entry);
      }
    } catch (error) {
      if (this._apply(entry, { type: 'build_fail', build: awaits })) {
        entry.problem = error as Error;
        entry.refused = request.hash;
      }
    }
    entry.prune();
    if (!this._isDisposed) {
      this._changed.emit(entry.key);
    }
  }

  private _onBuilt(entry: ReplayEntry): void {
    this._keep(entry);
    this._emit('replay', entry, entry.current);
    this._tellMismatch(entry);
  }

  private _tellMismatch(entry: ReplayEntry): void {
    const built = entry.current;
    const record = built?.replay.record;
    if (record && differsFromLogged(record)) {
      this._emit('parity-mismatch', entry, built, {
        otherHash: record.loggedHash,
        run: record.requestId,
        where: 'replay'
      });
    }
  }

  private _apply(entry: ReplayEntry, event: ReplayEvent): boolean {
    const next = transition(entry.machine, event);
    const moved = next !== entry.machine;
    entry.machine = next;
    return moved;
  }

  private _keep({ key, origin, current }: ReplayEntry): void {
    if (current) {
      this._options.store?.put(key, { key, origin, built: current });
    }
  }

  private _forget(key: string): void {
    this._options.store?.remove(key);
  }

  private _emit(
    name: EventName,
    entry: ReplayEntry,
    built: IBuilt | null,
    more: Record<string, unknown> = {}
  ): void {
    this._options.emit?.(name, { ...factsOf(name, entry, built), ...more });
  }

  private _later(task: () => void): () => void {
    const { schedule = timer } = this._options;
    return schedule(task, DEBOUNCE_MS);
  }

  private _changed = new Signal<this, string>(this);
  private _entries = new Map<string, ReplayEntry>();
  private _isDisposed = false;
  /** The replays that are visible. */
  private _openKeys = new Set<string>();
  private _options: ReplayManager.IOptions;
}

/**
 * The namespace for `ReplayManager` statics.
 */
export namespace ReplayManager {
  export interface IOptions {
    /** Stores replays across a reload. */
    store?: IReplayStore;
    /** Reports events to the server. */
    emit?: (name: EventName, data: Record<string, unknown>) => void;
    /** The turns that replays are made from. */
    turns?: ITurns;
    /** Estimates the tokens of a text. */
    count?: (text: string) => number;
    /** The clock, for tests. */
    now?: () => number;
    schedule?: (task: () => void, ms: number) => () => void;
    /** The builder, for tests. */
    build?: typeof buildSoon;
  }
}

function chars(text: string): number {
  return text.length / 4;
}

function timer(task: () => void, ms: number): () => void {
  const id = setTimeout(task, ms);
  return () => clearTimeout(id);
}
