import type { TranslationBundle } from '@jupyterlab/translation';
import { filterIcon } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';

import type { FilterBar } from '../../filter/bar';
import { button } from '../../ui/dom';

/**
 * The filter in the toolbar: a button that shows its bar, and the counter.
 *
 * With it, the bar is folded away while it is empty; without it, the bar has the counter.
 */
export class FilterTool extends Widget {
  constructor(private _options: FilterTool.IOptions) {
    super();
    this.addClass('jp-Turnbook-filterSwitch');
    const { bar, counter, trans } = _options;
    this._button = button(
      trans.__('Filter'),
      'jp-Turnbook-filterSwitch-button',
      () => this._onClick(),
      trans.__('Filter the visible cells (/)')
    );
    this._button.prepend(
      filterIcon.element({ tag: 'span', className: 'jp-Icon-16' })
    );
    // A click leaves the focus in the bar, which would fold away otherwise.
    this._button.addEventListener('mousedown', event => event.preventDefault());
    this.node.append(this._button, counter);
    bar.folds = true;
    bar.folded.connect(this._show, this);
    this._show();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    const { bar, counter } = this._options;
    if (!bar.isDisposed) {
      bar.folded.disconnect(this._show, this);
      bar.folds = false;
      bar.slot.append(counter);
    }
    super.dispose();
  }

  private _onClick(): void {
    const { bar, onLeave } = this._options;
    if (bar.isHidden || bar.model.text !== '') {
      bar.focus();
    } else {
      onLeave();
    }
  }

  private _show(): void {
    const { bar } = this._options;
    this._button.setAttribute('aria-expanded', String(!bar.isHidden));
  }

  private _button: HTMLButtonElement;
}

/**
 * The namespace for `FilterTool` statics.
 */
export namespace FilterTool {
  export interface IOptions {
    bar: FilterBar;
    counter: HTMLElement;
    trans: TranslationBundle;
    /** Called when the user closes the empty bar. */
    onLeave: () => void;
  }
}
