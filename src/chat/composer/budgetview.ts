import type { IBudgetState } from '../../context/budget';
import { element } from '../../ui/dom';

/** The counter `X / Y`: how many of the visible pairs are sent with the next message. */
export class ContextCounter {
  constructor() {
    this.node = element('span', 'jp-Turnbook-counter');
    const label = element('span', 'jp-Turnbook-counter-label', 'Context');
    label.setAttribute('aria-hidden', 'true');
    this._value = element('span', 'jp-Turnbook-counter-value', '0 / 0');
    this._value.setAttribute('role', 'status');
    this._value.setAttribute('aria-label', 'Context');
    this.node.append(label, this._value);
  }

  readonly node: HTMLElement;

  /** Show the state of a budget. */
  show(state: IBudgetState): void {
    const text = `${state.included} / ${state.visible}`;
    if (this._value.textContent !== text) {
      this._value.textContent = text;
    }
    this.node.title = budgetWords(state);
    this.node.classList.toggle(
      'jp-mod-warning',
      state.included < state.visible || state.overfull
    );
  }

  private _value: HTMLElement;
}

/** A budget as a text. */
export function budgetWords(state: IBudgetState): string {
  const { parts, total, reserve, softCap, window } = state;
  const number = (value: number) => value.toLocaleString('en');
  const out = state.visible - state.included;
  return [
    `${state.included} of ${state.visible} visible pairs go with the next message.`,
    ...(out
      ? [`${out} do not fit and are left out; Shift+O shows where.`]
      : []),
    ...(state.overfull ? ['Even the message alone is too long.'] : []),
    '',
    `System: ${number(parts.system)} tokens`,
    `History: ${number(parts.history)} tokens`,
    `Message: ${number(parts.message)} tokens`,
    `In all: ~${number(total)} tokens`,
    `Kept free for the reply: ${number(reserve)}`,
    `Limit: ${number(softCap)} of the model’s ${number(window)}`
  ].join('\n');
}
