import { PathExt } from '@jupyterlab/coreutils';
import type { Cell } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

import { trans } from '../base/words';
import { bestMatches } from '../chat/composer/references/match';
import type {
  IReferenceItem,
  IReferenceProvider
} from '../chat/composer/references/providers';
import type { IAttachment } from '../document/attachments';
import { CellIndex, hasOutputs, readAll, type ICellEntry } from './cellindex';
import { cellAttachments, cellOutputAttachments } from './notebookparts';

/** The cells of all open notebooks, the notebook used last first. */
export class OpenCells {
  constructor(
    private _tracker: Pick<INotebookTracker, 'currentWidget' | 'forEach'>
  ) {}

  /** The cells; for an empty query, the active one of the current notebook first. */
  *entries(query: string): Iterable<ICellEntry> {
    const { currentWidget: current } = this._tracker;
    const active = query ? undefined : current?.content.activeCell?.model.id;
    const first = active
      ? this._index(current!).entries.find(({ id }) => id === active)
      : undefined;
    if (first) {
      yield first;
    }
    for (const panel of this._panels(current)) {
      for (const entry of this._index(panel).entries) {
        if (entry !== first) {
          yield entry;
        }
      }
    }
  }

  /** Read the sources that were not read yet. */
  read(signal: AbortSignal): Promise<void> {
    const panels = this._panels(this._tracker.currentWidget);
    return readAll(
      panels.map(panel => this._index(panel)),
      signal
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
  return {
    id: 'jupyterlab-turnbook:cells',
    get label() {
      return trans.__('Cells');
    },
    find: async (query, limit, signal) => {
      // Without a query, the first few are offered at once.
      if (query) {
        await cells.read(signal);
      }
      return bestMatches(cells.entries(query), query, limit).map(
        (entry): IReferenceItem => ({
          kind: 'cell',
          label: labelOf(entry, 'cell'),
          detail: entry.line,
          freeze: async () => frozen(entry, cellAttachments)
        })
      );
    }
  };
}

/** Offers the outputs of open notebooks. */
export function outputProvider(cells: OpenCells): IReferenceProvider {
  return {
    id: 'jupyterlab-turnbook:outputs',
    get label() {
      return trans.__('Outputs');
    },
    find: async (query, limit, signal) => {
      await cells.read(signal);
      return bestMatches(withOutputs(cells.entries(query)), query, limit).map(
        ({ entry }): IReferenceItem => ({
          kind: 'output',
          label: labelOf(entry, 'output of cell'),
          detail: entry.line,
          freeze: async () => frozen(entry, cellOutputAttachments)
        })
      );
    }
  };
}

function* withOutputs(
  entries: Iterable<ICellEntry>
): Iterable<{ text: string; entry: ICellEntry }> {
  for (const entry of entries) {
    if (hasOutputs(entry)) {
      yield { text: `output${entry.number} ${entry.text}`, entry };
    }
  }
}

/** As what is sent names it, so not translated. */
function labelOf({ panel, number }: ICellEntry, what: string): string {
  return `${PathExt.basename(panel.context.localPath)} · ${what} ${number}`;
}

function frozen(
  { panel, id }: ICellEntry,
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
  return read(panel, [cell], Date.now());
}
