import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Debouncer } from '@lumino/polling';
import { Signal } from '@lumino/signaling';

import type { PairCell } from '../chat/cells/cell';
import type { ChatPanel } from '../chat/panel';
import { readAttachments } from '../document/attachments';
import { Pair } from '../document/pair';
import type { ISnapshot, ReferenceSources } from './sources';

/** How long a source rests before it is compared. */
const REST_MS = 300;

/**
 * Marks the references of a chat whose cells in open notebooks, or earlier messages, are others now.
 *
 * It compares those that are shown, when their cells change; it reads no file.
 */
export class ReferenceWatch {
  constructor(private _options: ReferenceWatch.IOptions) {
    const { panel, notebooks } = _options;
    const check = () => void this._rest.invoke();
    panel.content.pairDrawn.connect(check, this);
    panel.session.pairChanged.connect(check, this);
    notebooks.widgetAdded.connect(this._onNotebook, this);
    panel.disposed.connect(() => {
      this._rest.dispose();
      Signal.clearData(this);
    });
    check();
  }

  /** Compare what is shown. */
  check(): void {
    const { panel } = this._options;
    if (panel.isDisposed) {
      return;
    }
    for (const cell of panel.content.pairs.values()) {
      // Few pairs have references, and reading a pair's outputs copies them.
      if (cell.node.querySelector('[data-turnbook-reference]')) {
        this._compare(cell);
      }
    }
  }

  private _compare(cell: PairCell): void {
    const { panel, sources } = this._options;
    const changed: string[] = [];
    for (const file of snapshotsOf(cell)) {
      const { kind, cellId } = file.reference;
      const source =
        kind === 'pair'
          ? panel.content.widgets.find(({ model }) => model.id === cellId)
          : sources.cell(file.reference)?.cell;
      if (source && this._hasChanged(file, source.model)) {
        changed.push(file.sha256);
      }
    }
    cell.know({ changedReferences: changed.join(' ') });
  }

  /** Whether a source is another now; it is read once after each of its changes. */
  private _hasChanged(file: ISnapshot, model: ICellModel): boolean {
    const { panel, sources } = this._options;
    if (!this._watched.has(model)) {
      this._watched.add(model);
      // What is appended to an output is no change of either; that its cell ends is one of the latter.
      model.contentChanged.connect(() => this._onSource(model), this);
      model.sharedModel.changed.connect(() => this._onSource(model), this);
    }
    if (file.reference.kind === 'pair') {
      // Also whose chat it is counts.
      return sources.hasChanged(file, panel);
    }
    const known = this._known.get(model) ?? new Map<string, boolean>();
    this._known.set(model, known);
    // An output can be several attachments, which their names tell apart.
    const key = `${file.sha256} ${file.reference.name}`;
    const result = known.get(key) ?? sources.hasChanged(file, panel);
    known.set(key, result);
    return result;
  }

  private _onSource(model: ICellModel): void {
    this._known.delete(model);
    void this._rest.invoke();
  }

  private _onNotebook(_: unknown, panel: NotebookPanel): void {
    void panel.revealed.then(() => {
      if (!this._options.panel.isDisposed) {
        void this._rest.invoke();
      }
    });
  }

  /** By source: which of its snapshots are others now. */
  private _known = new WeakMap<ICellModel, Map<string, boolean>>();
  private _rest = new Debouncer(() => this.check(), REST_MS);
  private _watched = new WeakSet<ICellModel>();
}

/**
 * The namespace for `ReferenceWatch` statics.
 */
export namespace ReferenceWatch {
  export interface IOptions {
    panel: ChatPanel;
    notebooks: Pick<INotebookTracker, 'widgetAdded'>;
    sources: ReferenceSources;
  }
}

/** The references that a pair sends. */
export function snapshotsOf(cell: PairCell): ISnapshot[] {
  const pair = new Pair(cell.model.sharedModel);
  return readAttachments(pair.parts).filter(
    (file): file is typeof file & ISnapshot =>
      file.reference !== undefined && file.isThere && file.isSent
  );
}
