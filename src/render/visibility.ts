/** Tells when an element comes near the visible part of the page. */
export interface IVisibility {
  /**
   * Call back once, when the element is near; at once if it is known to be. The returned function
   * cancels this.
   */
  whenNear(element: Element, callback: () => void): () => void;
}

/** How far outside the view counts as near. */
const MARGIN = '800px';

/** Visibility as the browser reports it, with one observer for all elements. */
export class BrowserVisibility implements IVisibility {
  whenNear(element: Element, callback: () => void): () => void {
    if (this._isSeen(element)) {
      callback();
      return () => undefined;
    }
    this._observer ??= new IntersectionObserver(
      entries => this._onEntries(entries),
      { rootMargin: MARGIN }
    );
    this._callbacks.set(element, callback);
    this._observer.observe(element);
    return () => this._forget(element);
  }

  /**
   * Whether an element is in the view now.
   *
   * Measuring forces a layout, so it is done once per frame: a reply that lands shows at once,
   * while the thousands of a chat that opens wait for the observer.
   */
  private _isSeen(element: Element): boolean {
    if (this._hasLooked) {
      return false;
    }
    this._hasLooked = true;
    requestAnimationFrame(() => {
      this._hasLooked = false;
    });
    const { top, bottom, height } = element.getBoundingClientRect();
    return height > 0 && bottom > 0 && top < window.innerHeight;
  }

  private _onEntries(entries: IntersectionObserverEntry[]): void {
    for (const entry of entries) {
      const callback = this._callbacks.get(entry.target);
      if (entry.isIntersecting && callback) {
        this._forget(entry.target);
        callback();
      }
    }
  }

  private _forget(element: Element): void {
    this._callbacks.delete(element);
    this._observer?.unobserve(element);
  }

  private _hasLooked = false;
  private _observer: IntersectionObserver | null = null;
  private _callbacks = new Map<Element, () => void>();
}
