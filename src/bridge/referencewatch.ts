import type { IDocumentWidget } from '@jupyterlab/docregistry';
import type { IEditorTracker } from '@jupyterlab/fileeditor';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { Debouncer } from '@lumino/polling';
import { Signal } from '@lumino/signaling';

import type { PairCell } from '../chat/cells/cell';
import type { ChatPanel } from '../chat/panel';
import { readAttachments, type IAttachment } from '../document/attachments';
import { Pair } from '../document/pair';
import {
  isSnapshot,
  type ISnapshot,
  type ISourceModel,
  type ReferenceSources
} from './sources';

/** How long a source rests before it is compared. */
const REST_MS = 300;

/**
 * Marks the references of a chat, and of its message being written, whose sources are others now: cells of
 * open notebooks, text selected in open documents, and earlier messages.
 *
 * It compares those that are shown, when their sources change; it reads no file.
 */
export class ReferenceWatch {
  constructor(private _options: ReferenceWatch.IOptions) {
    const { panel, notebooks, editors } = _options;
    const check = () => void this._rest.invoke();
    panel.content.pairDrawn.connect(check, this);
    panel.session.pairChanged.connect(check, this);
    panel.session.draft.changed.connect(this._onDraft, this);
    notebooks.widgetAdded.connect(this._onOpened, this);
    editors?.widgetAdded.connect(this._onOpened, this);
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
    const { attachments } = panel.session.draft;
    panel.composer.attaching.changedReferences = this._changed(
      attachments.filter(isSnapshot)
    );
    for (const cell of panel.content.pairs.values()) {
      // Few pairs have references, and reading a pair's outputs copies them.
      if (cell.node.querySelector('[data-turnbook-reference]')) {
        this._compare(cell);
      }
    }
  }

  private _compare(cell: PairCell): void {
    cell.know({ changedReferences: this._changed(snapshotsOf(cell)) });
  }

  /** The hashes of those of some snapshots whose sources are others now. */
  private _changed(files: readonly ISnapshot[]): string {
    const { panel, sources } = this._options;
    return files
      .filter(file => {
        const model = sources.model(file, panel);
        return model && this._hasChanged(file, model);
      })
      .map(({ sha256 }) => sha256)
      .join(' ');
  }

  /** Whether a source is another now; it is read once after each of its changes. */
  private _hasChanged(file: ISnapshot, model: ISourceModel): boolean {
    const { panel, sources } = this._options;
    if (!this._watched.has(model)) {
      this._watched.add(model);
      // What is appended to an output is no change of either; that its cell ends is one of the latter.
      model.contentChanged?.connect(() => this._onSource(model), this);
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

  private _onSource(model: ISourceModel): void {
    this._known.delete(model);
    void this._rest.invoke();
  }

  /** Only what is attached counts, not the text: this is called with each key. */
  private _onDraft(): void {
    const { attachments } = this._options.panel.session.draft;
    if (attachments !== this._attachments) {
      this._attachments = attachments;
      void this._rest.invoke();
    }
  }

  private _onOpened(_: unknown, { revealed }: IDocumentWidget): void {
    void revealed.then(() => {
      if (!this._options.panel.isDisposed) {
        void this._rest.invoke();
      }
    });
  }

  private _attachments: readonly IAttachment[] = [];
  /** By source: which of its snapshots are others now. */
  private _known = new WeakMap<ISourceModel, Map<string, boolean>>();
  private _rest = new Debouncer(() => this.check(), REST_MS);
  private _watched = new WeakSet<ISourceModel>();
}

/**
 * The namespace for `ReferenceWatch` statics.
 */
export namespace ReferenceWatch {
  export interface IOptions {
    panel: ChatPanel;
    notebooks: Pick<INotebookTracker, 'widgetAdded'>;
    /** Null without an editor for text files. */
    editors: Pick<IEditorTracker, 'widgetAdded'> | null;
    sources: ReferenceSources;
  }
}

/** The references that a pair sends. */
export function snapshotsOf(cell: PairCell): ISnapshot[] {
  const pair = new Pair(cell.model.sharedModel);
  return readAttachments(pair.parts).filter(
    (file): file is typeof file & ISnapshot =>
      isSnapshot(file) && file.isThere && file.isSent
  );
}
