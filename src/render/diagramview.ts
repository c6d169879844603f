import { trans } from '../base/words';
import {
  OPEN_CLASS,
  RETHEMED,
  type IDiagram,
  type IDiagrams
} from './diagrams';

/** The event that asks a node's ancestors to show it, such as code behind its diagram. */
export const UNCOVER = 'turnbook-uncover';

/**
 * Create the button that shows a code block as a diagram and as code again.
 *
 * Nothing is drawn before the user asks for it. What cannot be drawn stays code, with the reason
 * below it.
 *
 * @param frame - The frame around the code.
 * @param code - The code block in it.
 */
export function diagramButton(
  frame: HTMLElement,
  code: HTMLElement,
  diagrams: IDiagrams
): HTMLButtonElement {
  return new DiagramView(frame, code, diagrams).button;
}

class DiagramView {
  constructor(
    private _frame: HTMLElement,
    private _code: HTMLElement,
    private _diagrams: IDiagrams
  ) {
    this._source = _code.textContent ?? '';
    this.button.type = 'button';
    this.button.className = 'jp-Turnbook-diagramButton';
    // Notebook shortcuts would otherwise capture Enter, Space and Escape.
    this.button.setAttribute('data-lm-suppress-shortcuts', 'true');
    this.button.addEventListener('click', event => {
      event.stopPropagation();
      this._toggle();
    });
    _frame.addEventListener('keydown', this._onKey);
    _frame.addEventListener(UNCOVER, () => this._showCode());
    _frame.addEventListener(RETHEMED, () => void this._draw());
    this._say();
    if (_diagrams.isOpen(this._source)) {
      const drawn = _diagrams.drawn(this._source);
      if (drawn) {
        this._show(drawn);
      } else {
        void this._draw();
      }
    }
  }

  readonly button = document.createElement('button');

  private _toggle(): void {
    if (this._picture) {
      this._showCode();
    } else if (!this._isBusy) {
      void this._draw();
    }
  }

  private async _draw(): Promise<void> {
    this._isBusy = true;
    this._complain(null);
    this._say();
    let diagram: IDiagram | null = null;
    try {
      diagram = await this._diagrams.draw(this._source);
    } catch (reason) {
      this._complain(reason);
    }
    this._isBusy = false;
    if (diagram) {
      this._show(diagram);
    } else {
      this._showCode();
    }
  }

  private _show({ url, width, height, name }: IDiagram): void {
    this._diagrams.setOpen(this._source, true);
    const image = document.createElement('img');
    image.alt = name;
    image.width = width;
    image.height = height;
    image.src = url;
    if (!this._picture) {
      this._picture = document.createElement('div');
      this._picture.className = 'jp-Turnbook-diagram';
      this._picture.setAttribute('data-lm-suppress-shortcuts', 'true');
      // A wide one is scrolled with the keyboard too.
      this._picture.tabIndex = 0;
      this._code.after(this._picture);
    }
    this._picture.replaceChildren(image);
    this._frame.classList.add(OPEN_CLASS);
    this._say();
  }

  private _showCode(): void {
    this._diagrams.setOpen(this._source, false);
    const hadFocus = this._picture?.contains(document.activeElement);
    this._picture?.remove();
    this._picture = null;
    this._frame.classList.remove(OPEN_CLASS);
    this._say();
    if (hadFocus) {
      this.button.focus();
    }
  }

  private _onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && this._picture) {
      event.preventDefault();
      event.stopPropagation();
      this._showCode();
    }
  };

  /** Show below the code why there is no diagram. */
  private _complain(reason: unknown): void {
    this._remark?.remove();
    this._remark = null;
    if (reason) {
      const isError = reason instanceof Error;
      this._remark = document.createElement('div');
      this._remark.className = 'jp-Turnbook-remark jp-Turnbook-diagramRemark';
      this._remark.setAttribute('role', 'status');
      this._remark.textContent = isError ? reason.message : String(reason);
      if (isError && typeof reason.cause === 'string') {
        const cause = document.createElement('code');
        cause.textContent = reason.cause;
        this._remark.append(cause);
      }
      this._frame.append(this._remark);
    }
  }

  private _say(): void {
    const { button } = this;
    button.textContent = this._isBusy
      ? trans.__('Drawing…')
      : this._picture
        ? trans.__('Show code')
        : trans.__('Show diagram');
    button.title = this._picture
      ? trans.__('Show the code of this diagram (Esc)')
      : trans.__('Draw this code as a diagram');
    button.setAttribute('aria-disabled', String(this._isBusy));
  }

  private _isBusy = false;
  private _picture: HTMLElement | null = null;
  private _remark: HTMLElement | null = null;
  private _source: string;
}
