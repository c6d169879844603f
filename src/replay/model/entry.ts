import { isObject } from '../../base/json';
import type { IReplay } from './record';
import type { IBuilt, IReplayOrigin, IReplaySource } from './source';
import {
  canRestore,
  NO_REPLAY,
  type IBuild,
  type IReplayMachine
} from './state';

/** The replay of one turn. */
export interface IReplayEntry {
  readonly key: string;
  readonly origin: IReplayOrigin;
  readonly machine: IReplayMachine;
  /** What is shown; null if there is nothing. */
  readonly current: IBuilt | null;
  /** Why the last build failed; null if it did not. */
  readonly problem: Error | null;
  readonly canRestore: boolean;
}

/** The key of a turn's replay. */
export function replayKey({ chatId, pair }: { chatId: string; pair: string }) {
  return [chatId, pair].map(encodeURIComponent).join('/');
}

/** The replay of one turn, as its manager changes it. */
export class ReplayEntry implements IReplayEntry {
  constructor(
    readonly key: string,
    public origin: IReplayOrigin
  ) {}

  machine: IReplayMachine = NO_REPLAY;
  problem: Error | null = null;
  /** The hash of the build that the user left by *Restore*; the same request does not undo that. */
  left: string | null = null;
  /** The hash of a request that could not be built; it is not tried again automatically. */
  refused: string | null = null;
  /** What it is built from; null if that is gone. */
  source: IReplaySource | null = null;
  /** The builds, by version and hash. */
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

  /** Delete the builds that can no longer be shown. */
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

/** The version and hash of a replay. */
export function buildOf({ record }: IReplay): IBuild {
  return { version: record.version, hash: record.hash };
}

/** The key of a build among those of one turn. */
export function buildKey({ version, hash }: IBuild): string {
  return `${version}/${hash}`;
}

/** Storage may contain data from another version of Turnbook. */
export function isBuilt(value: unknown): value is IBuilt {
  return (
    isObject(value) &&
    isObject(value.replay) &&
    isObject(value.replay.record) &&
    typeof value.replay.record.payload === 'string'
  );
}
