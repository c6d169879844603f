import type { Cell } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';

import {
  freezeFile,
  type IFileReader
} from '../chat/composer/files/serverfile';
import type { IChatPanel } from '../chat/tokens';
import type { IAttachment } from '../document/attachments';
import type { IReference } from '../document/references';
import { isSameSnapshot } from '../document/updatereference';
import {
  cellAttachments,
  cellOutputAttachments,
  errorAttachments
} from './notebookparts';
import { frozenPair } from './pairprovider';
import { freezeVariable, variableOf } from './variableprovider';

/** A snapshot of a reference. */
export type ISnapshot = IAttachment & { reference: IReference };

/** Which of several attachments of an output it is: `… (2)` is the second. */
const PART = / \((\d+)\)$/;

/** Finds what references refer to, as it is now. */
export class ReferenceSources {
  constructor(private _options: ReferenceSources.IOptions) {}

  /** The cell of an open notebook that a reference is of; null if it is not open or gone. */
  cell({ path, cellId, kind }: IReference): {
    panel: NotebookPanel;
    cell: Cell;
  } | null {
    const panel =
      kind === 'cell' || kind === 'output' ? this._panel(path) : undefined;
    const cell = panel?.content.widgets.find(
      ({ model }) => model.id === cellId
    );
    return panel && cell ? { panel, cell } : null;
  }

  /** What a reference would be now, if an open document says it; null if that is not known. */
  current(snapshot: ISnapshot, chat: IChatPanel): IAttachment | null {
    const { reference } = snapshot;
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
      return read(panel, [cell], Date.now())[number - 1] ?? null;
    }
    const { kind, path, cellId = '' } = reference;
    return kind === 'pair' && path === chat.context.path
      ? frozenPair(chat, cellId)
      : null;
  }

  /** Whether an open document says that the source of a snapshot is another now. */
  hasChanged(snapshot: ISnapshot, chat: IChatPanel): boolean {
    const now = this.current(snapshot, chat);
    return now !== null && !isSameSnapshot(now, snapshot);
  }

  /** Whether the source can be read when the user asks for it. */
  canRead({ reference }: ISnapshot): boolean {
    const { kind, path } = reference;
    return (
      (kind === 'file' && path !== '') ||
      (kind === 'variable' && this._kernel(path) !== null)
    );
  }

  /** Read the source; only when the user asks for it. */
  async read({ reference }: ISnapshot): Promise<IAttachment> {
    const { kind, path } = reference;
    const kernel = kind === 'variable' ? this._kernel(path) : null;
    return kernel
      ? freezeVariable(kernel, path, variableOf(reference))
      : (await freezeFile(path, this._options.reader)).file;
  }

  /** The kernel of an open notebook; null if it has none. */
  private _kernel(path: string): Kernel.IKernelConnection | null {
    return this._panel(path)?.sessionContext.session?.kernel ?? null;
  }

  private _panel(path: string): NotebookPanel | undefined {
    return this._options.notebooks?.find(
      ({ context, isDisposed }) => !isDisposed && context.path === path
    );
  }
}

/**
 * The namespace for `ReferenceSources` statics.
 */
export namespace ReferenceSources {
  export interface IOptions {
    /** The open notebooks; null without them. */
    notebooks: Pick<INotebookTracker, 'find'> | null;
    reader: IFileReader;
  }
}
