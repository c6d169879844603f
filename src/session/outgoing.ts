import type { ISharedNotebook } from '@jupyter/ydoc';
import { UUID } from '@lumino/coreutils';

import { trans } from '../base/words';
import type { INewRun } from '../base/run';
import type { ContextModel } from '../context/contextmodel';
import { pairCell } from '../document/chatfile';
import { ensurePair, findPair, lastCell } from '../document/landing';
import type { IRunInfo } from '../document/metadata';
import type { ISiblingMark } from '../document/siblingmark';
import { Pair } from '../document/pair';
import { beginResend, cellBefore, removeUnsent } from '../document/resend';
import { lastAttempt } from '../document/siblings';
import type { RequestDraft } from '../request/draft';
import type { IHeld } from '../request/pause';
import type { ChatRequests } from '../request/requests';
import type { ChatAbout } from './about';
import type { Draft } from './draft';
import type { ChatFile } from './file';
import type { IAskedModels } from './fileask';
import type { Notice } from './notice';
import type { RefusedText } from './refused';
import type { RequestHost } from './requesthost';

/** A request whose pair is in the document. */
export interface IPlaced extends Pick<INewRun, 'pair' | 'cell' | 'after'> {
  /** The run metadata of the pair. */
  readonly info: IRunInfo;
  /** Whether the pair had been sent before. */
  readonly resend: boolean;
  /** Whether the pair existed before, and stays. */
  readonly isOld: boolean;
  /** Undo placing it, because nothing was sent; the user gets the text back. */
  takeBack(): void;
}

/**
 * Something that the user wants to send, in one of six ways; `Sender` handles all of them alike.
 */
export interface Outgoing extends IAskedModels {
  /** Its form as a paused message. */
  readonly held: IHeld;
  /** Whether the composer itself shows why it cannot be sent. */
  readonly isQuiet: boolean;
  /** A text that says what is kept of it when another message is paused. */
  readonly kept: string;
  /** The place of its first reply among several to its message; null for a single one. */
  firstSibling(): ISiblingMark | null;
  /**
   * Load what is needed and not in the document; return whether it can be sent, and tell the user
   * if not.
   */
  load?(): Promise<boolean>;
  /** Why its pair can no longer be sent, as a text; null if it can. */
  gone(): string | null;
  /** The current request; null if there is none. `state` holds stored edits of it. */
  draft(state?: Uint8Array): RequestDraft | null;
  /** Insert it into the document. */
  place(info: IRunInfo): IPlaced;
  /** To be called when it has been sent from where it was written. */
  left(): void;
  /** Write into the document what a paused message does not contain. */
  write(): void;
  /** Keep what the user wrote, because it is not sent now. */
  keep(): void;
}

/** Says that a pair is gone. */
export const noPair = () =>
  trans.__('Nothing was sent: the pair is not in the chat any more.');

/** What outgoing messages need. */
export interface IOutgoingParts {
  about: Pick<ChatAbout, 'askedAgain' | 'chatId' | 'model' | 'topic'>;
  context: ContextModel;
  draft: Draft;
  file: Pick<ChatFile, 'autosave' | 'repeatable'>;
  host: Pick<
    RequestHost,
    'debugName' | 'firstRequest' | 'frameOf' | 'sentPair'
  >;
  notebook: ISharedNotebook;
  notice: Notice;
  refused: RefusedText;
  requests: ChatRequests;
}

/** The defaults of what is sent. */
export abstract class Sent {
  constructor(
    protected parts: IOutgoingParts,
    readonly models: readonly string[] = []
  ) {}

  readonly areChosen: boolean = true;
  readonly isQuiet: boolean = false;
  readonly kept: string = '';

  firstSibling(): ISiblingMark | null {
    return this.models.length > 1 ? { group: this._group, sibling: 0 } : null;
  }

  left(): void {
    return;
  }

  write(): void {
    return;
  }

  keep(): void {
    return;
  }

  private _group = UUID.uuid4();
}

/** The message being written becomes a pair at the end. */
export class NewMessage extends Sent implements Outgoing {
  override readonly isQuiet = true;

