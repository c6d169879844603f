import type { TranslationBundle } from '@jupyterlab/translation';

import type { IBudgetState } from '../../context/budget';
import { element } from '../../ui/dom';

/**
 * The counter `X / Y`: how many of the visible pairs are sent with the next message; and how many
 * pairs are visible, if the filter hides some.
 */
export class ContextCounter {
  constructor(private _trans: TranslationBundle) {
    const name = _trans.__('Context');
    this.node = element('span', 'jp-Turnbook-counter');
    const label = element('span', 'jp-Turnbook-counter-label', name);
    label.setAttribute('aria-hidden', 'true');
    const status = element('span', 'jp-Turnbook-counter-status');
    status.setAttribute('role', 'status');
    status.setAttribute('aria-label', name);
    this._shown = element('span', 'jp-Turnbook-counter-shown');
    this._value = element('span', 'jp-Turnbook-counter-value', '0 / 0');
    status.append(this._shown, this._value);
    this.node.append(label, status);
  }

  readonly node: HTMLElement;

  /**
   * Show the state of a budget.
   *
   * @param pairs - How many pairs of the chat are visible.
   */
  show(state: IBudgetState, pairs: { shown: number; all: number }): void {
    const { shown, all } = pairs;
    const hides = shown < all;
    setText(this._value, `${state.included} / ${state.visible}`);
    setText(
      this._shown,
      hides ? `${this._trans.__('%1 of %2 shown', shown, all)} · ` : ''
    );
    this.node.title = budgetWords(state, this._trans);
    this.node.classList.toggle(
      'jp-mod-warning',
      state.included < state.visible || state.overfull
    );
  }

  private _shown: HTMLElement;
  private _value: HTMLElement;
}

/** Set a text, unless it is the same: a status is read aloud when it changes. */
function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

/** A budget as a text. */
export function budgetWords(
  state: IBudgetState,
  trans: TranslationBundle
): string {
  const { included, visible, parts, total, reserve, softCap, window } = state;
  const number = (value: number) => value.toLocaleString('en');
  const out = visible - included;
  return [
    trans._n(
      '%2 of %1 visible pair is sent with the next message.',
      '%2 of %1 visible pairs are sent with the next message.',
      visible,
      included
    ),
    ...(out
      ? [
          trans._n(
            '%1 does not fit and is left out; Shift+O shows where.',
            '%1 do not fit and are left out; Shift+O shows where.',
            out
          )
        ]
      : []),
    ...(state.overfull
      ? [trans.__('Even the message alone is too long.')]
      : []),
    '',
    trans.__('System: %1 tokens', number(parts.system)),
    ...(parts.options
      ? [trans.__('Options: %1 tokens', number(parts.options))]
      : []),
    trans.__('History: %1 tokens', number(parts.history)),
    trans.__('Message: %1 tokens', number(parts.message)),
    trans.__('In all: ~%1 tokens', number(total)),
    trans.__('Kept free for the reply: %1', number(reserve)),
    trans.__('Limit: %1 of the model’s %2', number(softCap), number(window))
  ].join('\n');
}
