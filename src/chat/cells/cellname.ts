/** What screen readers call the cells of a chat. */
import type { Cell } from '@jupyterlab/cells';

import { trans } from '../../base/words';
import type { PairState } from '../../document/metadata';
import { shortTitle } from '../../document/title';
import { readableText } from '../../render/readable';

/** How much of a text is looked at for its beginning. */
const MAX_READ = 2000;

/** Where a message is among those that are visible. */
export interface IPlace {
  number: number;
  count: number;
}

/** What the name of a pair says besides its place. */
export interface IPairWords {
  message: string;
  reply: string;
  /** The name of the model; empty if the message was not sent. */
  model: string;
  state: PairState;
}

/** A cell that has a name for screen readers. */
export interface INamedCell {
  readonly cellName: CellName;
}

/**
 * The name of a cell, an article in the feed that a notebook is. JupyterLab names cells by their
 * types, again whenever an output comes or goes; `write` corrects that.
 */
export class CellName {
  constructor(private _node: HTMLElement) {
    _node.setAttribute('role', 'article');
  }

  /** Say what the cell is, by its place. */
  say(words: (place: IPlace | null) => string): void {
    this._words = words;
    this.write();
  }

  /** Where the message is; a cell without one ignores it. */
  set place(place: IPlace) {
    const { number, count } = this._place ?? {};
    if (place.number !== number || place.count !== count) {
      this._place = place;
      this.write();
    }
  }

  /** Set the name again. */
  write(): void {
    const name = this._words?.(this._place);
    if (name && name !== this._node.getAttribute('aria-label')) {
      this._node.setAttribute('aria-label', name);
    }
  }

  private _place: IPlace | null = null;
  private _words: ((place: IPlace | null) => string) | null = null;
}

/** The name of a pair: its place, how the message begins, and what became of it. */
export function pairWords(pair: IPairWords): (place: IPlace | null) => string {
  const message = sentence(beginning(pair.message));
  const reply = replyWords(pair);
  return place =>
    [
      place
        ? trans.__('Message %1 of %2:', place.number, place.count)
        : trans.__('Message:'),
      message,
      reply
    ]
      .filter(Boolean)
      .join(' ');
}

/** The name of a system message. */
export function systemWords(text: string): () => string {
  const words = beginning(text);
  return () => trans.__('System message: %1', words);
}

/** The name of a note. */
export function noteWords(text: string): () => string {
  const words = beginning(text);
  return () => trans.__('Note: %1', words);
}

/** What the text of a cell is called. */
export function textName(type: string): string {
  switch (type) {
    case 'raw':
      return trans.__('System text');
    case 'markdown':
      return trans.__('Text of the note');
    default:
      return trans.__('What you wrote');
  }
}

/** Whether a cell has a name for screen readers. */
export function isNamed(cell: Cell): cell is Cell & INamedCell {
  return (cell as Partial<INamedCell>).cellName !== undefined;
}

function replyWords({ state, model, reply }: IPairWords): string {
  const name = shortTitle(model) || trans.__('the model');
  const start = beginning(reply);
  switch (state) {
    case 'idle':
      return start ? trans.__('Reply: %1', start) : trans.__('No reply.');
    case 'sending':
    case 'awaiting':
      return trans.__('Waiting for the reply from %1.', name);
    case 'error':
      return trans.__('The reply from %1 failed.', name);
    case 'canceled':
      return trans.__('The reply from %1 was stopped.', name);
    case 'succeeded':
      return start
        ? trans.__('Reply from %1: %2', name, start)
        : trans.__('Reply from %1.', name);
  }
}

/** The first words of a text, without the marks of Markdown. */
function beginning(text: string): string {
  return shortTitle(readableText(text.slice(0, MAX_READ)));
}

function sentence(text: string): string {
  return !text || /[.!?…:;。！？]$/.test(text) ? text : `${text}.`;
}
