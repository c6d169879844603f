import { trans } from '../../base/words';
import { prettyJSON, textOf, type IToolCall } from '../../document/rounds';
import type { IMessage } from '../../base/message';
import { copyText } from '../../render/guard';
import { element, growText } from '../../ui/dom';
import { LongText } from './longtext';

const CLASS = 'jp-Turnbook-call';

/** Names of tools are short; longer ones are truncated. */
const NAME_CHARS = 200;

/** A tool call as a bubble: its name, its arguments and its result, which the user can edit. */
export class CallView {
  constructor(
    private _isLive: boolean,
    onKey: (event: KeyboardEvent) => void
  ) {
    this._state = element('span', `${CLASS}-state`);
    this._name = element('code', `${CLASS}-name`);
    this._arguments = new LongText(
      `${CLASS}-arguments`,
      _isLive ? undefined : prettyJSON
    );
    this._more = new LongText(`${CLASS}-more`);
    this._result = new LongText(`${CLASS}-result`);
    this._text = element('textarea', `jp-Turnbook-composer-text ${CLASS}-text`);
    this._text.dir = 'auto';
    this._text.placeholder = trans.__('Write the result of the tool');
    this._text.title = trans.__('Ctrl+Enter continues, Esc moves to the cells');
    this._text.rows = 1;
    this._text.addEventListener('input', () => {
      growText(this._text);
      this._text.removeAttribute('aria-invalid');
    });
    this._text.addEventListener('keydown', onKey);
    const head = element('div', `${CLASS}-head`);
    head.append(
      element('span', `${CLASS}-kind`, trans.__('calls')),
      this._name,
      this._state
    );
    this._label = element('div', `${CLASS}-label`, trans.__('Result'));
    this._label.setAttribute('aria-hidden', 'true');
    this.node = element('article', CLASS);
    this.node.append(
      head,
      this._arguments.node,
      this._more.node,
      this._label,
      this._result.node,
      this._text
    );
  }

  readonly node: HTMLElement;

  /** The result as the user changed it; null if they did not. */
  get written(): string | null {
    return this._isEditable && this._text.value !== this._known
      ? this._text.value
      : null;
  }

  /** Whether there is no result, neither in the document nor from the user. */
  get isOpen(): boolean {
    return (this.written ?? this._known) === '';
  }

  /** Show a call; a result that the user is editing stays unchanged. */
  update(call: IToolCall, answer: IMessage | null, editable: boolean): void {
    const name = call.name.slice(0, NAME_CHARS) || trans.__('(no name)');
    const known = answer ? textOf(answer.content) : '';
    const isUntouched = this.written === null;
    this.node.setAttribute('aria-label', trans.__('Call of %1', name));
    this._arguments.name = trans.__('Arguments of %1', name);
    this._more.name = trans.__('More of the call of %1', name);
    this._result.name = trans.__('Result of %1', name);
    this._text.setAttribute('aria-label', trans.__('Result of %1', name));
    this._name.replaceChildren();
    copyText(name, this._name);
    this._name.title = call.id;
    this._arguments.text = call.arguments;
    this._arguments.node.hidden = call.arguments === '';
    this._more.text = call.more;
    this._more.node.hidden = call.more === '';
    this._known = known;
    this._isEditable = editable;
    this._text.hidden = !editable;
    if (editable && isUntouched) {
      this._text.value = known;
      this._known = this._text.value;
    }
    this._result.text = known;
    this._result.node.hidden = editable || known === '';
    this._label.hidden = this._isLive || (!editable && known === '');
    this._state.textContent =
      this._isLive || answer !== null ? '' : trans.__('no result yet');
    requestAnimationFrame(() => growText(editable ? this._text : null));
  }

  /** Mark the result as missing, and focus it. */
  miss(): void {
    this._text.setAttribute('aria-invalid', 'true');
    this._text.focus();
  }

  /** Discard the user's changes. */
  reset(): void {
    this._text.value = this._known;
  }

  private _arguments: LongText;
  private _isEditable = false;
  private _known = '';
  private _label: HTMLElement;
  private _more: LongText;
  private _name: HTMLElement;
  private _result: LongText;
  private _state: HTMLElement;
  private _text: HTMLTextAreaElement;
}
