import { trans } from '../../base/words';
import { TextPieces } from '../../render/pieces';
import { element } from '../../ui/dom';

const CLASS = 'jp-Turnbook-reasoning';

/** The state of what a model thought. */
export interface IReasoningState {
  /** How long it took so far or in total; null if that is not known. */
  seconds: number | null;
  /** Whether the model is thinking now. */
  live: boolean;
}

/**
 * What a model thought, as a disclosure.
 *
 * It is always plain text: nothing in it is rendered as HTML or Markdown. While it is closed, its
 * text stays in the page for search, which opens it.
 */
export class ReasoningView {
  constructor(isOpen: boolean) {
    this.node = element('section', CLASS);
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', trans.__('Reasoning'));
    this._button = element('button', `${CLASS}-button`);
    this._button.type = 'button';
    this._button.addEventListener('click', () => {
      this._isChosen = true;
      this._open(!this._isOpen);
    });
    // JupyterLab's own class for text, by which search finds it.
    this._text = element('div', `jp-RenderedText ${CLASS}-text`);
    this._text.dir = 'auto';
    this._pieces = new TextPieces(this._text);
    this.node.append(this._button, this._text);
    this._open(isOpen);
  }

  readonly node: HTMLElement;

  /** Whether the text is visible. Setting it does not overrule what the user chose. */
  get isOpen(): boolean {
    return this._isOpen;
  }
  set isOpen(isOpen: boolean) {
    if (!this._isChosen) {
      this._open(isOpen);
    }
  }

  /** The text so far. */
  get text(): string {
    return this._text.textContent ?? '';
  }

  /** Show the text if a place is in it, whatever the user chose. */
  openAt(place: Node): void {
    if (this._text.contains(place)) {
      this._open(true);
      const node = place instanceof Element ? place : place.parentElement;
      node?.scrollIntoView({ block: 'nearest' });
    }
  }

  /** Append text. */
  append(text: string): void {
    const follows = isAtEnd(this._text);
    this._pieces.append(text);
    if (follows) {
      this._text.scrollTop = this._text.scrollHeight;
    }
  }

  /** Say how long it takes or took. */
  update({ seconds, live }: IReasoningState): void {
    const counts = seconds !== null && seconds >= 1;
    const label = live
      ? counts
        ? trans.__('Thinking… %1 s', seconds)
        : trans.__('Thinking…')
      : counts
        ? trans.__('Thought for %1 s', seconds)
        : trans.__('Thought');
    this.node.classList.toggle('jp-mod-live', live);
    if (this._button.textContent !== label) {
      this._button.textContent = label;
      // Without the arrow, which style sheets add.
      this._button.setAttribute('aria-label', label);
    }
  }

  private _open(isOpen: boolean): void {
    this._isOpen = isOpen;
    this.node.classList.toggle('jp-mod-open', isOpen);
    this._button.setAttribute('aria-expanded', String(isOpen));
    this._button.title = isOpen
      ? trans.__('Hide what the model thought')
      : trans.__('Show what the model thought');
  }

  private _button: HTMLButtonElement;
  /** Whether the user opened or closed it. */
  private _isChosen = false;
  private _isOpen = false;
  private _pieces: TextPieces;
  private _text: HTMLElement;
}

/** How near to its end a text must be scrolled to follow what is appended. */
const NEAR_PX = 24;

function isAtEnd(node: HTMLElement): boolean {
  return node.scrollHeight - node.scrollTop - node.clientHeight < NEAR_PX;
}
