import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import { accept, type IFilterError } from './diagnose';
import { parse } from './parse';
import { print } from './print';
import { isEmpty, type Query } from './query';
import { FilterShelf, type IFilterStore, type ISavedFilter } from './store';

/**
 * The text in a filter bar, and the filter in force.
 *
 * They differ while the user types and while the text has an error: a typo never changes what is
 * visible.
 */
export class FilterModel {
  constructor(options: FilterModel.IOptions) {
    this._shelf = new FilterShelf(options.store);
  }

  /** Emitted when the text, the error or the saved filters change. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted when the filter in force changes; null shows everything. */
  get queryChanged(): ISignal<this, Query | null> {
    return this._queryChanged;
  }

  /** The filter in force; null shows everything. */
  get query(): Query | null {
    return this._query;
  }

  /** Why the text is not a filter; null if it is one. */
  get error(): IFilterError | null {
    const parsed = this._parsed;
    return 'error' in parsed ? parsed.error : null;
  }

  /** Why history or saved filters could not be stored; null if they could. */
  get problem(): string | null {
    return this._problem;
  }

  /** Valid queries, latest first. */
  get history(): string[] {
    return this._shelf.history;
  }

  /** Saved filters by name. */
  get saved(): ISavedFilter[] {
    return this._shelf.saved;
  }

  /** The text as typed; it takes effect only when applied. */
  get text(): string {
    return this._text;
  }
  set text(value: string) {
    if (value !== this._text) {
      this._at = -1;
      this._write(value);
    }
  }

  /** Apply the text if it is valid; otherwise the last valid filter stays. */
  apply(): boolean {
    if ('error' in this._parsed) {
      return false;
    }
    const { query } = this._parsed;
    const next = isEmpty(query) ? null : query;
    const changes = textOf(next) !== textOf(this._query);
    this._query = next;
    if (changes) {
      this._queryChanged.emit(next);
    }
    return true;
  }

  /** Apply the text, and add it to the history if it is valid. */
  commit(): boolean {
    const good = this.apply();
    const text = this._text.trim();
    if (good && text && text !== this.history[0]) {
      this._keep(() => this._shelf.remember(text));
    }
    this._at = -1;
    return good;
  }

  /** Show everything. */
  clear(): void {
    this.show('');
  }

  /** Set the text and apply it. */
  show(text: string): boolean {
    this.text = text;
    return this.commit();
  }

  /** Accept the error's suggestion and apply the result. */
  acceptSuggestion(): void {
    if (this.error?.suggestion !== undefined) {
      this.text = accept(this._text, this.error);
      this.apply();
    }
  }

  /** Go to the previous query in the history; return false at its end. */
  older(): boolean {
    return this._step(1);
  }

  /** Go to the next query, finally to what was being typed; return false at the start. */
  newer(): boolean {
    return this._step(-1);
  }

  /** Save the text under a name; return false if it is not a filter or the name is empty. */
  save(name: string): boolean {
    const trimmed = name.trim();
    const text = this._text.trim();
    if (!trimmed || !text || this.error) {
      return false;
    }
    this._keep(() => this._shelf.save({ name: trimmed, text }));
    return this._problem === null;
  }

  /** Delete a saved filter. */
  remove(name: string): void {
    this._keep(() => this._shelf.remove(name));
  }

  private _step(by: 1 | -1): boolean {
    if (this._at === -1) {
      this._typed = this._text;
      // Skip the query that is already in the bar.
      this._past = this.history.filter(text => text !== this._text.trim());
    }
    const at = this._at + by;
    if (at < -1 || at >= this._past.length) {
      return false;
    }
    this._at = at;
    this._write(at === -1 ? this._typed : this._past[at]);
    return true;
  }

  private _write(value: string): void {
    const text = value.replace(/[\r\n]+/g, ' ');
    if (text !== this._text) {
      this._text = text;
      this._parsed = parse(text);
      this._changed.emit();
    }
  }

  private _keep(write: () => void): void {
    try {
      write();
      this._problem = null;
    } catch (error) {
      console.warn('Turnbook: filters cannot be stored', error);
      this._problem = trans.__(
        'The browser’s storage is full or closed: this filter works but will not be remembered. Delete saved filters to make room.'
      );
    }
    this._changed.emit();
  }

  private _at = -1;
  private _changed = new Signal<this, void>(this);
  private _parsed = parse('');
  private _past: string[] = [];
  private _problem: string | null = null;
  private _query: Query | null = null;
  private _queryChanged = new Signal<this, Query | null>(this);
  private _shelf: FilterShelf;
  private _text = '';
  private _typed = '';
}

/**
 * The namespace for `FilterModel` statics.
 */
export namespace FilterModel {
  export interface IOptions {
    store: IFilterStore;
  }
}

function textOf(query: Query | null): string {
  return query ? print(query) : '';
}
