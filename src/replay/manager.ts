import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { isObject } from '../document/json';
import { beforeEdits, isEdited, originalsOf } from './originals';
import {
  buildReplay,
  differsFromLogged,
  type IBuildFacts,
  type IReplay
} from './record';
import type { IBuilt, IReplayOrigin, IReplaySource } from './source';
import {
  canRestore,
  NO_REPLAY,
  transition,
  type IBuild,
  type IReplayMachine,
  type ReplayEvent,
  type StaleReason
} from './state';
import type { IReplayStore } from './store';

/** How long an open replay waits for the next edit before it is built anew. */
export const DEBOUNCE_MS = 300;

/** The replay of one turn. */
export interface IReplayEntry {
  readonly key: string;
  readonly origin: IReplayOrigin;
  readonly machine: IReplayMachine;
  /** What is shown; null where there is nothing to show. */
  readonly current: IBuilt | null;
  /** Why the last build failed; null if it did not. */
  readonly problem: Error | null;
  readonly canRestore: boolean;
}

/**
 * The replays of a page: at most one for each turn.
 *
 * A build counts only if nobody asked for another one meanwhile. Nothing here knows of widgets.
 */
export class ReplayManager implements IDisposable {
  constructor(options: ReplayManager.IOptions = {}) {
    this._options = options;
  }

  /** Emitted with the key of a replay that is another one now. */
  get changed(): ISignal<this, string> {
    return this._changed;
  }

  /** The replays, those of one chat if one is named. */
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
   * Build the replay of a turn, in the place of the one that it may have.
   *
   * Resolves when this build, or the one that replaced it, has ended.
   */
  async replay(source: IReplaySource): Promise<IReplayEntry> {
    const entry = this._ensure(source.origin);
    this._follow(entry, source);
    await this._build(entry, source);
    return entry;
  }

  /** Say whether a replay can be seen; only one that can be is built anew when its request changes. */
  setOpen(key: string, isOpen: boolean): void {
    const entry = this._entries.get(key);
    if (entry) {
      entry.isOpen = isOpen;
    }
  }

  /** Clear a replay: what it shows is no longer what would be sent. */
  clear(key: string, why: StaleReason): void {
    const entry = this._entries.get(key);
    const shown = entry?.current ?? entry?.previousBuilt ?? null;
    if (entry && this._apply(entry, { type: 'cancel', why })) {
      this._unfollow(entry);
      this._forget(key);
      this._emit('replay_stale', entry, shown, { why });
      this._changed.emit(key);
    }
  }

  /** Clear all replays of a chat. */
  clearChat(chatId: string, why: StaleReason): void {
    for (const { key } of this.list(chatId)) {
      this.clear(key, why);
    }
  }

  /** Bring back the replay that was there before. */
  restore(key: string): IReplayEntry | null {
    const entry = this._entries.get(key);
    if (!entry || !this._apply(entry, { type: 'restore_previous' })) {
      return null;
    }
    this._keep(entry);
    this._emit('replay_restored', entry, entry.current);
    this._changed.emit(key);
    return entry;
  }

  /** The user goes on from a replay; answers what to go on from, or null if there is nothing. */
  startChatting(key: string): IBuilt | null {
    const entry = this._entries.get(key);
    const built = entry?.current ?? null;
    // The second time the fork is there already, and the replay is what it was.
    if (!entry || !built || entry.machine.state === 'building') {
      return null;
    }
    this._apply(entry, { type: 'start_chatting' });
    this._emit('replay_started', entry, built);
    this._changed.emit(key);
    return built;
  }

  /** A fork of a replay sent a message. */
  sentFromFork(key: string): void {
    const entry = this._entries.get(key);
    if (entry) {
      this._apply(entry, { type: 'send_from_fork' });
    }
  }

  /** Take back what was kept; what cannot be read is passed over. */
  async recall(): Promise<void> {
    const kept = await this._options.store?.all();
    for (const { origin, built } of kept ?? []) {
      const key = replayKey(origin);
      if (this._entries.has(key) || !isBuilt(built)) {
        continue;
      }
      const entry = this._ensure(origin);
      const build = buildOf(built.replay);
      entry.builts.set(buildKey(build), built);
      this._apply(entry, { type: 'replay_request', build });
      this._apply(entry, { type: 'build_success', build });
      this._changed.emit(key);
    }
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    for (const entry of this._entries.values()) {
      this._unfollow(entry);
    }
    Signal.clearData(this);
  }

  private _ensure(origin: IReplayOrigin): Entry {
    const key = replayKey(origin);
    let entry = this._entries.get(key);
    if (!entry) {
      entry = new Entry(key, origin);
      this._entries.set(key, entry);
    }
    entry.origin = origin;
    return entry;
  }

  private _follow(entry: Entry, source: IReplaySource): void {
    this._unfollow(entry);
    const onChanged = () => {
      if (entry.isOpen && entry.machine.state !== 'stale') {
        entry.cancelTimer();
        entry.cancelTimer = this._later(() => {
          void this._build(entry, source, true);
        });
      }
    };
    source.changed.connect(onChanged);
    entry.unfollow = () => {
      source.changed.disconnect(onChanged);
      entry.cancelTimer();
    };
  }

