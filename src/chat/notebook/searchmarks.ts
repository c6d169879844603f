import type { IDisposable } from '@lumino/disposable';

/** The names of the highlights, as the styles have them. */
const ALL = 'turnbook-match';
const CURRENT = 'turnbook-current-match';

/**
 * Highlights ranges of the page without changing its nodes, so that a reply can go on streaming and
 * is copied as it is.
 *
 * All chats share two highlights; each has its own ranges in them.
 */
export class SearchMarks implements IDisposable {
  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Highlight these ranges and no others. */
  show(all: readonly AbstractRange[], current: AbstractRange | null): void {
    this._all = replace(ALL, this._all, all);
    this._current = replace(CURRENT, this._current, current ? [current] : []);
  }

  dispose(): void {
    this.show([], null);
    this._isDisposed = true;
  }

  private _all: readonly AbstractRange[] = [];
  private _current: readonly AbstractRange[] = [];
  private _isDisposed = false;
}

function replace(
  name: string,
  before: readonly AbstractRange[],
  after: readonly AbstractRange[]
): readonly AbstractRange[] {
  // Older browsers find and scroll, and highlight nothing.
  if (!('highlights' in CSS)) {
    return [];
  }
  let highlight = CSS.highlights.get(name);
  if (!highlight) {
    highlight = new Highlight();
    highlight.priority = name === CURRENT ? 1 : 0;
    CSS.highlights.set(name, highlight);
  }
  before.forEach(range => highlight.delete(range));
  after.forEach(range => highlight.add(range));
  return after;
}
