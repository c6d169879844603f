import { UUID } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { isObject } from '../base/json';
import type { IEditedRequest, IRequestBase, ISection } from './model';
import { messageJSON } from './render';
import { canAutoApply, ruleHash, type IRule } from './rules';
import type { IRequestStorage } from '../base/storage';

const PREFIX = 'turnbook:auto-apply:';

/** The storage key of the rules for all chats. */
const ALL = `${PREFIX}all chats`;

/** The rules that apply to all chats in this browser. */
export class SharedRules {
  constructor(private _storage: IRequestStorage) {
    this.ready = this._read();
  }

  /** Resolves when the stored rules are known. */
  readonly ready: Promise<void>;

  /** Emitted when the rules change. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get list(): readonly IRule[] {
    return this._list;
  }
  set list(list: readonly IRule[]) {
    this._list = list;
    this._changed.emit();
    this._storage.set(ALL, list).catch(error => {
      console.warn('Turnbook: the rules of Auto-apply cannot be kept', error);
    });
  }

  private async _read(): Promise<void> {
    this._list = readRules(await this._storage.get(ALL));
    this._changed.emit();
  }

  private _changed = new Signal<this, void>(this);
  private _list: readonly IRule[] = [];
}

/**
 * Auto-apply in one chat: its switch, and the edits that later sends get too.
 *
 * While it is on, the edits of system and context sections that are sent become rules; while it is
 * off, the user can keep single ones. A chat's rules are in its notebook. Whether they apply is
 * decided by this browser alone: a file from elsewhere never changes a request by itself.
 */
export class AutoApply implements IDisposable {
  constructor(private _options: AutoApply.IOptions) {
    _options.shared.changed.connect(this._emit, this);
  }

  /** Emitted when the switch or a rule changes. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Whether the rules are applied. */
  get on(): boolean {
    return this._chosen ?? this._fallback;
  }
  set on(on: boolean) {
    this._chosen = on;
    this._write();
    this._emit();
  }

  /** Whether the user set the switch in this chat. */
  get isChosen(): boolean {
    return this._chosen !== null;
  }

  /** The state of the switch in chats where the user never set it. */
  set fallback(on: boolean) {
    if (on !== this._fallback) {
      this._fallback = on;
      this._emit();
    }
  }

  /**
   * All rules of this chat and of all chats, on or off.
   *
   * Rules that came with a file are off until the user turns them on: a setting for all chats was
   * not meant for them.
   */
  get list(): readonly IRule[] {
    const own = this._own().map(rule =>
      this._isTrusted(rule) ? rule : { ...rule, on: false }
    );
    return [...own, ...this._options.shared.list];
  }

  /** The rules that apply now: all while it is on, else those the user kept one by one. */
  get inForce(): readonly IRule[] {
    return this.list.filter(
      ({ id, on }) => on && (this.on || this._kept.has(id))
    );
  }

  /**
   * Whether Keep would apply a section's edit to later sends; while it is on, sending does that.
   */
  canKeep(section: ISection): boolean {
    return !this.on && this._isNew(section);
  }

  /** Apply a section's edit to later sends of this chat, whether it is on or off. */
  keep(section: ISection, base: IRequestBase): void {
    const rule = this._ruleOf(section, base);
    if (rule) {
      this._kept.add(rule.id);
      this._write();
      this._add([rule]);
    }
  }

  /** Apply the edits of a sent request to later ones, if it is on. */
  keepSent(request: Pick<IEditedRequest, 'base' | 'sections'>): void {
    const { base, sections } = request;
    const rules = this.on
      ? sections
          .filter(section => this._isNew(section))
          .flatMap(section => this._ruleOf(section, base) ?? [])
      : [];
    if (rules.length) {
      this._trust(rules);
      this._add(rules);
    }
  }

  /** Whether a section has an edit that could be applied to later sends but is not. */
  private _isNew(section: ISection): boolean {
    return (
      canAutoApply(section) &&
      section.original !== null &&
      (section.edited || section.deleted) &&
      section.conflict === null &&
      !this.inForce.some(
        rule =>
          isSame(rule, section) ||
          // The edit comes from a rule made elsewhere.
          (rule.id === section.origin && doesSame(rule, section))
      )
    );
  }

  private _ruleOf(section: ISection, base: IRequestBase): IRule | null {
    const source = base.sections.find(({ id }) => id === section.id);
    if (!source) {
      return null;
    }
    return {
      id: UUID.uuid4(),
      section: {
        id: section.id,
        kind: section.kind,
        role: source.message.role,
        baseHash: ruleHash(source.message)
      },
      edit: section.deleted
        ? { kind: 'delete' }
        : { kind: 'message', message: section.message },
      origin: { chatId: base.chatId, pair: base.pair, at: this._options.now() },
      scope: 'chat',
      on: true
    };
  }

  /** Add rules; each replaces the one that its section had. */
  private _add(rules: readonly IRule[]): void {
    const ids = new Set(rules.map(({ section }) => section.id));
    const others = this._own().filter(({ section }) => !ids.has(section.id));
    this._setOwn([...others, ...rules]);
  }

