import { trans } from '../../base/words';
import { eyeClosedIcon, eyeIcon } from '../../ui/icons';
import { button, element } from '../../ui/dom';

const CLASS = 'jp-Turnbook-eye';

/** Whether a part of a turn is sent. */
export interface IEyeState {
  isSent: boolean;
  /** Why that cannot be changed now; empty if it can. */
  obstacle: string;
}

/** The names of the two actions on a part. */
export interface IEyeNames {
  /** *Do not send …* */
  keep: string;
  /** *Send …* */
  send: string;
}

/** A button that keeps a part of a turn out of what is sent, and says so. */
export class EyeButton {
  constructor(
    private _names: IEyeNames,
    onToggle: () => void
  ) {
    this.node = element('span', CLASS);
    this._button = button('', 'jp-Turnbook-iconButton', onToggle);
    this._words = element('span', `${CLASS}-words`);
    this.node.append(this._button, this._words);
  }

  readonly node: HTMLElement;

  /** Show whether the part is sent. */
  update({ isSent, obstacle }: IEyeState): void {
    const name = isSent ? this._names.keep : this._names.send;
    this._button.title = obstacle ? `${name}: ${obstacle}` : name;
    this._button.setAttribute('aria-label', this._button.title);
    this._button.disabled = obstacle !== '';
    this._words.textContent = isSent ? '' : trans.__('not sent');
    this.node.classList.toggle('jp-mod-closed', !isSent);
    if (isSent !== this._isSent) {
      this._isSent = isSent;
      const icon = isSent ? eyeIcon : eyeClosedIcon;
      icon.element({ container: this._button, width: '16px', height: '16px' });
    }
  }

  private _button: HTMLButtonElement;
  private _isSent: boolean | null = null;
  private _words: HTMLElement;
}
