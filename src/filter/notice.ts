import type { TranslationBundle } from '@jupyterlab/translation';

import { accept, type IFilterError } from './diagnose';
import type { FilterModel } from './model';
import { print } from './print';

/**
 * Explain an error in the bar: where it is, how to fix it if that is known, and which filter is in
 * force.
 */
export function explain(
  model: FilterModel,
  error: IFilterError,
  trans: TranslationBundle,
  onUse: () => void
): HTMLElement[] {
  const { from, message, suggestion } = error;
  const nodes: HTMLElement[] = [
    part('span', 'message', trans.__('Character %1: %2', from + 1, message))
  ];
  if (suggestion !== undefined) {
    const label = suggestion
      ? trans.__('Use %1', suggestion)
      : trans.__('Remove it');
    const use = button('use', label, onUse);
    use.classList.add('jp-Turnbook-button');
    use.title = accept(model.text, error);
    nodes.push(use);
  }
  const force = model.query
    ? trans.__('Still in force: %1', print(model.query))
    : trans.__('Everything is still shown.');
  return [...nodes, part('span', 'force', force)];
}

/** Create an element of the bar; text is always set as text, never as HTML. */
export function part<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  name: string,
  text = ''
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  node.className = `jp-Turnbook-filter-${name}`;
  node.textContent = text;
  return node;
}

/** Create a button of the bar. */
export function button(
  name: string,
  label: string,
  onClick: () => void
): HTMLButtonElement {
  const node = part('button', name, label);
  node.type = 'button';
  node.addEventListener('click', onClick);
  return node;
}
