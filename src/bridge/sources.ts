import type { Cell } from '@jupyterlab/cells';
import type { IEditorTracker } from '@jupyterlab/fileeditor';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { ISignal } from '@lumino/signaling';

import { wellFormed } from '../base/json';
import {
  freezeFile,
  type IFileReader
} from '../chat/composer/files/serverfile';
import { frozenReplies } from '../chat/siblings';
import type { IChatPanel } from '../chat/tokens';
import { renamedPath } from '../document/about';
import type { IAttachment } from '../document/attachments';
import { frozenText, namedLike, type IReference } from '../document/references';
import { isSameSnapshot } from '../document/updatereference';
import { partsOfCut } from './cuttext';
import {
  cellAttachments,
  cellOutputAttachments,
  errorAttachments
} from './notebookparts';
import type { OpenKernels } from './openkernels';
import { frozenPair } from './pairprovider';
import { freezeVariable, variableOf } from './variableprovider';

/** A snapshot of a reference. */
export type ISnapshot = IAttachment & { reference: IReference };

/** Whether an attachment is a reference. */
export function isSnapshot(file: IAttachment): file is ISnapshot {
  return file.reference !== undefined;
}

/**
 * What a source is now: its snapshot, `gone` if it is there without that part, such as a cell that shows
 * no error any more, or null if that is not known.
 */
export type SourceNow = IAttachment | 'gone' | null;

/** An open document, or a part of it, that a reference is of. */
export interface ISourceModel {
  /** Of cells: also emitted if the outputs change. */
  contentChanged?: ISignal<unknown, unknown>;
  sharedModel: { changed: ISignal<unknown, unknown>; getSource(): string };
}

/** Which of several attachments of an output it is: `… (2)` is the second. */
const PART = / \((\d+)\)$/;

/** Finds what references refer to, as it is now. */
export class ReferenceSources {
  constructor(private _options: ReferenceSources.IOptions) {}

  /** The cell of an open notebook that a reference is of; null if it is not open or gone. */
  cell({ path, at, cellId, kind }: IReference): {
    panel: NotebookPanel;
    cell: Cell;
  } | null {
    if (kind !== 'cell' && kind !== 'output' && kind !== 'selection') {
      return null;
    }
    const cellIn = ({ content }: NotebookPanel) =>
      content.widgets.find(({ model }) => model.id === cellId);
    const { notebooks } = this._options;
    const panel = this._find(
      notebooks,
      this._now(path, at),
      one => cellIn(one) !== undefined
    );
    return panel ? { panel, cell: cellIn(panel)! } : null;
  }

  /** What says that a reference is another now; null if that is not open. */
  model({ reference }: ISnapshot, chat: IChatPanel): ISourceModel | null {
    const { kind, path, at, cellId, language } = reference;
    if (kind === 'pair') {
      const { widgets } = chat.content;
      return widgets.find(({ model }) => model.id === cellId)?.model ?? null;
    }
    if (kind === 'selection' && !cellId) {
      const { editors } = this._options;
      return this._find(editors, this._now(path, at))?.content.model ?? null;
    }
    // What a cell shows is not its text, and a selection in it has no language.
    return kind === 'selection' && !language
      ? null
      : (this.cell(reference)?.cell.model ?? null);
  }

  /** What a reference would be now, if an open document says it. */
  current(snapshot: ISnapshot, chat: IChatPanel): SourceNow {
    const { reference } = snapshot;
    if (reference.kind === 'selection') {
      return this._selection(snapshot, chat);
    }
    const now = this._whole(reference, chat);
    return now === null || now === 'gone' ? now : namedLike(snapshot, now);
  }

  /** Whether an open document says that the source of a snapshot is another now. */
  hasChanged(snapshot: ISnapshot, chat: IChatPanel): boolean {
    const now = this.current(snapshot, chat);
    return now === 'gone' || (now !== null && !isSameSnapshot(now, snapshot));
  }

  /** Record that a file or folder was renamed: references keep the path that it had. */
  rename(from: string, to: string, at: number = Date.now()): void {
    this._renames.push({ from, to, at });
  }

  /** Whether the source can be read when the user asks for it. */
  canRead({ reference }: ISnapshot): boolean {
    const { kind, path } = reference;
    return (
      (kind === 'file' && path !== '') ||
      (kind === 'variable' && this._kernel(reference) !== null)
    );
  }

  /** Read the source; only when the user asks for it. */
  async read(snapshot: ISnapshot): Promise<IAttachment> {
    const { reference } = snapshot;
    const { kind, path, at } = reference;
    const open = kind === 'variable' ? this._kernel(reference) : null;
    const now = open
      ? await freezeVariable(open, variableOf(reference))
      : (await freezeFile(this._now(path, at), this._options.reader)).file;
    return namedLike(snapshot, now);
  }

  /** A cell, an output or a pair. */
  private _whole(reference: IReference, chat: IChatPanel): SourceNow {
    const found = this.cell(reference);
    if (found) {
      const { panel, cell } = found;
      const read =
        reference.kind === 'cell'
          ? cellAttachments
          : reference.name.includes('· error of cell ')
            ? errorAttachments
            : cellOutputAttachments;
      const number = Number(PART.exec(reference.name)?.[1] ?? 1);
      return read(panel, [cell], Date.now())[number - 1] ?? 'gone';
    }
    const { kind, path, at, cellId = '', group, sibling } = reference;
    if (kind !== 'pair' || this._now(path, at) !== chat.context.path) {
      return null;
    }
    return group === undefined
      ? frozenPair(chat, cellId)
      : (frozenReplies(chat, cellId).find(
          ({ reference: one }) => one.group === group && one.sibling === sibling
        ) ?? null);
  }

  /** A selection, if its text is still in the text that it was selected in. */
  private _selection(snapshot: ISnapshot, chat: IChatPanel): SourceNow {
    const text = frozenText(snapshot.data);
    const model = this.model(snapshot, chat);
    if (text === null || !model) {
      return null;
    }
    const source = wellFormed(model.sharedModel.getSource());
    return partsOfCut(text).every(part => source.includes(part))
      ? snapshot
      : 'gone';
  }

  /** The kernel of the open notebook or console that a reference is of. */
  private _kernel({ path, at }: IReference) {
    return this._options.kernels.find(this._now(path, at));
  }

  /** An open document that has this path now. */
  private _find<T extends IDocument>(
    tracker: ITracker<T> | null,
    path: string,
    isMeant: (document: T) => boolean = () => true
  ): T | undefined {
    return tracker?.find(
      one => !one.isDisposed && one.context.path === path && isMeant(one)
    );
  }

  /** What a path of some time is now, as far as this page saw renames: another may have it since. */
  private _now(path: string, since: number): string {
    return this._renames
      .filter(({ at }) => at >= since)
      .reduce((before, { from, to }) => renamedPath(before, from, to), path);
  }

  private _renames: { from: string; to: string; at: number }[] = [];
}

type IDocument = Pick<NotebookPanel, 'isDisposed'> & {
  context: { path: string };
};

interface ITracker<T> {
  find(test: (document: T) => boolean): T | undefined;
}

/**
 * The namespace for `ReferenceSources` statics.
 */
export namespace ReferenceSources {
  export interface IOptions {
    /** The open notebooks; null without them. */
    notebooks: Pick<INotebookTracker, 'find'> | null;
    /** The open text files; null without them. */
    editors: Pick<IEditorTracker, 'find'> | null;
    kernels: Pick<OpenKernels, 'find'>;
    reader: IFileReader;
  }
}
