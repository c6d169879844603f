import { type IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import { BlockSplitter } from './blocks';
import { frameCode } from './decorate';
import { hasMath } from './math';
import { TextPieces } from './pieces';
import { type IRenderParts, renderMarkdown, typeset } from './pipeline';
import { announce } from './renderers';
import { isQuick, MAX_WHOLE } from './slices';

/**
 * The longest tail that is formatted while it grows, and the most work that one of its paragraphs
 * may cause. Beyond them it is shown as text until it closes, so that the work of an update is
 * bounded.
 */
const MAX_TAIL = 16_000;
const MAX_TAIL_WORK = 2_000_000;

/** The minimum time between two updates while it is not visible. */
const UNSEEN_MS = 1000;

/** How long a part of a reply waits for the fonts of its formulas. */
const FONTS_MS = 1000;

/**
 * Shows a reply while it arrives.
 *
 * Closed blocks are rendered once and stay; only the tail is rendered again, at most once per
 * interval. Everything goes through the same guard as a finished reply.
 */
export class StreamingMarkdown implements IDisposable {
  constructor(options: StreamingMarkdown.IOptions) {
    this._parts = options.parts;
    const { markdownParser, sanitizer, latexTypesetter, resolver } =
      options.parts;
    // What still grows is no diagram yet.
    this._tailParts = { markdownParser, sanitizer, latexTypesetter, resolver };
    this._interval = options.interval ?? 80;
    this._isSeen = options.isSeen ?? (() => true);
    this._clock = options.clock ?? browserClock;
    this.node = document.createElement('div');
    this.node.className =
      'jp-RenderedHTMLCommon jp-RenderedMarkdown jp-Turnbook-markdown jp-Turnbook-streaming';
    this.node.setAttribute('aria-busy', 'true');
    this._tail = makeTail();
    this.node.appendChild(this._tail);
  }

  /**
   * The node that shows the reply.
   */
  readonly node: HTMLElement;

  /** Emitted when the node shows more. */
  get updated(): ISignal<this, void> {
    return this._updated;
  }

  /**
   * The reply so far.
   */
  get text(): string {
    return this._text;
  }

  /**
   * Whether the view has been disposed.
   */
  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Append text. */
  append(delta: string): void {
    if (this._isDisposed || this._isFinished || delta === '') {
      return;
    }
    this._text += delta;
    this._closed.push(...this._splitter.push(delta));
    this._schedule();
  }

  /** Show what arrived while it was not visible. */
  catchUp(): void {
    if (this._timer !== null) {
      this._stopTimer();
      this._schedule();
    }
  }

  /**
   * Signal that no more text follows. The promise resolves when the reply looks as if it were
   * rendered at once.
   */
  finish(): Promise<void> {
    if (!this._isFinished) {
      this._isFinished = true;
      this._stopTimer();
      this._working = this._working.then(() => this._renderFinal());
    }
    return this._working;
  }

  /** Stop rendering and remove the node from the page. */
  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._stopTimer();
    this.node.remove();
    Signal.clearData(this);
  }

  private _schedule(): void {
    if (this._timer !== null || this._isFinished) {
      return;
    }
    const interval = this._isSeen()
      ? this._interval
      : Math.max(this._interval, UNSEEN_MS);
    const wait = this._lastUpdate + interval - this._clock.now();
    this._timer = this._clock.set(
      () => {
        this._working = this._working.then(() => this._update());
      },
      Math.max(0, wait)
    );
  }

  private _stopTimer(): void {
    if (this._timer !== null) {
      this._clock.clear(this._timer);
      this._timer = null;
    }
  }

  private async _update(): Promise<void> {
    if (this._isDisposed || this._isFinished) {
      return;
    }
    this._lastUpdate = this._clock.now();
    const closed = this._closed.splice(0).join('');
    const tail = this._splitter.tail;
    const fence = this._splitter.openFence;
    const live = fence
      ? { key: `code ${languageIn(fence.info)}`, start: fence.bodyStart }
      : tail.length > MAX_TAIL || !isQuick(tail, MAX_TAIL_WORK)
        ? { key: 'text', start: 0 }
        : null;
    const frozen = closed ? await this._stage(closed) : null;
    const fresh = live ? null : await this._stage(tail, this._tailParts);
    if (this._isDisposed) {
      return;
    }
    if (frozen) {
      this._freeze(frozen);
      this._live = null;
    }
    if (live) {
      this._showLive(live.key, tail, live.start);
    } else if (fresh) {
      this._replaceTail(fresh);
    }
    // Only now, so that slow renderings cannot pile up.
    this._timer = null;
    if (this._splitter.tail !== tail || this._closed.length > 0) {
      this._schedule();
    }
    this._updated.emit();
  }

  private async _renderFinal(): Promise<void> {
    if (this._isDisposed) {
      return;
    }
    const whole = this._splitter.spansBlocks && this._text.length <= MAX_WHOLE;
    const rest = this._closed.splice(0).join('') + this._splitter.tail;
    const staged = await this._stage(whole ? this._text : rest);
    if (this._isDisposed) {
      return;
    }
    if (whole) {
      this.node.replaceChildren(...staged.childNodes);
    } else {
      this._freeze(staged);
      this._tail.remove();
    }
    this.node.classList.remove('jp-Turnbook-streaming');
    this.node.removeAttribute('aria-busy');
    this._updated.emit();
  }

  /** Render in a hidden place, so that formulas do not flicker; what still grows is not announced. */
  private async _stage(
    source: string,
    parts = this._parts
  ): Promise<HTMLElement> {
    const stage = makeTail();
    const content = await renderMarkdown(source, parts);
    if (parts === this._parts) {
      await announce(this.node, content, source, parts);
    }
    stage.appendChild(content);
    if (!this._isDisposed && hasMath(stage)) {
      stage.classList.add('jp-mod-staged');
      // Formulas are measured, so they have to be on the page.
      this.node.appendChild(stage);
      await typeset(stage, this._parts);
      await fontsLoaded();
      stage.remove();
      stage.classList.remove('jp-mod-staged');
    }
    return stage;
  }

  private _freeze(stage: HTMLElement): void {
    this._tail.before(...stage.childNodes);
    this._tail.replaceChildren();
  }

  private _replaceTail(fresh: HTMLElement): void {
    this._tail.replaceWith(fresh);
    this._tail = fresh;
    this._live = null;
  }

  /** Show text that only grows, by appending what is new. */
  private _showLive(key: string, tail: string, start: number): void {
    if (this._live?.key !== key) {
      const isCode = key !== 'text';
      const element = document.createElement(isCode ? 'pre' : 'div');
      const host = isCode ? document.createElement('code') : element;
      if (isCode) {
        element.appendChild(host);
      } else {
        element.className = 'jp-Turnbook-plain';
      }
      this._tail.replaceChildren(element);
      if (isCode) {
        // It is framed from the start, so that it does not move when it is complete.
        frameCode(element, key.slice('code '.length));
      }
      this._live = { key, pieces: new TextPieces(host) };
    }
    const { pieces } = this._live;
    pieces.append(tail.slice(start + pieces.length));
  }

  private _parts: IRenderParts;
  private _tailParts: IRenderParts;
  private _interval: number;
  private _isSeen: () => boolean;
  private _clock: StreamingMarkdown.IClock;
  private _splitter = new BlockSplitter();
  private _text = '';
  private _closed: string[] = [];
  private _tail: HTMLElement;
  private _live: { key: string; pieces: TextPieces } | null = null;
  private _timer: number | null = null;
  private _lastUpdate = -Infinity;
  private _working: Promise<void> = Promise.resolve();
  private _isFinished = false;
  private _isDisposed = false;
  private _updated = new Signal<this, void>(this);
}

