import type { ISharedCell } from '@jupyter/ydoc';
import { isCodeCellModel, type ICellModel } from '@jupyterlab/cells';
import { PathExt } from '@jupyterlab/coreutils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

/** A cell of an open notebook, as it is searched. */
export interface ICellEntry {
  panel: NotebookPanel;
  id: string;
  /** Its place in the notebook, from 1 on. */
  number: number;
  /** The first line with something in it. */
  line: string;
  /** What a query is compared with, in lower case. */
  text: string;
  /** The same for its output. */
  outputText: string;
}

/** What is known of a source. */
interface IHead {
  line: string;
  heading: string;
}

/** How much of a line is kept. */
const LINE = 120;

/** How many sources are read before the page gets its turn. */
const SLICE = 500;

/**
 * The cells of one open notebook, for searching.
 *
 * A source is read once, and again after it changed; a key press in a search reads none. Outputs
 * are not read.
 */
export class CellIndex implements IDisposable {
  constructor(private _panel: NotebookPanel) {
    _panel.disposed.connect(this.dispose, this);
    _panel.context.pathChanged.connect(this._forget, this);
    _panel.content.modelChanged.connect(this._follow, this);
    this._follow();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The cells with a source, in order; the same list until something changes. */
  get entries(): readonly ICellEntry[] {
    return (this._entries ??= this._build());
  }

  /** Whether all sources are read. */
  get isRead(): boolean {
    return this._entries !== null || this._unread().next().done === true;
  }

  /** Read sources that were not read yet, at most so many; returns how many it read. */
  read(limit: number): number {
    let count = 0;
    for (const cell of this._unread()) {
      if (count === limit) {
        break;
      }
      this._head(cell);
      count++;
    }
    return count;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      Signal.clearData(this);
    }
  }

  private _follow(): void {
    this._panel.model?.cells.changed.connect(this._forget, this);
    this._forget();
  }

  private *_unread(): Generator<ICellModel> {
    for (const cell of this._panel.model?.cells ?? []) {
      if (!this._heads.has(cell.sharedModel)) {
        yield cell;
      }
    }
  }

  private _build(): ICellEntry[] {
    const { model, context } = this._panel;
    const name = PathExt.basename(context.localPath);
    const entries: ICellEntry[] = [];
    let heading = '';
    for (let n = 0; n < (model?.cells.length ?? 0); n++) {
      const cell = model!.cells.get(n);
      const head = this._head(cell);
      heading = head.heading || heading;
      if (head.line) {
        const number = n + 1;
        const text =
          `${number} cell${number} ${head.line} ${heading} ${name} ${context.localPath}`.toLowerCase();
        entries.push({
          panel: this._panel,
          id: cell.id,
          number,
          line: head.line,
          text,
          outputText: `output${number} ${text}`
        });
      }
    }
    return entries;
  }

  private _head({ sharedModel }: ICellModel): IHead {
    let head = this._heads.get(sharedModel);
    if (!head) {
      if (!this._seen.has(sharedModel)) {
        this._seen.add(sharedModel);
        sharedModel.changed.connect(this._onCell, this);
      }
      head = headOf(sharedModel.getSource(), sharedModel.cell_type);
      this._heads.set(sharedModel, head);
    }
    return head;
  }

  private _onCell(
    cell: ISharedCell,
    change: { sourceChange?: unknown; cellTypeChange?: unknown }
  ): void {
    if (change.sourceChange) {
      this._heads.delete(cell);
      this._forget();
    }
  }

  private _forget(): void {
    this._entries = null;
  }

  private _entries: readonly ICellEntry[] | null = null;
  private _heads = new WeakMap<ISharedCell, IHead>();
  private _isDisposed = false;
  private _seen = new WeakSet<ISharedCell>();
}

/** Read all sources, a few at a time, so that what is to be drawn is drawn before. */
export async function readAll(
  indices: Iterable<CellIndex>,
  signal: AbortSignal
): Promise<void> {
  let left = 0;
  for (const index of indices) {
    while (!index.isDisposed && !index.isRead) {
      if (left === 0) {
        await new Promise(resolve => setTimeout(resolve));
        left = SLICE;
      }
      if (signal.aborted) {
        return;
      }
      left -= index.read(left);
    }
  }
}

/** Whether a cell shows something below its source. */
export function hasOutputs(entry: ICellEntry): boolean {
  const cell = cellModel(entry);
  return cell !== null && isCodeCellModel(cell) && cell.outputs.length > 0;
}

/** The cell of an entry; null if it is gone. */
function cellModel({ panel, id, number }: ICellEntry): ICellModel | null {
  const cells = panel.isDisposed ? undefined : panel.model?.cells;
  const cell =
    cells && number <= cells.length ? cells.get(number - 1) : undefined;
  return cell?.id === id ? cell : null;
}

/** The first line of a source, and its heading if it is Markdown. */
export function headOf(source: string, type: string): IHead {
  // Without splitting a source that may be long.
  const start = /\S/.exec(source)?.index ?? source.length;
  const end = source.indexOf('\n', start);
  const whole = source.slice(start, end === -1 ? undefined : end);
  const line = [...whole.slice(0, 2 * LINE)].slice(0, LINE).join('').trim();
  const heading = type === 'markdown' ? /^#{1,6}\s+(.*)/.exec(line)?.[1] : '';
  return { line, heading: heading ?? '' };
}
