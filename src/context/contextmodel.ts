import type {
  ISharedCell,
  ISharedNotebook,
  NotebookChange
} from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { IMessage } from '../base/message';
import { Budget, type IBudgetLimits, type IBudgetState } from './budget';
import { CellRecord } from './cellrecord';
import {
  continuedContext,
  gatherContext,
  PRELUDE,
  sameRules,
  type ContextCell,
  type IContext,
  type ISendingRules,
  type IWritten
} from './gather';
import { NewPairs, type INewPairs } from './newpairs';
import { TokenCache, type IEstimator } from './tokens';
import { isUnderWay } from '../document/lifecycle';
import { evaluate } from '../filter/evaluate';
import type { Query } from '../filter/query';

/** The visible cells that fit, with a message. */
export interface IFittingContext extends IContext {
  /** How many visible pairs did not fit. */
  trimmed: number;
}

/** What determines, besides the cells, what fits. */
export interface IContextSource {
  /** The limits of a request. */
  limits: IBudgetLimits;
  /** How tokens are counted. */
  estimator: IEstimator;
  /** What of the cells is sent. */
  rules: ISendingRules;
  /** The options that count beside the messages, as text. */
  options?: string;
}

/**
 * Which cells are visible, which of them fit, and the context of a message.
 *
 * Every cell is read once, and again only when it changed; a key press in the composer costs the
 * same with ten pairs and with ten thousand.
 */
export class ContextModel implements IDisposable {
  constructor(options: ContextModel.IOptions) {
    this._notebook = options.notebook;
    this._source = options.source;
    this._isNew = options.isNew;
    this._notebook.changed.connect(this._onNotebookChanged, this);
  }

  /** Emitted when visibility or budget may have changed; several changes are reported once. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The filter in force; null shows everything. */
  get query(): Query | null {
    return this._query;
  }
  set query(query: Query | null) {
    const pending = this.records.filter(({ state }) => isUnderWay(state));
    const ids = new Set(pending.map(({ id }) => id));
    this._newPairs.onFilter(id => ids.has(id));
    this._query = query;
    this._invalidate();
  }

  /** Keep a pair that was just sent visible, whatever the filter in force says. */
  keep(id: string): void {
    this._newPairs.add(id);
    this._invalidate();
  }

  /** The pairs that were sent under the filter in force and that it does not match. */
  get newPairs(): INewPairs {
    void this.visible;
    return this._foundPairs;
  }

  /** Show or hide the new pairs that the filter does not match. */
  showNewPairs(isShown: boolean): void {
    this._newPairs.isShown = isShown;
    this._invalidate();
  }

  /** How many pairs are visible, and how many there are. */
  get pairs(): { shown: number; all: number } {
    this._pairCount ??= this.records.filter(
      ({ kind, isSpare }) => kind === 'pair' && !isSpare
    ).length;
    return { shown: this.budget.pairs.length, all: this._pairCount };
  }

  /** The system messages that plugins add; sent first. */
  set prelude(messages: readonly { id: string; text: string }[]) {
    this._prelude = messages.map(({ id, text }) => ({
      kind: 'system',
      id: PRELUDE + id,
      text
    }));
    this._budget = null;
    this._announce();
  }

  /** What is sent of each cell. */
  get rules(): ISendingRules {
    return this._source().rules;
  }

  /** Resolves when the tokens of all cells are counted as exactly as possible. */
  get counted(): Promise<void> {
    void this._tokens;
    return this._counting;
  }

  /** Each cell as a filter sees it, in order. */
  get records(): readonly CellRecord[] {
    this._read();
    return this._records;
  }

  /** The topics of the cells, without duplicates; used at every key press. */
  get topics(): readonly string[] {
    const all = () => this.records.map(({ topic }) => topic);
    this._topics ??= [...new Set(all())].filter(Boolean);
    return this._topics;
  }

  /** 1 or 0 for each cell, in order. */
  get visible(): Uint8Array {
    this._read();
    if (!this._visible) {
      this._visible = evaluate(this._query, this._records, Date.now());
      this._foundPairs = this._newPairs.reveal(this._records, this._visible);
    }
    return this._visible;
  }

