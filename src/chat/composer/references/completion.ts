import { Signal, type ISignal } from '@lumino/signaling';

import { errorMessage } from '../../../base/errors';
import { trans } from '../../../base/words';
import type { IChatPanel } from '../../tokens';
import type {
  IReferenceItem,
  IReferenceProvider,
  IReferenceProviders
} from './providers';
import { mentionAt, type IMention } from './trigger';

/** How many items of a provider are shown. */
const LIMIT = 6;

/** What a provider found. */
export interface IReferenceGroup {
  id: string;
  label: string;
  items: readonly IReferenceItem[];
  /** What could not be searched, and why. */
  problem?: string;
}

/**
 * What `@` in the message offers: one list over all providers.
 *
 * The list shows what is there as soon as a provider has it; those that are slow do not hold up the
 * others, and what belongs to an earlier key press is ignored.
 */
export class ReferenceCompletion {
  constructor(private _options: ReferenceCompletion.IOptions) {}

  /** Emitted when the list opens, changes or closes. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The `@` that the list is for; null while there is none. */
  get mention(): IMention | null {
    return this._mention;
  }

  /** Whether something is still being searched. */
  get isSearching(): boolean {
    return this._pending > 0;
  }

  /** What was found, by provider. */
  get groups(): readonly IReferenceGroup[] {
    return this._groups;
  }

  /** All items, as they are listed. */
  get items(): readonly IReferenceItem[] {
    return this._groups.flatMap(({ items }) => items);
  }

  /** The index of the item that Enter chooses. */
  get active(): number {
    return this._active;
  }
  set active(index: number) {
    const { length } = this.items;
    if (length) {
      this._active = (index + length) % length;
      this._hasMoved = true;
      this._changed.emit();
    }
  }

  /** The text or the cursor is another now. */
  update(text: string, caret: number): void {
    const mention = mentionAt(text, caret);
    if (mention?.start !== this._dismissed) {
      this._dismissed = undefined;
    }
    if (!mention || this._dismissed !== undefined) {
      this._close();
      return;
    }
    const { start, query } = this._mention ?? {};
    this._mention = mention;
    if (start !== mention.start || query !== mention.query) {
      this._search(mention.query);
    }
  }

  /** Handle a key of the list; returns whether it was one. */
  take(
    { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
    choose: (item: IReferenceItem) => void
  ): boolean {
    const item = this.items[this._active];
    if (!this._mention || (!item && !this.isSearching)) {
      return false;
    }
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      this.active += key === 'ArrowDown' ? 1 : -1;
    } else if ((key === 'Enter' || key === 'Tab') && !shiftKey) {
      // Without an item too: Enter must not send a message while what it refers to is searched.
      if (item) {
        choose(item);
      }
    } else if (key === 'Escape') {
      this.dismiss();
    } else {
      return false;
    }
    return true;
  }

  /** Close the list until another `@` is typed. */
  dismiss(): void {
    this._dismissed = this._mention?.start;
    this._close();
  }

  /** Whether the list was open when the message lost the focus. */
  get wasLeft(): boolean {
    return this._wasLeft;
  }

  /** Close the list; the same `@` can open it again. */
  leave(): void {
    const wasOpen = this._mention !== null;
    this._close();
    this._wasLeft = wasOpen;
  }

  private _close(): void {
    this._aborter?.abort();
    this._aborter = null;
    this._pending = 0;
    this._groups = [];
    this._wasLeft = false;
    if (this._mention) {
      this._mention = null;
      this._changed.emit();
    }
  }

  private _search(query: string): void {
    this._aborter?.abort();
    const aborter = new AbortController();
    this._aborter = aborter;
    this._active = 0;
    this._hasMoved = false;
    const { list } = this._options.providers;
    const found = new Map<IReferenceProvider, IReferenceGroup>();
    const { signal } = aborter;
    const ask = async (provider: IReferenceProvider) => {
      this._pending++;
      const group = await this._ask(provider, query, signal);
      if (!signal.aborted) {
        found.set(provider, group);
        this._pending--;
        this._show(list.flatMap(one => found.get(one) ?? []));
      }
    };
    this._pending = 0;
    for (const provider of list) {
      const again = () => void ask(provider);
      provider.changed?.connect(again);
      signal.addEventListener('abort', () =>
        provider.changed?.disconnect(again)
      );
      again();
    }
    // What was found before stays until there is something else, so that the list does not flicker.
    this._changed.emit();
  }

  private async _ask(
    provider: IReferenceProvider,
    query: string,
    signal: AbortSignal
  ): Promise<IReferenceGroup> {
    const { id, label } = provider;
    try {
      const chat = this._options.chat();
      const problems: string[] = [];
      const report = (problem: string) => void problems.push(problem);
      const items = await provider.find(query, LIMIT, signal, chat, report);
      if (!items.every(isItem)) {
        throw new Error(trans.__('It offers something without a name.'));
      }
      return {
        id,
        label,
        items: items.slice(0, LIMIT),
        ...(problems.length ? { problem: problems.join('\n') } : {})
      };
    } catch (error) {
      if (!signal.aborted) {
        console.warn(`Turnbook: ${id} cannot be searched`, error);
      }
      return { id, label, items: [], problem: errorMessage(error) };
    }
  }

  private _show(groups: readonly IReferenceGroup[]): void {
    const chosen = this._hasMoved ? keysOf(this._groups)[this._active] : '';
    this._groups = groups.filter(
      ({ items, problem }) => items.length || problem
    );
    // What arrives later must not move the list under the user's finger.
    const place = chosen ? keysOf(this._groups).indexOf(chosen) : 0;
    this._active = Math.max(0, place);
    this._changed.emit();
  }

  private _aborter: AbortController | null = null;
  private _active = 0;
  private _changed = new Signal<this, void>(this);
  private _dismissed: number | undefined;
  private _groups: readonly IReferenceGroup[] = [];
  private _hasMoved = false;
  private _mention: IMention | null = null;
  private _pending = 0;
  private _wasLeft = false;
}

/** Whether something that another extension offers can be listed. */
function isItem(item: IReferenceItem | null): boolean {
  const { label, detail } = item ?? {};
  return typeof label === 'string' && typeof (detail ?? '') === 'string';
}

/** What tells items apart, in order: a provider that is asked again makes others of the same. */
export function keysOf(groups: readonly IReferenceGroup[]): string[] {
  const times = new Map<string, number>();
  return groups.flatMap(({ id, items }) =>
    items.map(({ kind, label, detail }) => {
      const key = JSON.stringify([id, kind, label, detail]);
      const time = (times.get(key) ?? 0) + 1;
      times.set(key, time);
      // Of those that look the same, which one.
      return `${key} ${time}`;
    })
  );
}

/**
 * The namespace for `ReferenceCompletion` statics.
 */
export namespace ReferenceCompletion {
  export interface IOptions {
    providers: Pick<IReferenceProviders, 'list'>;
    /** The chat in which the user types. */
    chat: () => IChatPanel;
  }
}
