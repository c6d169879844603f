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
 * Marks the references of a chat whose cells in open notebooks are others now.
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
      const source = sources.cell(file.reference);
      if (source) {
        this._watch(source.cell.model);
        if (sources.hasChanged(file, panel)) {
          changed.push(file.sha256);
        }
      }
    }
    cell.know({ changedReferences: changed.join(' ') });
  }

  private _watch(model: ICellModel): void {
    if (!this._watched.has(model)) {
      this._watched.add(model);
      model.contentChanged.connect(this._onSource, this);
    }
  }

  private _onSource(): void {
    void this._rest.invoke();
  }

  private _onNotebook(_: unknown, panel: NotebookPanel): void {
    void panel.revealed.then(() => {
      if (!this._options.panel.isDisposed) {
        void this._rest.invoke();
      }
    });
  }

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
