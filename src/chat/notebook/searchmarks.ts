import type { IDisposable } from '@lumino/disposable';

/** The names of the highlights, as the styles have them. */
const ALL = 'turnbook-match';
const CURRENT = 'turnbook-current-match';

/**
 * Highlights ranges of the page without changing its nodes, so that a reply can go on streaming and
 * is copied as it is.
 *
 * All chats share two highlights; each has its own ranges in them. The ranges of a source are read
 * once: one that has changed is another object.
 */
export class SearchMarks<T extends object> implements IDisposable {
  /**
   * @param read - Gets the ranges of a source.
   */
  constructor(private _read: (source: T) => readonly AbstractRange[]) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Highlight the ranges of these sources and no others. */
  show(sources: readonly T[], current: AbstractRange | null): void {
    const before = this._shown;
    this._shown = new Map();
    for (const source of sources) {
      const kept = before.get(source);
      const ranges = kept ?? this._read(source);
      this._shown.set(source, ranges);
      before.delete(source);
      if (!kept) {
        replace(ALL, [], ranges);
      }
    }
    for (const ranges of before.values()) {
      replace(ALL, ranges, []);
    }
    const last = this._current ? [this._current] : [];
    replace(CURRENT, last, current ? [current] : []);
    this._current = current;
  }

  dispose(): void {
    this.show([], null);
    this._isDisposed = true;
  }

  private _current: AbstractRange | null = null;
  private _isDisposed = false;
  private _shown = new Map<T, readonly AbstractRange[]>();
}

function replace(
  name: string,
  before: readonly AbstractRange[],
  after: readonly AbstractRange[]
): void {
  // Older browsers find and scroll, and highlight nothing.
  if (!('highlights' in CSS)) {
    return;
  }
  let highlight = CSS.highlights.get(name);
  if (!highlight) {
    highlight = new Highlight();
    highlight.priority = name === CURRENT ? 1 : 0;
    CSS.highlights.set(name, highlight);
  }
  before.forEach(range => highlight.delete(range));
  after.forEach(range => highlight.add(range));
}
