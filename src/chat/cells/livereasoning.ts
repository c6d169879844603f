import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import { reasoningText } from '../../document/reasoning';
import type { LiveRun } from '../../runs/live';
import { element } from '../../ui/dom';
import { ReasoningView } from './reasoningview';

/** What a model thinks, while it arrives: open until the message begins. */
export class LiveReasoning implements IDisposable {
  constructor(private _options: LiveReasoning.IOptions) {
    const { live } = _options;
    live.thought.connect(this._onThought, this);
    live.grown.connect(this._onMessage, this);
    live.called.connect(this._onMessage, this);
    live.rebuilt.connect(this._draw, this);
    this._draw();
  }

  readonly node = element('div', 'jp-Turnbook-liveReasoning');

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Whether it is open; null if the model did not think. */
  get isOpen(): boolean | null {
    return this._view?.isOpen ?? null;
  }

  /** Open it if a place is in it. */
  openAt(place: Node): void {
    this._view?.openAt(place);
  }

  /**
   * Count the seconds.
   *
   * @param waited - The seconds since the message was sent, for a thought whose beginning this page
   * did not see.
   */
  tick(waited: number | null): void {
    const { thoughtSeconds } = this._options.live;
    const live = this._isThinking;
    const seconds = thoughtSeconds ?? (live ? waited : null);
    this._view?.update({ seconds, live });
  }

  dispose(): void {
    this._isDisposed = true;
    this.node.remove();
    Signal.clearData(this);
  }

  private get _isThinking(): boolean {
    const { text, calls } = this._options.live;
    return !text && !calls.length;
  }

  private _onThought(_: LiveRun, text: string): void {
    if (this._view) {
      this._view.append(text);
    } else {
      this._draw();
      this._options.onShown();
    }
  }

  /** Show all that the model has thought so far. */
  private _draw(): void {
    const { live, opens } = this._options;
    const text = live.reasoning.map(reasoningText).join('\n\n');
    if (!text || text === this._view?.text) {
      return;
    }
    const isOpen = this._view?.isOpen ?? (this._isThinking || opens());
    this._view?.node.remove();
    this._view = new ReasoningView(isOpen);
    this._view.append(text);
    this.node.append(this._view.node);
    this.tick(null);
  }

  private _onMessage(): void {
    if (this._isMessage || !this._view) {
      return;
    }
    this._isMessage = true;
    this._view.isOpen = this._options.opens();
    this.tick(null);
  }

  private _isDisposed = false;
  /** Whether the message has begun. */
  private _isMessage = false;
  private _view: ReasoningView | null = null;
}

/** The namespace for `LiveReasoning` statics. */
export namespace LiveReasoning {
  export interface IOptions {
    live: LiveRun;
    /** Whether it stays open when the message begins. */
    opens: () => boolean;
    /** Called when the first thought is shown. */
    onShown: () => void;
  }
}
