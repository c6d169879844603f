import type { TranslationBundle } from '@jupyterlab/translation';

import { button, element } from '../../ui/dom';
import type { ChatPanel } from '../panel';

const TARGET = 'jp-Turnbook-tour-target';
const MARGIN = 10;

/** A step of the tour: what it explains, and where that is in the chat. */
export interface ITourStep {
  target: string;
  title: string;
  text: string;
}

/** The steps of the tour. */
export function tourSteps(trans: TranslationBundle): ITourStep[] {
  return [
    {
      target: '.jp-Turnbook-composer-card',
      title: trans.__('Write a message'),
      text: trans.__(
        'Enter sends it, Shift+Enter starts a new line. Your message and its reply become one cell of this notebook.'
      )
    },
    {
      target: '.jp-Turnbook-modelPicker',
      title: trans.__('Choose a model'),
      text: trans.__(
        'From a provider, from a server on this machine, or one that you download with Local models….'
      )
    },
    {
      target: '.jp-Turnbook-filterSwitch',
      title: trans.__('Filter: what you see is what is sent'),
      text: trans.__(
        'Filter by topic, stars, text or date. What is hidden does not go to the model. Context says how many pairs do.'
      )
    },
    {
      target: '[data-jp-item-name="request"]',
      title: trans.__('See and edit the request'),
      text: trans.__(
        'The Request panel shows every message of the next request. Change, delete or add some; the chat itself stays as it is.'
      )
    },
    {
      target: '.jp-Turnbook-composer-end',
      title: trans.__('Pause, replay, start again'),
      text: trans.__(
        'Pause & review pauses each message until you have seen its request. Replay shows a request as a notebook, from which you can start another chat.'
      )
    }
  ];
}

/** A walk through the parts of a chat, which can be left at any step. */
export class Tour {
  constructor(
    readonly panel: ChatPanel,
    steps: readonly ITourStep[],
    private _trans: TranslationBundle
  ) {
    // What the settings hide is left out.
    this._steps = steps.filter(step => this._find(step) !== null);
    this._card.setAttribute('role', 'dialog');
    this._card.setAttribute('aria-label', _trans.__('Tour'));
    this._card.addEventListener('keydown', event => {
      if (event.key === 'Escape') {
        event.stopPropagation();
        this.leave();
      }
    });
    document.body.append(this._card);
    window.addEventListener('resize', this._place);
    panel.disposed.connect(this.leave, this);
    this._show(0);
  }

  /** End it; the focus goes to the composer if it was in the tour. */
  leave(): void {
    if (!this._card.isConnected) {
      return;
    }
    const hadFocus = this._card.contains(document.activeElement);
    this._mark(null);
    this._card.remove();
    window.removeEventListener('resize', this._place);
    this.panel.disposed.disconnect(this.leave, this);
    if (hadFocus && this.panel.isVisible) {
      this.panel.enterInput();
    }
  }

  private _find({ target }: ITourStep): HTMLElement | null {
    const node = this.panel.node.querySelector<HTMLElement>(target);
    return node?.checkVisibility() ? node : null;
  }

  private _show(at: number): void {
    const step = this._steps[at];
    const trans = this._trans;
    const isLast = at === this._steps.length - 1;
    const next = button(
      isLast ? trans.__('Done') : trans.__('Next'),
      'jp-Turnbook-button jp-mod-primary',
      () => (isLast ? this.leave() : this._show(at + 1))
    );
    const buttons = element('div', 'jp-Turnbook-tour-buttons');
    buttons.append(
      element(
        'span',
        'jp-Turnbook-hint',
        trans.__('%1 of %2', at + 1, this._steps.length)
      ),
      ...(at
        ? [
            button(trans.__('Back'), 'jp-Turnbook-button', () =>
              this._show(at - 1)
            )
          ]
        : []),
      ...(isLast
        ? []
        : [
            button(trans.__('Leave'), 'jp-Turnbook-button', () => this.leave())
          ]),
      next
    );
    this._card.replaceChildren(
      element('h3', '', step.title),
      element('p', '', step.text),
      buttons
    );
    this._mark(this._find(step));
    this._place();
    next.focus();
  }

  private _mark(target: HTMLElement | null): void {
    this._target?.classList.remove(TARGET);
    this._target = target;
    target?.classList.add(TARGET);
  }

  /** Below what it explains if there is room, else above. */
  private _place = (): void => {
    if (!this._target) {
      return;
    }
    const target = this._target.getBoundingClientRect();
    const { width, height } = this._card.getBoundingClientRect();
    const below = target.bottom + MARGIN;
    const top =
      below + height < window.innerHeight
        ? below
        : Math.max(MARGIN, target.top - height - MARGIN);
    const left = Math.max(
      MARGIN,
      Math.min(target.left, window.innerWidth - width - MARGIN)
    );
    this._card.style.top = `${top}px`;
    this._card.style.left = `${left}px`;
  };

  private _card = element('div', 'jp-Turnbook-tour');
  private _steps: readonly ITourStep[];
  private _target: HTMLElement | null = null;
}
