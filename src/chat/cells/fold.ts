import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { button, element } from '../../ui/dom';

/** How many lines a text may have before it can be folded. */
const MAX_LINES = 40;

/** How many lines a folded text shows; `fold.css` cuts it there. */
const HEAD_LINES = 16;

/** How many lines a text has, without empty ones at its end. */
export function lineCount(text: string): number {
  return text.trimEnd().split('\n').length;
}

/** Whether a text is folded in a chat that is opened. */
export function isLong(text: string): boolean {
  return lineCount(text) > MAX_LINES;
}

/** What a folded text shows. */
export function headOf(text: string): string {
  return isLong(text) ? text.split('\n', HEAD_LINES).join('\n') : text;
}

/**
 * A button below a long text that folds and unfolds it.
 *
 * Only the view is folded: the document and what is sent stay the same, and the button says so.
 */
export class Fold extends Widget {
  /**
   * @param part - The text's element.
   */
  constructor(
    private _part: HTMLElement,
    private _trans: TranslationBundle
  ) {
    super();
    this.addClass('jp-Turnbook-fold');
    this._button = button('', 'jp-Turnbook-linkButton', () => this._onClick());
    this._hint = element(
      'span',
      'jp-Turnbook-fold-hint',
      _trans.__('Folding does not change what is sent')
    );
    this.node.append(this._button, this._hint);
    _part.addEventListener('focusin', this._onFocus);
  }

  /** Whether only the beginning is visible. */
  get isFolded(): boolean {
    return this._isFolded;
  }
  set isFolded(isFolded: boolean) {
    this._isFolded = isFolded;
    this._update();
  }

  /** How many lines the text has. */
  set lines(lines: number) {
    this._lines = lines;
    this._update();
  }

  override dispose(): void {
    this._part.classList.remove('jp-mod-folded');
    this._part.removeEventListener('focusin', this._onFocus);
    super.dispose();
  }

  private _update(): void {
    const trans = this._trans;
    this._part.classList.toggle('jp-mod-folded', this._isFolded);
    this._button.setAttribute('aria-expanded', String(!this._isFolded));
    this._button.textContent = this._isFolded
      ? trans.__('Show all %1 lines', this._lines)
      : trans.__('Show less');
    this._button.title = trans.__('Fold or unfold this text (F)');
    this._hint.hidden = !this._isFolded;
  }

  private _onClick(): void {
    this.isFolded = !this.isFolded;
    if (this.isFolded) {
      // Its end was in view, and its beginning may be far above.
      this._part.scrollIntoView({ block: 'nearest' });
    }
  }

  /** What has the focus must be visible. */
  private _onFocus = ({ target }: Event): void => {
    const { bottom } = (target as Element).getBoundingClientRect();
    const isEdited = (target as HTMLElement).isContentEditable;
    if (isEdited || bottom > this._part.getBoundingClientRect().bottom) {
      this.isFolded = false;
    }
  };

  private _button: HTMLButtonElement;
  private _hint: HTMLElement;
  private _isFolded = false;
  private _lines = 0;
}
