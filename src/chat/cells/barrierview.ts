import type { TranslationBundle } from '@jupyterlab/translation';

import { countdown, type IBarrier } from './barrier';
import { button, element, setChildren } from '../../ui/dom';
import type { PairAction } from './pairview';

const CLASS = 'jp-Turnbook-barrier';

/**
 * Renders a barrier in its cell. The server decides what happens next; this only counts the seconds
 * until then.
 */
export class BarrierView {
  constructor(
    private _trans: TranslationBundle,
    private _onAction: (action: PairAction) => void
  ) {
    this.node = element('div', CLASS);
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', _trans.__('Retry'));
    // The chat announces it once; each second would be too much: the timer role is silent.
    this._timer.setAttribute('role', 'timer');
    this.node.append(this._text, this._buttons);
    this.node.hidden = true;
  }

  readonly node: HTMLElement;

  /** Show a barrier, or none. Unchanged elements stay, with their focus. */
  show(barrier: IBarrier | null): void {
    const key = JSON.stringify(barrier);
    if (key === this._key) {
      return;
    }
    this._key = key;
    this._barrier = barrier;
    this.node.hidden = barrier === null;
    if (barrier) {
      this._draw(barrier);
    }
    this.tick();
  }

  /** Count down, repeatedly while the element is in the page. */
  tick(): void {
    clearTimeout(this._ticking);
    const next = this._barrier?.next;
    if (!next) {
      return;
    }
    const now = Date.now();
    const left = countdown(next.at, now, this._trans);
    if (this._timer.textContent !== left) {
      this._timer.textContent = left;
    }
    if (this.node.isConnected && next.at > now) {
      // When the shown second is over.
      const rest = (next.at - now) % 1000 || 1000;
      this._ticking = setTimeout(() => this.tick(), rest);
    }
  }

  dispose(): void {
    clearTimeout(this._ticking);
  }

  private _draw(barrier: IBarrier): void {
    const { headline, reached, detail, next, mood } = barrier;
    const end = reached ? ` ${reached}. ` : '. ';
    this.node.dataset.mood = mood;
    this._text.replaceChildren(
      element('strong', `${CLASS}-headline`, headline),
      end + detail
    );
    if (next) {
      const before = this._trans.__('Next attempt (%1)', next.attempt);
      this._text.append(`${before} `, this._timer, '.');
    }
    this._keepFocus(() => setChildren(this._buttons, this._made(barrier)));
  }

  private _made(barrier: IBarrier): HTMLElement[] {
    const { canRetry, canStop, remedy } = barrier;
    const trans = this._trans;
    return [
      ...(remedy === 'providers'
        ? [
            this._button(
              trans.__('Providers…'),
              'providers',
              trans.__('Change keys and addresses')
            )
          ]
        : []),
      ...(remedy === 'images'
        ? [
            this._button(
              trans.__('Send without images'),
              'without-images',
              trans.__('The images stay in the chat and are not sent')
            )
          ]
        : []),
      ...(canRetry
        ? [
            this._button(
              trans.__('Retry now'),
              'retry',
              trans.__('Make one more attempt at once')
            )
          ]
        : []),
      ...(canStop
        ? [
            this._button(
              trans.__('Stop auto-retry'),
              'stop-retry',
              trans.__('Do not retry automatically; what has arrived stays')
            )
          ]
        : [])
    ];
  }

  private _button(
    label: string,
    action: PairAction,
    title: string
  ): HTMLElement {
    const className = 'jp-Turnbook-button';
    return button(label, className, () => this._onAction(action), title);
  }

  /** After a change, focus the button with the same label as before. */
  private _keepFocus(change: () => void): void {
    const focused = document.activeElement;
    const label = this._buttons.contains(focused) ? focused!.textContent : null;
    change();
    if (label !== null) {
      const buttons = [...this._buttons.querySelectorAll('button')];
      const again = buttons.find(({ textContent }) => textContent === label);
      (again ?? buttons[0])?.focus();
    }
  }

  private _barrier: IBarrier | null = null;
  private _buttons = element('span', `${CLASS}-buttons`);
  private _key = 'null';
  private _text = element('span', `${CLASS}-text`);
  private _ticking: ReturnType<typeof setTimeout> | undefined;
  private _timer = element('strong', `${CLASS}-timer`);
}