  /** The budget of what is visible. */
  get budget(): Budget {
    // Another estimator gives another budget.
    void this._tokens;
    const source = this._source();
    const key = optionsKey(source);
    if (
      !this._budget ||
      !sameLimits(this._budget.limits, source.limits) ||
      this._budgetOptions !== key
    ) {
      this._budget = this._makeBudget(this._above(undefined));
      this._budgetOptions = key;
    }
    return this._budget;
  }

  /** The budget of what is visible above a cell; of everything if there is no such cell. */
  budgetAbove(id: string): Budget {
    return this.records.some(record => record.id === id)
      ? this._makeBudget(this._above(id))
      : this.budget;
  }

  /** The visible pairs that are sent with tool calls without results. */
  get unanswered(): readonly CellRecord[] {
    const { visible } = this;
    this._unanswered ??= this._records.filter(
      (record, index) => visible[index] && record.openCalls > 0
    );
    return this._unanswered;
  }

  /** The tokens of a text, or of a message that is not in a cell yet. */
  count(message: string | IWritten): number {
    return this._tokens.message(message);
  }

  /** The tokens of a message of a request. */
  tokensOf(message: IMessage): number {
    return this._tokens.ofMessage(message);
  }

  /** The budget of a request with this message. */
  at(message: string | IWritten): IBudgetState {
    return this.budget.at(this.count(message));
  }

  /**
   * The context of a message: the visible cells that fit.
   *
   * With `before`, only the cells above that one, as for a resend.
   */
  gather(message: string | IWritten, before?: string): IFittingContext {
    return this._gather(message, this.count(message), before);
  }

  /** The context of these cells and a message, whether or not they are visible and fit. */
  gatherCells(ids: readonly string[], message: string | IWritten): IContext {
    const wanted = new Set(ids);
    const cells = this.records
      .filter(({ id }) => wanted.has(id))
      .map(({ cell }) => cell);
    const { rules } = this._source();
    return gatherContext([...this._prelude, ...cells], message, rules);
  }

  /** The context of a pair's turn that continues, with the visible cells above it that fit. */
  gatherTurn(pair: ContextCell): IFittingContext {
    const { rules } = this._source();
    const tokens = this._tokens.tokens(pair);
    return continuedContext(this._gather('', tokens, pair.id), pair, rules);
  }

  /** To be called when model, window or settings may have changed. */
  update(): void {
    const now = this._source();
    const before = this._announcedSource;
    if (
      !before ||
      now.estimator !== before.estimator ||
      !sameRules(now.rules, before.rules) ||
      now.options !== before.options ||
      !sameLimits(now.limits, before.limits)
    ) {
      this._announce();
    }
  }

  /** To be called when the list of new replies changed. */
  refresh(): void {
    if (this._query) {
      this._visible = null;
      this._budget = null;
      this._unanswered = null;
    }
    this._announce();
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._notebook.changed.disconnect(this._onNotebookChanged, this);
    for (const record of this._known.values()) {
      record.dispose();
    }
    this._known.clear();
    Signal.clearData(this);
  }

  private _above(before: string | undefined): CellRecord[] {
    const visible = this.visible;
    const end =
      before === undefined
        ? this._records.length
        : this._records.findIndex(({ id }) => id === before);
    const above: CellRecord[] = [];
    for (let index = 0; index < end; index++) {
      if (visible[index]) {
        above.push(this._records[index]);
      }
    }
    return above;
  }

  private _gather(
    message: string | IWritten,
    tokens: number,
    before: string | undefined
  ): IFittingContext {
    const cells = this._above(before);
    const budget = before === undefined ? this.budget : this._makeBudget(cells);
    const boundary = budget.boundary(tokens);
    const fitting = cells
      .filter(({ id }) => !budget.isOut(id, boundary))
      .map(({ cell }) => cell);
    const cellsAndPrelude = [...this._prelude, ...fitting];
    return {
      ...gatherContext(cellsAndPrelude, message, this._source().rules),
      trimmed: boundary
    };
  }