  private _unfollow(entry: Entry): void {
    entry.unfollow();
    entry.unfollow = () => undefined;
  }

  /** Build from what the source says now; `ifChanged` leaves a replay alone that says the same. */
  private async _build(
    entry: Entry,
    source: IReplaySource,
    ifChanged = false
  ): Promise<void> {
    entry.cancelTimer();
    const {
      build = defaultBuild,
      now = Date.now,
      count = chars
    } = this._options;
    const request = source.request();
    const { current, awaited } = entry.machine;
    if (ifChanged && (awaited ?? current)?.hash === request.hash) {
      return;
    }
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
      }
    }
    entry.prune();
    if (!this._isDisposed) {
      this._changed.emit(entry.key);
    }
  }

  private _onBuilt(entry: Entry): void {
    const built = entry.current!;
    this._keep(entry);
    this._emit('replay_built', entry, built);
    if (differsFromLogged(built.replay.record)) {
      this._emit('replay_parity_mismatch', entry, built, {
        loggedHash: built.replay.record.loggedHash
      });
    }
  }

  private _apply(entry: Entry, event: ReplayEvent): boolean {
    const next = transition(entry.machine, event);
    const moved = next !== entry.machine;
    entry.machine = next;
    return moved;
  }

  private _keep({ key, origin, current }: Entry): void {
    if (current) {
      this._options.store?.put(key, { origin, built: current });
    }
  }

  private _forget(key: string): void {
    this._options.store?.remove(key);
  }

  private _emit(
    name: string,
    { origin }: Entry,
    built: IBuilt | null,
    more: Record<string, unknown> = {}
  ): void {
    const record = built?.replay.record;
    this._options.emit?.(name, {
      replay_parent_session_id: origin.chatId,
      replay_parent_turn_id: origin.pair,
      ...(record
        ? {
            requestId: record.requestId,
            version: record.version,
            payloadHash: record.hash,
            sections: record.sections.length,
            edited: record.sections.filter(({ edited }) => edited).length,
            deleted: record.deleted
          }
        : {}),
      ...more
    });
  }

  private _later(task: () => void): () => void {
    const { schedule = timer } = this._options;
    return schedule(task, DEBOUNCE_MS);
  }

  private _changed = new Signal<this, string>(this);
  private _entries = new Map<string, Entry>();
  private _isDisposed = false;
  private _options: ReplayManager.IOptions;
}

/**
 * The namespace for `ReplayManager` statics.
 */
export namespace ReplayManager {
  /** What a manager may be given. */
  export interface IOptions {
    /** Where replays survive a reload. */
    store?: IReplayStore;
    /** Tells the server of what happened. */
    emit?: (name: string, data: Record<string, unknown>) => void;
    /** Estimates the tokens of a text. */
    count?: (text: string) => number;
    /** Time, for tests. */
    now?: () => number;
    schedule?: (task: () => void, ms: number) => () => void;
    /** The builder, for tests. */
    build?: typeof defaultBuild;
  }
}

/** The key of a turn's replay. */
export function replayKey({ chatId, pair }: { chatId: string; pair: string }) {
  return [chatId, pair].map(encodeURIComponent).join('/');
}

class Entry implements IReplayEntry {
  constructor(
    readonly key: string,
    public origin: IReplayOrigin
  ) {}

  machine: IReplayMachine = NO_REPLAY;
  problem: Error | null = null;
  isOpen = false;
  /** What was built, by version and hash. */
  readonly builts = new Map<string, IBuilt>();
  cancelTimer: () => void = () => undefined;
  unfollow: () => void = () => undefined;

  get current(): IBuilt | null {
    return this._built(this.machine.current);
  }

  get previousBuilt(): IBuilt | null {
    return this._built(this.machine.previous);
  }

  get canRestore(): boolean {
    return canRestore(this.machine);
  }

  /** Let go of what can no longer be shown. */
  prune(): void {
    const { current, previous, awaited } = this.machine;
    const wanted = [current, previous, awaited].map(it => it && buildKey(it));
    for (const key of this.builts.keys()) {
      if (!wanted.includes(key)) {
        this.builts.delete(key);
      }
    }
  }

  private _built(build: IBuild | null): IBuilt | null {
    return build && (this.builts.get(buildKey(build)) ?? null);
  }
}

/** A build that lets the page breathe first. */
async function defaultBuild(
  request: Parameters<typeof buildReplay>[0],
  facts: IBuildFacts
): Promise<IReplay> {
  return buildReplay(request, facts);
}

function buildOf({ record }: IReplay): IBuild {
  return { version: record.version, hash: record.hash };
}

function buildKey({ version, hash }: IBuild): string {
  return `${version}/${hash}`;
}

function chars(text: string): number {
  return text.length / 4;
}

function timer(task: () => void, ms: number): () => void {
  const id = setTimeout(task, ms);
  return () => clearTimeout(id);
}

/** What is in a browser's storage may be from another version. */
function isBuilt(value: unknown): value is IBuilt {
  return (
    isObject(value) &&
    isObject(value.replay) &&
    isObject(value.replay.record) &&
    typeof value.replay.record.payload === 'string'
  );
}
