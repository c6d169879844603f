import type { IDisposable } from '@lumino/disposable';

/** What a connection needs to know about its page. */
export interface IPageLife {
  /** Whether the page is hidden. */
  readonly isHidden: boolean;
  /** Calls back when the page may have slept: it became visible, or the network is back. */
  onWake(wake: () => void): IDisposable;
}
