import type { TranslationBundle } from '@jupyterlab/translation';

import type { INewPairs } from '../../context/newpairs';
import { button, element } from '../../ui/dom';

/** The line below the filter about new pairs that it does not match. */
export class NewPairsLine {
  /**
   * @param onShow - Called when the user wants to show or hide them.
   */
  constructor(
    private _trans: TranslationBundle,
    onShow: (isShown: boolean) => void
  ) {
    this.node = element('div', 'jp-Turnbook-newPairs');
    this._text = element('span', 'jp-Turnbook-newPairs-text');
    this._text.setAttribute('role', 'status');
    this._button = button('', 'jp-Turnbook-link', () => onShow(!this._isShown));
    this.node.append(this._text, this._button);
    this.show({ shown: 0, hidden: 0 });
  }

  readonly node: HTMLElement;

  show({ shown, hidden }: INewPairs): void {
    const trans = this._trans;
    this._isShown = shown > 0;
    const words = [
      ...(shown
        ? [
            trans._n(
              '%1 new pair does not match the filter. It is shown, and is sent with the next message.',
              '%1 new pairs do not match the filter. They are shown, and are sent with the next message.',
              shown
            )
          ]
        : []),
      ...(hidden
        ? [trans._n('%1 new pair hidden', '%1 new pairs hidden', hidden)]
        : [])
    ].join(' · ');
    this.node.hidden = words === '';
    if (this._text.textContent !== words) {
      this._text.textContent = words;
    }
    this._button.textContent = this._isShown
      ? trans.__('Hide')
      : trans.__('Show');
    this._button.title = this._isShown
      ? trans._n(
          'Hide it, and leave it out of the next message',
          'Hide them, and leave them out of the next message',
          shown
        )
      : trans._n(
          'Show it, and send it with the next message',
          'Show them, and send them with the next message',
          hidden
        );
  }

  private _button: HTMLButtonElement;
  private _isShown = false;
  private _text: HTMLElement;
}
