import type { IDisposable } from '@lumino/disposable';

/** What a connection has to know of the page that it serves. */
export interface IPageLife {
  /** Whether nobody looks at the page. */
  readonly isHidden: boolean;
  /** Call something when the page may have slept: it is looked at again, or the network is back. */
  onWake(wake: () => void): IDisposable;
}