  get held(): IHeld {
    const { pair, text } = this.parts.draft;
    return {
      pair,
      text,
      at: Date.now(),
      resend: false,
      ...heldModels(this.models)
    };
  }

  gone(): null {
    return null;
  }

  draft(): RequestDraft | null {
    const { draft, requests } = this.parts;
    return draft.isEmpty ? null : requests.live;
  }

  place(info: IRunInfo): IPlaced {
    const { about, draft, file, notebook } = this.parts;
    const { pair, text, attachments } = draft;
    const marks = about.topic ? { topic: about.topic } : {};
    const cell = pairCell(pair, text, info, marks, attachments);
    const after = lastCell(notebook);
    file.repeatable(() => ensurePair(notebook, cell, after));
    const takeBack = () => {
      removeUnsent(notebook, pair, info.runId);
      draft.restore(pair, text, attachments);
    };
    return { pair, cell, after, info, resend: false, isOld: false, takeBack };
  }

  override left(): void {
    this.parts.draft.clear();
  }
}

/** A pair is sent with another text; its previous state is kept as a version. */
export class Resend extends Sent implements Outgoing {
  constructor(
    parts: IOutgoingParts,
    private _pair: string,
    private _text: string,
    models: readonly string[] = []
  ) {
    super(parts, models);
    this._isEdited = Pair.find(parts.notebook, _pair)?.source !== _text;
    this.kept = this._isEdited ? trans.__('The edited text is kept.') : '';
  }

  /** They are those of the pair's replies, as the file says. */
  override readonly areChosen = false;
  override readonly kept: string;

  get held(): IHeld {
    return {
      pair: this._pair,
      text: this._text,
      at: Date.now(),
      resend: true,
      ...heldModels(this.models)
    };
  }

  gone(): string | null {
    return findPair(this.parts.notebook, this._pair) ? null : noPair();
  }

  draft(state?: Uint8Array): RequestDraft {
    return this.parts.requests.resend(this._pair, this._text, state);
  }

  place(info: IRunInfo): IPlaced {
    return placeAgain(this.parts.notebook, this._pair, info, (cell, next) => {
      const takeBack = beginResend(this.parts.notebook, cell, this._text, next);
      return () => {
        takeBack();
        this.keep();
      };
    });
  }

  override keep(): void {
    const { draft, refused } = this.parts;
    if (!this._isEdited) {
      return;
    }
    if (draft.isDisposed) {
      // The chat was closed: when it is opened again, the text is in the composer.
      draft.restore(draft.pair, this._text, []);
    } else {
      refused.keep(this._pair, this._text);
    }
  }

  /** Whether the text is not the one that the pair has. */
  private readonly _isEdited: boolean;
}

/** A pair asks again for its reply. There is no new text to keep. */
export class Regenerate extends Resend {
  override readonly kept = '';

  override get held(): IHeld {
    return { ...super.held, regenerate: true };
  }

  override keep(): void {
    return;
  }
}

/** Start the next attempt at a pair; `begin` returns what undoes it. */
export function placeAgain(
  notebook: ISharedNotebook,
  pair: string,
  made: IRunInfo,
  begin: (cell: Pair['cell'], info: IRunInfo) => () => void
): IPlaced {
  const placed = Pair.find(notebook, pair)!;
  const before = placed.run;
  const info = {
    ...made,
    attempt: lastAttempt(placed) + 1,
    createdAt: before?.createdAt || made.createdAt
  };
  const takeBack = begin(placed.cell, info);
  return {
    pair,
    cell: placed.toJSON(),
    after: cellBefore(notebook, pair),
    info,
    resend: true,
    isOld: true,
    takeBack
  };
}

/** The models as a paused message has them. */
export function heldModels(models: readonly string[]): Pick<IHeld, 'models'> {
  return models.length ? { models: [...models] } : {};
}

/** Whether something has all that it needs; if not, the user was told why. */
export async function isLoaded(outgoing: Outgoing): Promise<boolean> {
  return !outgoing.load || outgoing.load();
}
