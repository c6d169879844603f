import type { IRun, IRunEvent } from '../base/run';
import type { Watched } from './polling';

/** Who follows a run. */
export interface IRunListener {
  onStatus(run: IRun): void;
  onEvent(event: IRunEvent): void;
  /** The run cannot be followed, now or later. */
  onError(message: string): void;
}

/** Who follows a chat. */
export interface IChatWatcher {
  /** The runs that are neither landed nor dropped, after each (re)connection. */
  onRuns(runs: IRun[]): void;
  onChanged(run: IRun): void;
}

/** Somebody who follows a run, and the last event that they saw. */
export interface ISubscription {
  run: string;
  seen: number;
  listener: IRunListener;
}

/** Somebody who follows a chat. */
export interface IWatch {
  chat: Watched;
  watcher: IChatWatcher;
}

/** Those whom a connection serves. */
export class Listeners {
  readonly subscriptions = new Set<ISubscription>();
  readonly watches = new Set<IWatch>();

  /** Whether there is anybody. */
  get isEmpty(): boolean {
    return this.subscriptions.size === 0 && this.watches.size === 0;
  }

  /** The runs that are followed, with the last event that everybody who follows one has seen. */
  get runs(): Map<string, number> {
    const runs = [...this.subscriptions].map(({ run }) => run);
    return new Map(runs.map(run => [run, this.seen(run)]));
  }

  /** The chats that are followed. */
  get chats(): Set<Watched> {
    return new Set([...this.watches].map(({ chat }) => chat));
  }

  /** Whether anybody follows a run. */
  follows(run: string): boolean {
    return [...this.subscriptions].some(other => other.run === run);
  }

  /** The last event that everybody who follows a run has seen. */
  seen(run: string): number {
    const seen: number[] = [];
    this.each(run, subscription => seen.push(subscription.seen));
    return Math.min(...seen);
  }

  each(run: string, visit: (subscription: ISubscription) => void): void {
    for (const subscription of [...this.subscriptions]) {
      if (subscription.run === run) {
        visit(subscription);
      }
    }
  }

  eachWatcher(chat: Watched, visit: (watcher: IChatWatcher) => void): void {
    for (const watch of [...this.watches]) {
      if (watch.chat === chat) {
        visit(watch.watcher);
      }
    }
  }

  clear(): void {
    this.subscriptions.clear();
    this.watches.clear();
  }
}
