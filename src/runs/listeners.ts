import type { IRun, IRunEvent } from '../base/run';
import type { Watched } from './polling';

/** A listener to a run. */
export interface IRunListener {
  onStatus(run: IRun): void;
  onEvent(event: IRunEvent): void;
  /** Called when the run can no longer be followed. */
  onError(message: string): void;
}

/** A listener to a chat. */
export interface IChatWatcher {
  /** Called after each (re)connection with the runs that are neither landed nor dropped. */
  onRuns(runs: IRun[]): void;
  onChanged(run: IRun): void;
}

/** A listener to a run, and the last event it has seen. */
export interface ISubscription {
  run: string;
  seen: number;
  listener: IRunListener;
}

/** A listener to a chat. */
export interface IWatch {
  chat: Watched;
  watcher: IChatWatcher;
}

/** The listeners of a connection. */
export class Listeners {
  readonly subscriptions = new Set<ISubscription>();
  readonly watches = new Set<IWatch>();

  get isEmpty(): boolean {
    return this.subscriptions.size === 0 && this.watches.size === 0;
  }

  /** The followed runs, each with the last event that all its listeners have seen. */
  get runs(): Map<string, number> {
    const runs = [...this.subscriptions].map(({ run }) => run);
    return new Map(runs.map(run => [run, this.seen(run)]));
  }

  /** The chats that are followed. */
  get chats(): Set<Watched> {
    return new Set([...this.watches].map(({ chat }) => chat));
  }

  /** Whether a run has listeners. */
  follows(run: string): boolean {
    return [...this.subscriptions].some(other => other.run === run);
  }

  /** The last event that all listeners of a run have seen. */
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
