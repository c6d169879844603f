import type { ISharedCell } from '@jupyter/ydoc';
import { Widget } from '@lumino/widgets';

import { trans } from '../../base/words';
import { cellNote, type IKeptNote } from '../../document/cells';
import { element } from '../../ui/dom';

const CLASS = 'jp-Turnbook-kept';

/** Shows in a cell what is sent if that is not its text, which few cells have. */
export class KeptMessages {
  constructor(private _insert: (view: Widget) => void) {}

  /** Show the messages stored in a cell, if they are sent instead of its text. */
  show(cell: ISharedCell): void {
    const note = cellNote(cell);
    if (note && !this._view) {
      this._view = new KeptView();
      this._insert(this._view);
    }
    this._view?.display(note);
  }

  private _view: KeptView | null = null;
}

/**
 * The messages that are sent instead of a cell's text, because text cannot express all of them.
 *
 * A file may contain messages that have nothing to do with the text; those are shown at once.
 */
class KeptView extends Widget {
  constructor() {
    super({ node: document.createElement('details') });
    this.addClass(CLASS);
    this._summary = element('summary', `${CLASS}-summary`);
    this._json = element('pre', `${CLASS}-json`);
    this.node.append(this._summary, this._json);
    // Rendered on demand, since they may be long.
    this.node.addEventListener('toggle', () => this._write());
  }

  /** Show what is sent instead of the text; null if the text is sent. */
  display(note: IKeptNote | null): void {
    this.setHidden(note === null);
    const json = note ? JSON.stringify(note.messages, null, 2) : '';
    if (json === this._text) {
      return;
    }
    this._text = json;
    const isOther = note !== null && !note.isShown;
    this.toggleClass('jp-mod-other', isOther);
    this._summary.textContent = isOther
      ? trans.__('The text above is not what is sent. This is:')
      : trans.__('Sent as JSON');
    this._summary.title = trans.__(
      'What is sent in the place of the text, until you edit the text'
    );
    (this.node as HTMLDetailsElement).open = isOther;
    this._write();
  }

  private _write(): void {
    const { open } = this.node as HTMLDetailsElement;
    this._json.textContent = open ? this._text : '';
  }

  private _json: HTMLElement;
  private _summary: HTMLElement;
  private _text = '';
}