  private _makeBudget(cells: readonly CellRecord[]): Budget {
    const added = this._prelude.map(cell => ({
      id: cell.id,
      kind: 'system' as const,
      tokens: this._tokens.tokens(cell)
    }));
    const { limits, options = '' } = this._source();
    const beside = {
      id: '',
      kind: 'options' as const,
      tokens: this.count(options)
    };
    const items = cells.filter(
      cell => cell.kind !== 'note' && !cell.isSpare
    ) as (CellRecord & { kind: 'pair' | 'system' })[];
    return new Budget([...added, beside, ...items], limits);
  }

  private _read(): void {
    if (this._isRead) {
      return;
    }
    this._isRead = true;
    const gone = new Set(this._known.keys());
    this._records = this._notebook.cells.map(cell => {
      gone.delete(cell);
      let record = this._known.get(cell);
      if (!record) {
        record = new CellRecord(cell, {
          changed: () => this._invalidate(),
          isNew: id => this._isNew(id),
          tokens: context => this._tokens.tokens(context)
        });
        this._known.set(cell, record);
      }
      return record;
    });
    for (const cell of gone) {
      this._known.get(cell)?.dispose();
      this._known.delete(cell);
    }
  }

  private _onNotebookChanged(_: ISharedNotebook, change: NotebookChange): void {
    if (change.cellsChange) {
      this._isRead = false;
      this._invalidate();
    } else if (change.metadataChange) {
      // The file names the model, and so determines the window.
      this.update();
    }
  }

  /** The counts of the current estimator; recreated when it changes. */
  private get _tokens(): TokenCache {
    const { estimator, rules } = this._source();
    if (
      this._cache?.estimator !== estimator ||
      !sameRules(this._cache.rules, rules)
    ) {
      this._cache = new TokenCache(estimator, rules);
      this._budget = null;
      this._counting = this._recount(this._cache);
    }
    return this._cache;
  }

  private _invalidate(): void {
    this._visible = null;
    this._budget = null;
    this._pairCount = null;
    this._topics = null;
    this._unanswered = null;
    this._announce();
  }

  private _announce(): void {
    if (this._announced) {
      return;
    }
    this._announced = true;
    queueMicrotask(() => {
      this._announced = false;
      if (!this._isDisposed) {
        this._announcedSource = this._source();
        this._changed.emit();
      }
    });
  }

  private async _recount(cache: TokenCache): Promise<void> {
    await cache.estimator.ready;
    if (this._isDisposed) {
      return;
    }
    const cells = this.records.map(({ cell }) => cell);
    const pause = () => new Promise<void>(resolve => setTimeout(resolve));
    const changed = await cache.recount(cells, pause);
    if (changed && !this._isDisposed && this._cache === cache) {
      this._invalidate();
    }
  }

  private _announced = false;
  private _announcedSource: IContextSource | null = null;
  private _budget: Budget | null = null;
  /** What the options of the budget were counted from. */
  private _budgetOptions = '';
  private _cache: TokenCache | null = null;
  private _changed = new Signal<this, void>(this);
  private _counting: Promise<void> = Promise.resolve();
  private _foundPairs: INewPairs = { shown: 0, hidden: 0 };
  private _isDisposed = false;
  private _isNew: (id: string) => boolean;
  private _isRead = false;
  private _known = new Map<ISharedCell, CellRecord>();
  private _newPairs = new NewPairs();
  private _notebook: ISharedNotebook;
  private _pairCount: number | null = null;
  private _prelude: ContextCell[] = [];
  private _query: Query | null = null;
  private _records: CellRecord[] = [];
  private _source: () => IContextSource;
  private _topics: readonly string[] | null = null;
  private _unanswered: readonly CellRecord[] | null = null;
  private _visible: Uint8Array | null = null;
}

/**
 * The namespace for `ContextModel` statics.
 */
export namespace ContextModel {
  export interface IOptions {
    notebook: ISharedNotebook;
    /** The inputs of the budget, read whenever needed, since they arrive in any order. */
    source: () => IContextSource;
    /** Whether a pair has a reply that was not viewed in this browser. */
    isNew: (id: string) => boolean;
  }
}

/** Options are counted again when the tokenizer has loaded. */
function optionsKey({ options = '', estimator }: IContextSource): string {
  return `${estimator.revision} ${options}`;
}

function sameLimits(a: IBudgetLimits, b: IBudgetLimits): boolean {
  return (
    a.window === b.window && a.softCap === b.softCap && a.reserve === b.reserve
  );
}
