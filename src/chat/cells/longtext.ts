import { trans } from '../../base/words';
import { TextPieces } from '../../render/pieces';
import { button, element } from '../../ui/dom';

/** How much of a long text is shown before it is expanded. */
const HEAD_CHARS = 1_200;
const HEAD_LINES = 14;

/**
 * A text that shows its beginning, and all of it on request.
 *
 * It is always plain text: nothing in it is rendered as HTML or Markdown.
 */
export class LongText {
  /**
   * @param complete - Formats the whole text; the beginning of a huge text is shown unformatted.
   */
  constructor(
    className: string,
    private _complete: (text: string) => string = text => text
  ) {
    this.node = element('div', `jp-Turnbook-longText ${className}`);
    this._text = element('pre', 'jp-Turnbook-longText-text');
    this._text.tabIndex = 0;
    this._text.setAttribute('role', 'group');
    this._more = button('', 'jp-Turnbook-linkButton', () => {
      this._isOpen = !this._isOpen;
      this._draw();
    });
    this.node.append(this._text, this._more);
  }

  readonly node: HTMLElement;

  /** The accessible name of the text. */
  set name(name: string) {
    this._text.setAttribute('aria-label', name);
  }

  /** The text; it is rendered again only if it changes. */
  set text(text: string) {
    if (text !== this._source) {
      this._source = text;
      this._draw();
    }
  }

  private _draw(): void {
    const text = this._source ?? '';
    // A huge text is not parsed as JSON just to show its beginning.
    const isHuge = text.length > 64 * HEAD_CHARS;
    const all = isHuge && !this._isOpen ? text : this._complete(text);
    const head = beginning(all);
    const isLong = head.length < all.length;
    this._text.replaceChildren();
    new TextPieces(this._text).append(
      this._isOpen || !isLong ? all : `${head}…`
    );
    this._text.classList.toggle('jp-mod-open', this._isOpen && isLong);
    this._more.hidden = !isLong;
    this._more.textContent = this._isOpen
      ? trans.__('Show less')
      : trans.__('Show all (%1 characters)', all.length.toLocaleString('en'));
    this._more.title = this._more.textContent;
    this._more.setAttribute('aria-expanded', String(this._isOpen));
  }

  private _isOpen = false;
  private _more: HTMLButtonElement;
  private _source: string | null = null;
  private _text: HTMLElement;
}

function beginning(text: string): string {
  const head = text.slice(0, HEAD_CHARS);
  const lines = head.split('\n');
  return lines.length > HEAD_LINES
    ? lines.slice(0, HEAD_LINES).join('\n')
    : head;
}
