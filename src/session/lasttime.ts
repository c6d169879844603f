import type { ISharedNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { IMessage } from '../base/message';
import type { ContextModel } from '../context/contextmodel';
import type { CellRecord } from '../context/cellrecord';
import {
  cellMessages,
  idsOf,
  type ContextCell,
  type ISendingRules
} from '../context/gather';
import { lastSent, type ISentRun } from '../document/sentruns';
import {
  readAgain,
  readRequest,
  sameBeginning,
  type IReadRequest
} from '../request/lasttime';
import type { IEditedRequest } from '../request/model';
import type { ChatRequests } from '../request/requests';
import type { Draft } from './draft';

/** How long after the last change, in milliseconds, the hint is made. */
const HINT_MS = 250;

/** How many requests are kept. */
const KEPT = 4;

/** Providers cache prompts from about this many tokens on. */
const WORTH = 1024;

/** What the composer says of a message whose request begins differently from the last one. */
export interface ILastTimeHint {
  /** The tokens at the beginning that are the same. */
  same: number;
  /** The tokens that the last request had, too, and that are read anew. */
  again: number;
}

/**
 * The last request to each model in a chat, to compare the next one with.
 *
 * The bytes come from the journal and are read only for somebody who looks at a request (`of`). The
 * hint does without them: it compares the cells that would be sent with those that were, a moment
 * after visible cells, model or edits changed, and never with a key press in the composer.
 */
export class LastTime implements IDisposable {
  constructor(private _options: LastTime.IOptions) {
    const { context, landed, requests } = _options;
    context.changed.connect(this._schedule, this);
    requests.changed.connect(this._schedule, this);
    landed.connect(this._onLanded, this);
    this._schedule();
  }

  /** Emitted when the hint or a request that was being read may be others. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** What is read anew although it was sent last time; null if that is little or unknown. */
  get hint(): ILastTimeHint | null {
    return this._hint;
  }

  /**
   * The last request to the model of a request; null if there is none, or while it is being read.
   */
  of({
    base,
    frame
  }: Pick<IEditedRequest, 'base' | 'frame'>): IReadRequest | null {
    const run = this._lastRun(`${base.provider}/${String(frame.model)}`);
    if (!run) {
      return null;
    }
    const known = this._read.get(run.runId);
    if (known === undefined) {
      this._read.set(run.runId, null);
      void this._fetch(run.runId);
    }
    return known ?? null;
  }

  /** To be called when another model was chosen. */
  refresh(): void {
    this._schedule();
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    clearTimeout(this._timer);
    const { context, landed, requests } = this._options;
    context.changed.disconnect(this._schedule, this);
    requests.changed.disconnect(this._schedule, this);
    landed.disconnect(this._onLanded, this);
    Signal.clearData(this);
  }

  private _lastRun(model: string): ISentRun | null {
    const { records } = this._options.context;
    return lastSent(
      records.map(({ sent }) => sent),
      model
    );
  }

  private async _fetch(runId: string): Promise<void> {
    let read: IReadRequest | null = null;
    try {
      const bytes = await this._options.getRequest(runId);
      read = bytes && readRequest(new TextDecoder().decode(bytes));
    } catch (error) {
      console.warn('Turnbook: the last request cannot be read', error);
    }
    if (!read || this._isDisposed) {
      return;
    }
    this._read.set(runId, read);
    for (const old of [...this._read.keys()].slice(0, -KEPT)) {
      this._read.delete(old);
    }
    this._schedule();
    this._changed.emit();
  }

  /** The journal may have what it had not before. */
  private _onLanded(): void {
    for (const [runId, read] of this._read) {
      if (!read) {
        this._read.delete(runId);
      }
    }
    // What is edited from now on differs from what was sent.
    this._hintOfCells();
    this._schedule();
    this._changed.emit();
  }

  private _schedule(): void {
    if (this._timer !== undefined || this._isDisposed) {
      return;
    }
    this._timer = setTimeout(() => {
      this._timer = undefined;
      const hint = this._makeHint();
      if (
        hint?.again !== this._hint?.again ||
        hint?.same !== this._hint?.same
      ) {
        this._hint = hint;
        this._changed.emit();
      }
    }, HINT_MS);
  }

  private _makeHint(): ILastTimeHint | null {
    const { requests } = this._options;
    const hint = requests.edits
      ? this._hintOfRequest(requests.live.request)
      : this._hintOfCells();
    return hint && hint.again >= WORTH ? hint : null;
  }

  /** The hint of an edited request; its bytes are known if the Request panel has shown it. */
  private _hintOfRequest(request: IEditedRequest): ILastTimeHint | null {
    const { context } = this._options;
    const { base, frame } = request;
    const run = this._lastRun(`${base.provider}/${String(frame.model)}`);
    const last = run && this._read.get(run.runId);
    if (!last) {
      return null;
    }
    const { messages } = sameBeginning(last, request);
    const tokens = (some: readonly IMessage[]) =>
      some.reduce((sum, one) => sum + context.tokensOf(one), 0);
    return {
      same: tokens(request.messages.slice(0, messages)),
      again: tokens(readAgain(last, request))
    };
  }

  private _hintOfCells(): ILastTimeHint | null {
    const { context, draft, model, notebook } = this._options;
    const run = this._lastRun(model());
    if (!run) {
      return null;
    }
    const order = notebook.cells.map(cell => cell.getId());
    const before = [...idsOf(run.context, order), run.pair];
    const seen = this._seenWith(run, before);
    const now = context.gather(draft).cells;
    const byId = new Map(context.records.map(record => [record.id, record]));
    let common = 0;
    while (
      common < before.length &&
      now[common] === before[common] &&
      isAsSeen(seen, byId.get(now[common]), run.pair, context.rules)
    ) {
      common++;
    }
    const had = new Set(before.slice(common));
    const tokens = (ids: readonly string[]) =>
      ids.reduce((sum, id) => sum + (byId.get(id)?.tokens ?? 0), 0);
    return {
      same: tokens(now.slice(0, common)),
      again: tokens(now.slice(common).filter(id => had.has(id)))
    };
  }

  /** The cells of the last request as they were when this page first looked at it. */
  private _seenWith(
    run: ISentRun,
    ids: readonly string[]
  ): Map<string, ContextCell> {
    if (this._seen?.runId !== run.runId) {
      const wanted = new Set(ids);
      const { records } = this._options.context;
      this._seen = {
        runId: run.runId,
        cells: new Map(
          records
            .filter(({ id }) => wanted.has(id))
            .map(({ id, cell }) => [id, cell])
        )
      };
    }
    return this._seen.cells;
  }

  private _changed = new Signal<this, void>(this);
  private _hint: ILastTimeHint | null = null;
  private _isDisposed = false;
  /** Requests by run; null while they are being read, and if the journal has them not. */
  private _read = new Map<string, IReadRequest | null>();
  private _seen: { runId: string; cells: Map<string, ContextCell> } | null =
    null;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}

/** The namespace for `LastTime` statics. */
export namespace LastTime {
  export interface IOptions {
    context: ContextModel;
    draft: Pick<Draft, 'attachments' | 'text'>;
    /** The bytes of a run from the journal; null if it no longer has them. */
    getRequest: (runId: string) => Promise<Uint8Array | null>;
    /** Emitted when a reply has landed. */
    landed: ISignal<unknown, string>;
    /** The model of the next message, as `provider/model`. */
    model: () => string;
    notebook: ISharedNotebook;
    requests: ChatRequests;
  }
}

/** Whether a cell gives the messages that it gave then; the pair that was sent has grown since. */
function isAsSeen(
  seen: Map<string, ContextCell>,
  record: CellRecord | undefined,
  pair: string,
  rules: ISendingRules
): boolean {
  const then = record && seen.get(record.id);
  if (!record || !then) {
    return false;
  }
  const said = (cell: ContextCell) => JSON.stringify(cellMessages(cell, rules));
  const isSame =
    then === record.cell ||
    record.id === pair ||
    said(then) === said(record.cell);
  if (isSame) {
    // A mark was set; what is sent is the same.
    seen.set(record.id, record.cell);
  }
  return isSame;
}