/**
 * The namespace for `StreamingMarkdown` statics.
 */
export namespace StreamingMarkdown {
  export interface IOptions {
    /** The parts that render; a renderer registry will do. */
    parts: IRenderParts;

    /** The minimum time between two updates, in milliseconds. */
    interval?: number;

    /** Whether it is visible; if not, it is updated rarely. */
    isSeen?: () => boolean;

    clock?: IClock;
  }

  /**
   * Time and timers.
   */
  export interface IClock {
    /** The time in milliseconds. */
    now(): number;

    /** Schedule a callback. */
    set(callback: () => void, delay: number): number;

    /** Cancel a callback. */
    clear(timer: number): void;
  }
}

const browserClock: StreamingMarkdown.IClock = {
  now: () => performance.now(),
  set: (callback, delay) => window.setTimeout(callback, delay),
  clear: timer => window.clearTimeout(timer)
};

/** The language that the first line of a code block names. */
function languageIn(info: string): string {
  return /^[\w+#.-]{0,40}(?=\s|$)/.exec(info)?.[0] ?? '';
}

/**
 * Wait for the fonts of formulas, for a moment: with others, they have another size.
 */
async function fontsLoaded(): Promise<void> {
  // Not every test environment has fonts.
  const { fonts } = document as { fonts?: FontFaceSet };
  if (fonts) {
    const late = new Promise(resolve => setTimeout(resolve, FONTS_MS));
    await Promise.race([fonts.ready, late]);
  }
}

function makeTail(): HTMLElement {
  const tail = document.createElement('div');
  tail.className = 'jp-Turnbook-tail';
  return tail;
}
