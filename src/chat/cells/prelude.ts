/**
 * What other plugins add before a chat's messages.
 */
import { Token } from '@lumino/coreutils';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../../base/words';
import { errorMessage } from '../../base/errors';

/** The chat for which a contribution is read. */
export interface IPreludeChat {
  path: string;
  /** Empty before the first message in a file that was not a chat. */
  chatId: string;
}

/** A system message that a plugin adds. */
export interface IPreludeContribution {
  /** Unique among all contributions; starts with the name of the plugin. */
  id: string;
  /** Who adds it, as shown to the user. */
  title: string;
  /** Lower ranks are sent earlier; 100 by default. */
  rank?: number;
  /** The text for a chat; null or empty adds nothing. */
  text(chat: IPreludeChat): string | null;
  /** Emitted when the text may have changed. */
  changed?: ISignal<unknown, unknown>;
}

/** A system message of a prelude, ready to be shown and sent. */
export interface IPreludeMessage {
  id: string;
  title: string;
  text: string;
}

/** A contribution that could not be read, and so is not sent. */
export interface IPreludeProblem {
  id: string;
  title: string;
  /** What happened and what to do. */
  message: string;
}

/**
 * The system messages that plugins add to chats. They are shown in each chat, and never sent
 * without being shown.
 */
export interface IPrelude {
  /** Add a contribution until the result is disposed. */
  add(contribution: IPreludeContribution): IDisposable;

  /** The messages that are added to a chat, in order. */
  messages(chat: IPreludeChat): IPreludeMessage[];

  /** The messages that are added to a chat, and the contributions that could not be read. */
  read(chat: IPreludeChat): {
    messages: IPreludeMessage[];
    problems: IPreludeProblem[];
  };

  /** Emitted when a contribution is added, removed or changed. */
  readonly changed: ISignal<IPrelude, void>;
}

/** The token of the prelude. */
export const IPrelude = new Token<IPrelude>(
  'jupyterlab-turnbook:IPrelude',
  'Adds system messages that are sent first in a chat. Each is shown in the chat as a block that names who added it; nothing is added unseen.'
);

const DEFAULT_RANK = 100;

/** The contributions, ordered by rank and then by registration. */
export class PreludeRegistry implements IPrelude {
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  add(contribution: IPreludeContribution): IDisposable {
    const { id, changed } = contribution;
    if (this._contributions.some(one => one.id === id)) {
      throw new Error(
        `The prelude has a contribution ${id} already. Dispose of it first, or choose another id.`
      );
    }
    this._contributions = [...this._contributions, contribution].sort(
      (a, b) => rank(a) - rank(b)
    );
    changed?.connect(this._emit, this);
    this._emit();
    return new DisposableDelegate(() => {
      changed?.disconnect(this._emit, this);
      this._contributions = this._contributions.filter(
        one => one !== contribution
      );
      this._emit();
    });
  }

  messages(chat: IPreludeChat): IPreludeMessage[] {
    return this.read(chat).messages;
  }

  read(chat: IPreludeChat): ReturnType<IPrelude['read']> {
    const messages: IPreludeMessage[] = [];
    const problems: IPreludeProblem[] = [];
    for (const contribution of this._contributions) {
      const { id, title } = contribution;
      try {
        const text: unknown = contribution.text({ ...chat });
        if (text !== null && typeof text !== 'string') {
          throw new TypeError(trans.__('its text is of type %1', typeof text));
        }
        if (text?.trim()) {
          messages.push({ id, title, text });
        }
      } catch (error) {
        const reason = errorMessage(error);
        problems.push({
          id,
          title,
          message: trans.__(
            'What %1 adds to this chat cannot be read and is not sent: %2. Reload the page, or disable the extension that adds %3.',
            title,
            reason,
            id
          )
        });
      }
    }
    return { messages, problems };
  }

  private _emit(): void {
    this._changed.emit();
  }

  private _changed = new Signal<this, void>(this);
  private _contributions: IPreludeContribution[] = [];
}

function rank(contribution: IPreludeContribution): number {
  return contribution.rank ?? DEFAULT_RANK;
}