  /** Turn a rule on or off, or set its scope. */
  set(id: string, change: Partial<Pick<IRule, 'on' | 'scope'>>): void {
    const rule = this.list.find(one => one.id === id);
    if (!rule) {
      return;
    }
    const next = { ...rule, ...change };
    const { shared } = this._options;
    if (change.on || rule.scope === 'all') {
      this._trust([rule]);
    }
    if (next.scope === rule.scope) {
      const change = (list: readonly IRule[]) =>
        list.map(one => (one.id === id ? next : one));
      if (next.scope === 'all') {
        shared.list = change(shared.list);
      } else {
        this._setOwn(change(this._own()));
      }
      return;
    }
    this.remove(id);
    if (next.scope === 'all') {
      shared.list = [...shared.list, next];
    } else {
      this._setOwn([...this._own(), next]);
    }
  }

  /** Delete a rule. */
  remove(id: string): void {
    const { shared } = this._options;
    if (shared.list.some(rule => rule.id === id)) {
      shared.list = shared.list.filter(rule => rule.id !== id);
    } else {
      this._setOwn(this._own().filter(rule => rule.id !== id));
    }
  }

  /** Store the switch under this name from now on, and load what is stored there. */
  async open(name: string): Promise<void> {
    const key = PREFIX + name;
    if (key === this._key) {
      return;
    }
    this._key = key;
    if (this._chosen !== null || this._kept.size || this._made.size) {
      this._write();
      return;
    }
    const stored = await this._options.storage.get(key);
    if (!this._isDisposed) {
      this._take(stored);
    }
    // By now the document has been read, and its rules with it.
    this._emit();
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._options.shared.changed.disconnect(this._emit, this);
    Signal.clearData(this);
  }

  /** Whether a rule of the notebook is the user's own rather than the file's. */
  private _isTrusted({ id }: IRule): boolean {
    return (
      this.isChosen ||
      this._kept.has(id) ||
      this._made.has(id) ||
      this._options.isOwn()
    );
  }

  private _trust(rules: readonly IRule[]): void {
    rules.forEach(({ id }) => this._made.add(id));
    this._write();
  }

  private _own(): readonly IRule[] {
    return readRules(this._options.read());
  }

  private _setOwn(list: readonly IRule[]): void {
    this._options.write(list);
    this._emit();
  }

  private _take(stored: unknown): void {
    // Earlier versions stored only the switch.
    const { on, kept, made } = isObject(stored)
      ? stored
      : { on: stored, kept: undefined, made: undefined };
    if (typeof on === 'boolean') {
      this._chosen = on;
    }
    for (const id of Array.isArray(kept) ? kept : []) {
      this._kept.add(String(id));
    }
    for (const id of Array.isArray(made) ? made : []) {
      this._made.add(String(id));
    }
  }

  private _write(): void {
    if (this._key !== null) {
      const state = {
        on: this._chosen,
        kept: [...this._kept],
        made: [...this._made]
      };
      this._options.storage.set(this._key, state).catch(error => {
        console.warn('Turnbook: the switch of Auto-apply is not kept', error);
      });
    }
  }

  private _emit(): void {
    if (!this._isDisposed) {
      this._changed.emit();
    }
  }

  private _changed = new Signal<this, void>(this);
  private _chosen: boolean | null = null;
  private _fallback = false;
  private _isDisposed = false;
  /** The rules that the user kept in this browser; a file cannot add itself here. */
  private _kept = new Set<string>();
  private _key: string | null = null;
  /** The rules that were made or turned on in this browser. */
  private _made = new Set<string>();
}

/**
 * The namespace for `AutoApply` statics.
 */
export namespace AutoApply {
  export interface IOptions {
    shared: SharedRules;
    storage: IRequestStorage;
    /** The rules as they are in the notebook. */
    read: () => unknown;
    write: (rules: readonly IRule[]) => void;
    /** Whether this browser made the file. */
    isOwn: () => boolean;
    now: () => number;
  }
}

/** Whether a rule already does what was done to a section. */
function isSame(rule: IRule, section: ISection): boolean {
  return rule.section.id === section.id && doesSame(rule, section);
}

function doesSame({ edit }: IRule, section: ISection): boolean {
  return edit.kind === 'delete'
    ? section.deleted
    : !section.deleted &&
        messageJSON(edit.message) === messageJSON(section.message);
}

/** Read rules defensively; invalid ones are ignored. */
export function readRules(value: unknown): IRule[] {
  const list = isObject(value) ? value.rules : value;
  return Array.isArray(list) ? (list.filter(isRule) as unknown as IRule[]) : [];
}

function isRule(value: unknown): boolean {
  if (!isObject(value)) {
    return false;
  }
  const { id, section, edit, origin, scope, on } = value;
  return (
    typeof id === 'string' &&
    typeof on === 'boolean' &&
    (scope === 'chat' || scope === 'all') &&
    isObject(section) &&
    typeof section.baseHash === 'string' &&
    typeof section.kind === 'string' &&
    isObject(origin) &&
    typeof origin.chatId === 'string' &&
    isObject(edit) &&
    (edit.kind === 'delete' ||
      (edit.kind === 'message' &&
        isObject(edit.message) &&
        typeof edit.message.role === 'string'))
  );
}
