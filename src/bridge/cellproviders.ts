import { PathExt } from '@jupyterlab/coreutils';
import type { Cell } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import { trans } from '../base/words';
import { bestMatches } from '../chat/composer/references/match';
import type {
  IReferenceItem,
  IReferenceProvider
} from '../chat/composer/references/providers';
import type { IAttachment } from '../document/attachments';
import { withFolder } from '../document/references';
import { CellIndex, hasOutputs, readAll, type ICellEntry } from './cellindex';
import { cellAttachments, cellOutputAttachments } from './notebookparts';

/** The cells of all open notebooks, the notebook used last first. */
export class OpenCells {
  constructor(
    private _tracker: Pick<INotebookTracker, 'currentWidget' | 'forEach'>
  ) {}

  /**
   * The cells; for an empty query, the active one of the current notebook first.
   *
   * @param onlyRead - Whether notebooks that are not read yet are left out.
   */
  *entries(query: string, onlyRead = false): Iterable<ICellEntry> {
    const { currentWidget: current } = this._tracker;
    const active = query ? undefined : current?.content.activeCell?.model.id;
    const first = active
      ? this._index(current!).entries.find(({ id }) => id === active)
      : undefined;
    if (first) {
      yield first;
    }
    for (const panel of this._panels(current)) {
      const index = this._index(panel);
      for (const entry of onlyRead && !index.isRead ? [] : index.entries) {
        if (entry !== first) {
          yield entry;
        }
      }
    }
  }

  /** Whether all sources are read. */
  get isRead(): boolean {
    return this._panels(null).every(panel => this._index(panel).isRead);
  }

  /** Read the sources that were not read yet. */
  read(signal: AbortSignal): Promise<void> {
    const panels = this._panels(this._tracker.currentWidget);
    return readAll(
      panels.map(panel => this._index(panel)),
      signal
    );
  }

  /** Whether another open notebook has the same name, in another folder. */
  hasTwin({ context: { path } }: NotebookPanel): boolean {
    return this._panels(null).some(
      ({ context }) =>
        context.path !== path &&
        PathExt.basename(context.path) === PathExt.basename(path)
    );
  }

  private _panels(current: NotebookPanel | null): NotebookPanel[] {
    const others: NotebookPanel[] = [];
    this._tracker.forEach(panel => {
      if (panel !== current) {
        others.push(panel);
      }
    });
    return current ? [current, ...others] : others;
  }

  private _index(panel: NotebookPanel): CellIndex {
    let index = this._indices.get(panel);
    if (!index) {
      index = new CellIndex(panel);
      this._indices.set(panel, index);
    }
    return index;
  }

  private _indices = new WeakMap<NotebookPanel, CellIndex>();
}

/** Offers the cells of open notebooks. */
export function cellProvider(cells: OpenCells): IReferenceProvider {
  const search = new CellSearch(cells);
  return {
    id: 'jupyterlab-turnbook:cells',
    get label() {
      return trans.__('Cells');
    },
    changed: search.changed,
    find: async (query, limit, signal) => {
      const found = (entries: Iterable<ICellEntry>) =>
        bestMatches(entries, query, limit);
      // Without a query, the first few are offered at once.
      const best = query
        ? await search.find(query, found, signal)
        : found(cells.entries(query));
      return best.map((entry): IReferenceItem => ({
        kind: 'cell',
        label: labelOf(entry, 'cell', cells),
        detail: entry.line,
        freeze: async () => frozen(entry, cells, cellAttachments)
      }));
    }
  };
}

/** Offers the outputs of open notebooks. */
export function outputProvider(cells: OpenCells): IReferenceProvider {
  const search = new CellSearch(cells);
  return {
    id: 'jupyterlab-turnbook:outputs',
    get label() {
      return trans.__('Outputs');
    },
    changed: search.changed,
    find: async (query, limit, signal) => {
      const found = (entries: Iterable<ICellEntry>) =>
        bestMatches(entries, query, limit, {
          textOf: ({ outputText }) => outputText,
          canList: hasOutputs
        });
      return (await search.find(query, found, signal)).map(
        (entry): IReferenceItem => ({
          kind: 'output',
          label: labelOf(entry, 'output of cell', cells),
          detail: entry.line,
          freeze: async () => frozen(entry, cells, cellOutputAttachments)
        })
      );
    }
  };
}

/** Searches notebooks as they are read: those that take long do not hold up the others. */
class CellSearch {
  constructor(private _cells: OpenCells) {}

  /** Emitted when more was read. */
  readonly changed = new Signal<this, void>(this);

  /** What is found in what is read so far; if that is nothing, in all. */
  async find(
    query: string,
    match: (entries: Iterable<ICellEntry>) => ICellEntry[],
    signal: AbortSignal
  ): Promise<ICellEntry[]> {
    const reading = this._cells.read(signal);
    // A task later, some are read.
    const turn = new Promise(resolve => setTimeout(resolve));
    await Promise.race([reading, turn]);
    const soFar = match(this._cells.entries(query, true));
    if (this._cells.isRead) {
      return soFar;
    }
    if (!soFar.length) {
      await reading;
      // A search that is over has not read all, and nobody needs the rest.
      return match(this._cells.entries(query, true));
    }
    void reading.then(() => {
      if (!signal.aborted) {
        this.changed.emit();
      }
    });
    return soFar;
  }
}

/** As what is sent names it, so not translated. */
function labelOf(
  { panel, number }: ICellEntry,
  what: string,
  cells: OpenCells
): string {
  const { localPath } = panel.context;
  const name = cells.hasTwin(panel) ? localPath : PathExt.basename(localPath);
  return `${name} · ${what} ${number}`;
}

function frozen(
  { panel, id }: ICellEntry,
  cells: OpenCells,
  read: (
    panel: NotebookPanel,
    cells: readonly Cell[],
    at: number
  ) => IAttachment[]
): IAttachment[] {
  const cell = panel.isDisposed
    ? undefined
    : panel.content.widgets.find(({ model }) => model.id === id);
  if (!cell) {
    throw new Error(
      trans.__('the cell or its notebook is not open any more. Open it again.')
    );
  }
  const attachments = read(panel, [cell], Date.now());
  return cells.hasTwin(panel) ? attachments.map(withFolder) : attachments;
}
