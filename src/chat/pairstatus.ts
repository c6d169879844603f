import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import { errorText } from '../document/state';
import { StreamingMarkdown } from '../render';
import type { LiveRun } from '../runs/live';
import { button, element } from './dom';
import type { IPairView } from './pairview';

const CLASS = 'jp-Turnbook-pairStatus';

/**
 * What stands below a pair's reply: the reply while it streams, then its state.
 */
export class PairStatus extends Widget {
  constructor(options: PairStatus.IOptions) {
    super();
    this.addClass(CLASS);
    this._options = options;
    this._line = element('div', `${CLASS}-line`);
    this._line.setAttribute('role', 'status');
    this.node.append(this._line);
  }

  /** Show a reply as it grows; null ends that. */
  set live(live: LiveRun | null) {
    if (live === this._live) {
      return;
    }
    if (this._live) {
      this._live.grown.disconnect(this._onGrown, this);
      this._live.prefixed.disconnect(this._onPrefixed, this);
    }
    this._stream?.dispose();
    this._stream = null;
    this._live = live;
    if (live) {
      live.grown.connect(this._onGrown, this);
      live.prefixed.connect(this._onPrefixed, this);
      this._onPrefixed();
    }
  }

  /** Show a state. */
  display(view: IPairView): void {
    const parts: HTMLElement[] = [];
    if (view.thinking) {
      this._clock = element('span', `${CLASS}-thinking`, 'thinking…');
      parts.push(this._clock);
    }
    if (view.sentinel) {
      const sentinel = element('span', `${CLASS}-sentinel`, view.sentinel);
      sentinel.title = 'You stopped this reply. The model is told so with these words.';
      parts.push(sentinel);
    }
    if (view.cut) {
      parts.push(element('span', `${CLASS}-cut`, view.cut));
    }
    if (view.error) {
      const error = element('span', `${CLASS}-error`, errorText(view.error));
      parts.push(error);
    }
    if (view.canRetry) {
      parts.push(
        button(
          'Retry now',
          'jp-Turnbook-button',
          this._options.onRetry,
          'Ask the model once more'
        )
      );
    }
    if (view.model && !view.thinking) {
      const model = element('span', `${CLASS}-model`, view.model);
      model.title = 'The model that was asked';
      parts.push(model);
    }
    if (view.tokens !== null) {
      parts.push(element('span', `${CLASS}-tokens`, `${view.tokens} tokens`));
    }
    this._line.replaceChildren(...parts);
    this._since = view.thinking ? (this._since ?? Date.now()) : null;
    this._tick();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    clearTimeout(this._timer);
    this.live = null;
    super.dispose();
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    this._tick();
  }

  /** Thinking models are silent for long: count the seconds so that waiting has a measure. */
  private _tick(): void {
    clearTimeout(this._timer);
    if (this._since === null || !this.isAttached) {
      return;
    }
    const seconds = Math.floor((Date.now() - this._since) / 1000);
    if (this._clock) {
      this._clock.textContent =
        seconds < 2 ? 'thinking…' : `thinking… ${seconds} s`;
    }
    this._timer = setTimeout(() => this._tick(), 1000);
  }

  private _onGrown(_: LiveRun, delta: string): void {
    this._view().append(delta);
    this._options.onGrown();
  }

  private _onPrefixed(): void {
    this._stream?.dispose();
    this._stream = null;
    const text = this._live?.text;
    if (text) {
      this._onGrown(this._live!, text);
    }
  }

  private _view(): StreamingMarkdown {
    if (!this._stream) {
      this._stream = this._options.createStream();
      this._stream.node.classList.add(`${CLASS}-stream`);
      this.node.insertBefore(this._stream.node, this._line);
    }
    return this._stream;
  }

  private _clock: HTMLElement | null = null;
  private _line: HTMLElement;
  private _live: LiveRun | null = null;
  private _options: PairStatus.IOptions;
  private _since: number | null = null;
  private _stream: StreamingMarkdown | null = null;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * The namespace for `PairStatus` statics.
 */
export namespace PairStatus {
  /** What a status needs of its cell. */
  export interface IOptions {
    createStream: () => StreamingMarkdown;
    onGrown: () => void;
    onRetry: () => void;
  }
}
