import type { Cell, CodeCell } from '@jupyterlab/cells';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Panel, Widget } from '@lumino/widgets';

import { explainIcon } from '../ui/icons';

const CLASS = 'jp-Turnbook-explainError';

/**
 * Put a button beside each error that a cell shows; nothing if it has one already.
 *
 * A cell's own toolbar is hidden where it would cover the code, as in narrow notebooks.
 */
export function markErrors(
  cell: Cell,
  explain: () => void,
  trans: TranslationBundle
): void {
  if (cell.model.type !== 'code') {
    return;
  }
  const { widgets, model } = (cell as CodeCell).outputArea;
  widgets.forEach((child, n) => {
    const isError = n < model.length && model.get(n).type === 'error';
    if (
      isError &&
      child instanceof Panel &&
      !child.widgets.some(one => one.hasClass(CLASS))
    ) {
      child.addWidget(button(explain, trans));
    }
  });
}

function button(explain: () => void, trans: TranslationBundle): Widget {
  const node = document.createElement('button');
  node.type = 'button';
  const label = trans.__('Explain This Error');
  node.title = label;
  node.setAttribute('aria-label', label);
  explainIcon.element({ container: node, elementSize: 'normal' });
  node.addEventListener('click', explain);
  const widget = new Widget({ node });
  widget.addClass(CLASS);
  return widget;
}
