/** A notebook model that only its view can fill. */
import {
  YNotebook,
  type ISharedNotebook,
  type SharedCell
} from '@jupyter/ydoc';
import type { ICell, INotebookContent } from '@jupyterlab/nbformat';
import { NotebookModel, NotebookModelFactory } from '@jupyterlab/notebook';

/** The name of the model factory. */
export const REPLAY_MODEL = 'turnbook-replay';

/**
 * A shared notebook whose cells are shown and never changed: drops, commands of other extensions
 * and undo have no effect.
 */
class LockedNotebook extends YNotebook {
  /** The only way to change its cells. */
  fill(task: () => void): void {
    this._isFilling = true;
    try {
      this.transact(task, false);
    } finally {
      this._isFilling = false;
    }
  }

  override insertCells(
    index: number,
    cells: SharedCell.Cell[]
  ): ReturnType<YNotebook['insertCells']> {
    return this._isFilling ? super.insertCells(index, cells) : [];
  }

  override deleteCellRange(from: number, to: number): void {
    if (this._isFilling) {
      super.deleteCellRange(from, to);
    }
  }

  override moveCells(): void {
    return;
  }

  override setMetadata(): void {
    return;
  }

  override updateMetadata(): void {
    return;
  }

  override undo(): boolean {
    return false;
  }

  override redo(): boolean {
    return false;
  }

  private _isFilling = false;
}

/** The model of a replay: read-only, and never dirty. */
export class ReplayModel extends NotebookModel {
  constructor() {
    const shared = new LockedNotebook();
    super({ sharedModel: shared as ISharedNotebook });
    this.standaloneModel = true;
    this._locked = shared;
  }

  /** The file's content as it was read; null before that. */
  get file(): INotebookContent | null {
    return this._file;
  }

  /** Show these cells; those that are already there stay, so that the view does not jump. */
  show(cells: readonly ICell[]): void {
    const shared = this._locked;
    const next = cells.map(cell => JSON.stringify(cell));
    const now = this._shown;
    const shorter = Math.min(now.length, next.length);
    let start = 0;
    while (start < shorter && now[start] === next[start]) {
      start++;
    }
    let end = 0;
    while (
      end < shorter - start &&
      now[now.length - 1 - end] === next[next.length - 1 - end]
    ) {
      end++;
    }
    const added = cells.slice(start, cells.length - end);
    shared.fill(() => {
      shared.deleteCellRange(start, now.length - end);
      shared.insertCells(start, added as unknown as SharedCell.Cell[]);
    });
    shared.clearUndoHistory();
    this._shown = next;
  }

  /** Keep the file's content; the view decides what is shown of it. */
  override fromJSON(value: INotebookContent): void {
    this._file = value;
    this.triggerContentChange();
  }

  override get readOnly(): boolean {
    return true;
  }
  override set readOnly(_: boolean) {
    return;
  }

  override get dirty(): boolean {
    return false;
  }
  override set dirty(_: boolean) {
    return;
  }

  private _file: INotebookContent | null = null;
  private _locked: LockedNotebook;
  /** The cells that are shown, as JSON. */
  private _shown: string[] = [];
}

/** Creates models of replays. */
export class ReplayModelFactory extends NotebookModelFactory {
  override get name(): string {
    return REPLAY_MODEL;
  }

  override get collaborative(): boolean {
    return false;
  }

  override createNew(): ReplayModel {
    return new ReplayModel();
  }
}
