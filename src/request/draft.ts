import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';
import { UUID } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';
import * as Y from 'yjs';

import type { IMessage } from '../context/gather';
import { isObject } from '../document/json';
import {
  changeText,
  EDIT,
  Edits,
  FOLLOW,
  hasHalves,
  leafKey,
  sectionOfKey,
  type IMove
} from './edits';
import { RequestError } from './errors';
import { sameJSON, valueAt, valueHash, withValue } from './leaves';
import type {
  IBaseSection,
  IEditCounts,
  IEditedRequest,
  IRequestBase,
  ISection,
  IVersion,
  LeafPath
} from './model';
import { checkOption } from './options';
import { applyMoves, movesBetween } from './order';
import { checkMessage, checkRole } from './problems';
import { messageJSON } from './render';
import { addedMessage, applyLeaves, groundOf } from './resolve';
import { countsOf, Resolver } from './resolver';
import { ruleFor, ruleHash, type IRule } from './rules';
import { Versions } from './versions';

/** How long keys that are typed one after the other are one step to undo. */
const CAPTURE_MS = 500;

/** A section that a request shall have; without an id it is a new one. */
export interface ITargetSection {
  id: string | null;
  message: IMessage;
}

/**
 * The edits of one request over what it is made from.
 *
 * It holds edits alone: as long as there are none, the request is its base, byte for byte.
 * An edit belongs to a leaf of a section and knows what it was made on. When that changed,
 * the edit waits to be confirmed.
 */
export class RequestDraft implements IDisposable {
  constructor(options: RequestDraft.IOptions) {
    this._edits = new Edits();
    this._resolver = new Resolver(this._edits, options.base);
    this._resolver.rules = options.autoApply ?? [];
    this._versions = new Versions(this._edits, options.before?._versions);
    if (options.state) {
      this._versions.decode(options.state);
    }
    this.undoManager = new Y.UndoManager(this._edits.all, {
      captureTimeout: CAPTURE_MS,
      trackedOrigins: new Set<unknown>([null, EDIT])
    });
    this.undoManager.on('stack-item-popped', () => this._follow());
    for (const type of this._edits.all) {
      type.observeDeep(events => this._onEvents(events));
    }
    this._edits.doc.on('beforeObserverCalls', this._onTransaction);
    this._edits.reindex();
    this._follow();
  }

  /** Undo and redo of all edits; an editor that is bound to a text adds its origin here. */
  readonly undoManager: Y.UndoManager;

  /** Emitted when the request may be another; once for any number of changes. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** What the request is made from. Edits stay with their sections when it changes. */
  get base(): IRequestBase {
    return this._resolver.base;
  }
  set base(base: IRequestBase) {
    if (base === this._resolver.base) {
      return;
    }
    this._resolver.base = base;
    this._follow();
    this._announce();
  }

  /** The rules of Auto-apply that are in force. */
  get autoApply(): readonly IRule[] {
    return this._resolver.rules;
  }
  set autoApply(rules: readonly IRule[]) {
    this._resolver.rules = rules;
    this._follow();
    this._announce();
  }

  /** The request with its edits and its bytes. */
  get request(): IEditedRequest {
    return this._resolver.request;
  }

  /** How much is edited. */
  get counts(): IEditCounts {
    return countsOf(this.request);
  }

  /** Whether anything is edited or waits to be confirmed, by the user or by a rule. */
  get isEdited(): boolean {
    const { sections: _, ...counts } = this.counts;
    return Object.values(counts).some(count => count > 0);
  }

  /** Whether the user edited anything, applied or not; what rules do does not count. */
  get hasEdits(): boolean {
    const { texts, bases, values, removed, added, moves, options, rules } =
      this._edits;
    return (
      [values, removed, added, options, rules].some(({ size }) => size > 0) ||
      moves.length > 0 ||
      [...texts.entries()].some(
        ([key, text]) => bases.get(key) !== valueHash(text.toString())
      )
    );
  }

  get canUndo(): boolean {
    return this.undoManager.canUndo();
  }

  get canRedo(): boolean {
    return this.undoManager.canRedo();
  }

  undo(): void {
    this.undoManager.undo();
  }

  redo(): void {
    this.undoManager.redo();
  }

  /**
   * The text of a leaf, for an editor to be bound to.
   *
   * It is no edit as long as it says what the source says, and follows the source until then.
   * Ask again after every change: when a whole section was replaced or brought back, the text
   * is another one. Throws for leaves that are no text.
   */
  text(section: string, path: LeafPath): Y.Text {
    const key = leafKey(section, path);
    const existing = this._edits.texts.get(key);
    if (existing && !this._edits.values.has(key)) {
      return existing;
    }
    const value = valueAt(this._message(section), path);
    if (typeof value !== 'string' || hasHalves(value)) {
      throw new RequestError(
        'not-text',
        'This value is no plain text: edit it as JSON.',
        path,
        section
      );
    }
    this._openText(section, path, value);
    return this._edits.texts.get(key)!;
  }

  /** Give a leaf another value; what was edited inside it goes. */
  setLeaf(section: string, path: LeafPath, value: PartialJSONValue): void {
    this._checkLeaf(section, path, value);
    this._open([[section, path, value]]);
    this._act(`leaf ${leafKey(section, path)}`, () =>
      this._setLeaf(section, path, value)
    );
  }

  /** Take a leaf away. */
  removeLeaf(section: string, path: LeafPath): void {
    const parent = valueAt(this._message(section), path.slice(0, -1));
    const last = path[path.length - 1];
    if (Array.isArray(parent)) {
      // Taken out of the list as a whole, so that what stands behind keeps its edits' places.
      const list = parent.filter((_, index) => index !== last);
      this.setLeaf(section, path.slice(0, -1), list as PartialJSONValue);
      return;
    }
    this._checkLeaf(section, path, undefined);
    this._act(null, () => this._setLeaf(section, path, undefined));
  }

  /** Make a section another message; what stays the same in it is no edit. */
  setMessage(section: string, message: IMessage): void {
    checkMessage(message, section);
    const changes = this._messageChanges(section, message);
    this._open(changes);
    this._act(`message ${section}`, () => this._setMessage(section, message));
  }

  /** Give an option another value, or take it away. */
  setOption(key: string, value: PartialJSONValue | undefined): void {
    checkOption(key, value);
    this._act(`option ${key}`, () => this._setOption(key, value));
  }

  /** Leave a section out of what is sent. */
  remove(section: string): void {
    this._known(section);
    this._act(null, () => this._remove(section));
  }

  /** Take a deleted section back in. */
  restore(section: string): void {
    this._act(null, () => this._restore(section));
  }

  /** Put a section before another, or last. */
  move(section: string, before: string | null): void {
    this._known(section);
    if (before === section) {
      return;
    }
    const after = this._behind(before, section);
    this._act(null, () => this._move({ section, before, after }));
  }

  /** Add a section; answers its id. */
  add(options: {
    role: string;
    content: IMessage['content'];
    before: string | null;
  }): string {
    const { role, content, before } = options;
    const message: IMessage = { role, content };
    checkMessage(message);
    const id = newId();
    const move = { section: id, before, after: this._behind(before) };
    this._act(null, () => {
      this._edits.added.set(id, JSON.stringify(message));
      this._edits.moves.push([JSON.stringify(move)]);
    });
    return id;
  }

  /** Take edits back: of a leaf, of a section, or all. */
  reset(section?: string, path?: LeafPath): void {
    if (section === undefined) {
      this._act(null, () => this._resetAll());
    } else if (path) {
      this._act(null, () => this._resetLeaf(section, path));
    } else {
      this._act(null, () => this._resetSection(section));
    }
  }

  /** Take an edited option back. */
  resetOption(key: string): void {
    this._act(null, () => this._edits.options.delete(key));
  }

  /** Apply a section's edit although what it was made on changed or is hidden. */
  confirm(section: string): void {
    const found = this.request.sections.find(({ id }) => id === section);
    if (found?.conflict === 'hidden') {
      this._confirmHidden(found);
    } else if (found?.conflict === 'changed') {
      this._act(null, () => this._confirmChanged(section));
    }
  }

  /** Apply an option's edit although what it was made on changed. */
  confirmOption(key: string): void {
    const set = this._edits.option(key);
    if (set) {
      const base = valueHash(this._optionBase(key));
      this._act(null, () =>
        this._edits.options.set(key, JSON.stringify({ ...set, base }))
      );
    }
  }

  /**
   * Make the request one with these sections and options, as one step to undo.
   *
   * Only what differs becomes an edit. Of the options `frame` tells, `messages` is left
   * alone; those that it does not tell go, unless `keep` says otherwise.
   */
  become(
    target: readonly ITargetSection[],
    frame: PartialJSONObject,
    keep: (key: string) => boolean = () => false
  ): void {
    const options = Object.entries(frame).filter(([key]) => key !== 'messages');
    const now = this.request;
    const said = new Set(now.sections.map(one => messageJSON(one.message)));
    for (const { id, message } of target) {
      if (!said.has(messageJSON(message))) {
        checkMessage(message, id);
      }
    }
    for (const [key, value] of options) {
      if (!sameJSON(value, valueAt(now.frame as PartialJSONObject, [key]))) {
        checkOption(key, value);
      }
    }
    const gone = Object.keys(now.frame).filter(
      key => key !== 'messages' && !Object.hasOwn(frame, key) && !keep(key)
    );
    for (const key of gone) {
      checkOption(key, undefined);
    }
    const known = new Set(this._order());
    const taken = new Set<string>();
    const named = target.map(({ id, message }) => {
      const fresh = id === null || !known.has(id) || taken.has(id);
      const name = fresh ? newId() : id;
      taken.add(name);
      return { id: name, message, fresh };
    });
    this._open(
      named.flatMap(({ id, message, fresh }) =>
        fresh ? [] : this._messageChanges(id, message)
      )
    );
    this._act(null, () => {
      for (const id of known) {
        if (!taken.has(id)) {
          this._remove(id);
        }
      }
      for (const { id, message, fresh } of named) {
        if (fresh) {
          this._edits.added.set(id, JSON.stringify(message));
        } else {
          this._restore(id);
          this._setMessage(id, message);
        }
      }
      this._arrange(named.map(({ id }) => id));
      for (const [key, value] of options) {
        this._setOption(key, value);
      }
      for (const key of gone) {
        this._setOption(key, undefined);
      }
      this._arrangeOptions(options.map(([key]) => key));
    });
  }

  /** The states that were kept, first to last. */
  get versions(): readonly IVersion[] {
    return this._versions.list;
  }

  /** Keep the state as it is now, under the next number. */
  takeVersion(why: IVersion['why']): IVersion {
    const version = this._versions.take(
      why,
      this.request,
      Date.now(),
      this.autoApply
    );
    this._announce();
    return version;
  }

  /** The request as it was in a version. */
  open(n: number): IEditedRequest {
    return this._versions.open(n);
  }

  /** Make the request what it was in a version; can be undone. */
  restoreVersion(n: number): void {
    const { sections, frame } = this.open(n);
    const sent = sections.filter(
      ({ deleted, conflict }) => !deleted && conflict !== 'hidden'
    );
    this.become(sent, frame as PartialJSONObject);
  }

  /** All edits and versions as bytes, to be kept and given to a new draft. */
  encode(): Uint8Array {
    return this._versions.encode();
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this.undoManager.destroy();
    this._edits.doc.destroy();
    Signal.clearData(this);
  }

  /** The message of a section with the edits that are made on it, waiting ones included. */
  private _message(section: string): IMessage {
    return applyLeaves(this._edits, section, this._ground(section)).message;
  }

  /** The message that edits of a section are made on. */
  private _ground(section: string): IMessage {
    const base = this._known(section);
    return base
      ? groundOf(base, this._match(base), this._edits).message
      : addedMessage(this._edits, section);
  }

  private _match(base: IBaseSection) {
    return ruleFor(this.autoApply, base, this.base.chatId);
  }

  /** A section of the base; null for one that was added. Throws for one that is not there. */
  private _known(section: string): IBaseSection | null {
    const base = this._resolver.section(section);
    if (!base && !this._edits.added.has(section)) {
      throw unknownSection(section);
    }
    return base ?? null;
  }

  private _order(): string[] {
    return this.request.sections
      .filter(({ conflict }) => conflict !== 'hidden')
      .map(({ id }) => id);
  }

  /** What stands in front of a section, others than `but`. */
  private _behind(before: string | null, but?: string): string | null {
    const order = this._order();
    const place = before === null ? order.length : order.indexOf(before);
    if (place === -1) {
      throw unknownSection(before!);
    }
    const front = order.slice(0, place).filter(id => id !== but);
    return front[front.length - 1] ?? null;
  }

  private _checkLeaf(
    section: string,
    path: LeafPath,
    value: PartialJSONValue | undefined
  ): void {
    const next = withValue(this._message(section), path, value);
    if (next === null || !isObject(next)) {
      throw new RequestError(
        'no-leaf',
        'There is no such place in this message.',
        path,
        section
      );
    }
    checkRole(next.role, section);
    checkMessage(next, section);
  }

  /** What a leaf says without the edits of it and of what is inside it. */
  private _under(
    section: string,
    path: LeafPath
  ): PartialJSONValue | undefined {
    const ground = this._ground(section);
    const { message } = applyLeaves(this._edits, section, ground, path.length);
    return valueAt(message, path);
  }

  /** Have texts for the values that will be set, outside of what can be undone. */
  private _open(
    changes: readonly [string, LeafPath, PartialJSONValue | undefined][]
  ): void {
    for (const [section, path, value] of changes) {
      const key = leafKey(section, path);
      const under = this._under(section, path);
      if (
        typeof value === 'string' &&
        typeof under === 'string' &&
        !hasHalves(value) &&
        !hasHalves(under) &&
        !this._edits.texts.has(key)
      ) {
        this._openText(section, path, under);
      }
    }
  }

  private _openText(section: string, path: LeafPath, value: string): void {
    const key = leafKey(section, path);
    this._edits.doc.transact(() => {
      this._edits.texts.set(key, new Y.Text(value));
      this._edits.bases.set(key, valueHash(value));
    }, FOLLOW);
  }

  private _setLeaf(
    section: string,
    path: LeafPath,
    value: PartialJSONValue | undefined
  ): void {
    const { texts, bases, values } = this._edits;
    for (const inner of this._edits.pathsOf(section)) {
      if (inner.length > path.length && path.every((s, n) => s === inner[n])) {
        this._forget(section, inner);
      }
    }
    const key = leafKey(section, path);
    const under = this._under(section, path);
    const base = valueHash(under);
    const text = texts.get(key);
    if (sameJSON(value, under)) {
      this._forget(section, path);
    } else if (typeof value === 'string' && !hasHalves(value)) {
      values.delete(key);
      if (text) {
        changeText(text, value);
      } else {
        texts.set(key, new Y.Text(value));
      }
      if (bases.get(key) !== base) {
        bases.set(key, base);
      }
    } else {
      this._edits.setValue(section, path, {
        base,
        ...(value === undefined ? {} : { value })
      });
    }
    this._edits.reindex();
  }

  /** Let a leaf say what the source says. */
  private _forget(section: string, path: LeafPath): void {
    const { texts, bases, values } = this._edits;
    const key = leafKey(section, path);
    values.delete(key);
    const text = texts.get(key);
    if (!text) {
      return;
    }
    const under = this._under(section, path);
    if (typeof under === 'string' && !hasHalves(under)) {
      // The text stays, since an editor may be bound to it.
      changeText(text, under);
      bases.set(key, valueHash(under));
    } else {
      texts.delete(key);
      bases.delete(key);
    }
    this._edits.reindex();
  }

  /** The leaves that must change for a section to be another message. */
  private _messageChanges(
    section: string,
    message: IMessage
  ): [string, LeafPath, PartialJSONValue | undefined][] {
    const ground = this._ground(section);
    const { message: now, conflict } = applyLeaves(
      this._edits,
      section,
      ground
    );
    const from = conflict ? ground : now;
    return differences(
      from as PartialJSONValue,
      message as PartialJSONValue
    ).map(([path, value]) => [section, path, value]);
  }

  private _setMessage(section: string, message: IMessage): void {
    const ground = this._ground(section);
    if (applyLeaves(this._edits, section, ground).conflict) {
      this._resetLeaves(section);
    }
    for (const [, path, value] of this._messageChanges(section, message)) {
      this._setLeaf(section, path, value);
    }
  }

  private _setOption(key: string, value: PartialJSONValue | undefined): void {
    const { options } = this._edits;
    const under = this._optionBase(key);
    if (sameJSON(under, value)) {
      options.delete(key);
      return;
    }
    const numbers = this._edits.optionList.map(([, { n }]) => n);
    const n = this._edits.option(key)?.n ?? Math.max(0, ...numbers) + 1;
    const base = valueHash(under);
    const set = { n, base, ...(value === undefined ? {} : { value }) };
    const json = JSON.stringify(set);
    if (options.get(key) !== json) {
      options.set(key, json);
    }
  }

  /** Bring the options that the base does not have into an order. */
  private _arrangeOptions(order: readonly string[]): void {
    const isNew = (key: string) => this._optionBase(key) === undefined;
    const now = this._edits.optionList.filter(([key]) => isNew(key));
    const wanted = order.filter(isNew);
    if (now.every(([key], n) => key === wanted[n])) {
      return;
    }
    for (const [key, set] of now) {
      const n = wanted.indexOf(key) + 1;
      this._edits.options.set(key, JSON.stringify({ ...set, n }));
    }
  }

  private _optionBase(key: string): PartialJSONValue | undefined {
    return valueAt(this.base.frame as PartialJSONObject, [key]);
  }

  private _remove(section: string): void {
    if (this._edits.added.has(section)) {
      for (const path of [...this._edits.pathsOf(section)]) {
        const key = leafKey(section, path);
        this._edits.values.delete(key);
        this._edits.texts.delete(key);
        this._edits.bases.delete(key);
      }
      this._edits.added.delete(section);
      this._dropMoves(section);
      this._edits.reindex();
    } else {
      this._edits.removed.set(section, valueHash(this._ground(section)));
    }
  }

  private _restore(section: string): void {
    if (this._edits.removed.has(section)) {
      this._edits.removed.delete(section);
    }
    const base = this._resolver.section(section);
    const match = base && this._match(base);
    if (base && match && groundOf(base, match, this._edits).deleted) {
      this._edits.rules.set(match.rule.id, 'off');
    }
  }

  private _move(move: IMove): void {
    const { moves } = this._edits;
    const last = this._edits.moveList[moves.length - 1];
    if (
      last?.section === move.section &&
      !this._edits.added.has(move.section)
    ) {
      moves.delete(moves.length - 1);
    }
    moves.push([JSON.stringify(move)]);
  }

  private _dropMoves(section: string): void {
    const list = this._edits.moveList;
    for (let n = list.length - 1; n >= 0; n--) {
      if (list[n].section === section) {
        this._edits.moves.delete(n);
      }
    }
  }

  /** Bring the sections into an order. */
  private _arrange(order: readonly string[]): void {
    const { moves } = this._edits;
    const sent = new Set(order);
    const all = [
      ...this.base.sections.map(({ id }) => id),
      ...[...this._edits.added.keys()].sort()
    ];
    const now = applyMoves(all, this._edits.moveList).filter(id =>
      sent.has(id)
    );
    if (now.every((id, n) => id === order[n])) {
      return;
    }
    moves.delete(0, moves.length);
    const from = all.filter(id => sent.has(id));
    moves.push(movesBetween(from, order).map(move => JSON.stringify(move)));
  }

  private _resetLeaf(section: string, path: LeafPath): void {
    for (const inner of [...this._edits.pathsOf(section)].reverse()) {
      if (path.every((step, n) => step === inner[n])) {
        this._forget(section, inner);
      }
    }
    this._edits.reindex();
  }

  private _resetLeaves(section: string): void {
    const paths = [...this._edits.pathsOf(section)];
    for (const path of paths) {
      this._edits.values.delete(leafKey(section, path));
    }
    this._edits.reindex();
    for (const path of paths) {
      this._forget(section, path);
    }
  }

  private _resetSection(section: string): void {
    const base = this._resolver.section(section);
    const match = base && this._match(base);
    if (match) {
      this._edits.rules.set(match.rule.id, 'off');
    }
    this._edits.removed.delete(section);
    if (!this._edits.added.has(section)) {
      this._dropMoves(section);
    }
    if (base || this._edits.added.has(section)) {
      this._resetLeaves(section);
    } else {
      for (const path of [...this._edits.pathsOf(section)]) {
        const key = leafKey(section, path);
        this._edits.values.delete(key);
        this._edits.texts.delete(key);
        this._edits.bases.delete(key);
      }
      this._edits.reindex();
    }
  }

  private _resetAll(): void {
    const { added, moves, options } = this._edits;
    for (const id of [...added.keys()]) {
      this._remove(id);
    }
    const sections = [
      ...this._edits.sections,
      ...this.base.sections.map(({ id }) => id)
    ];
    for (const section of new Set(sections)) {
      this._resetSection(section);
    }
    moves.delete(0, moves.length);
    for (const key of [...options.keys()]) {
      options.delete(key);
    }
  }

  private _confirmChanged(section: string): void {
    const base = this._resolver.section(section);
    const match = base && this._match(base);
    if (base && match && groundOf(base, match, this._edits).doubt !== null) {
      this._edits.rules.set(match.rule.id, ruleHash(base.message));
    }
    if (this._edits.removed.has(section)) {
      this._edits.removed.set(section, valueHash(this._ground(section)));
    }
    for (const path of this._edits.pathsOf(section)) {
      const key = leafKey(section, path);
      const hash = valueHash(this._under(section, path));
      const set = this._edits.value(section, path);
      if (set) {
        this._edits.setValue(section, path, { ...set, base: hash });
      } else if (this._edits.texts.has(key)) {
        this._edits.bases.set(key, hash);
      }
    }
  }

  /** A hidden section that is sent all the same is one of this request alone. */
  private _confirmHidden(section: ISection): void {
    const { base } = this;
    const id = newId();
    const last = base.sections[base.sections.length - 1]?.id ?? null;
    this._act(null, () => {
      this._edits.added.set(id, JSON.stringify(section.pending));
      const move = { section: id, before: last, after: null };
      this._edits.moves.push([JSON.stringify(move)]);
      this._resetSection(section.id);
    });
  }

  /** Do something as a step of the user's; steps with the same name one after the other are one. */
  private _act(name: string | null, act: () => void): void {
    if (name === null || name !== this._lastAct) {
      this.undoManager.stopCapturing();
    }
    this._lastAct = name;
    this._isActing = true;
    try {
      this._edits.doc.transact(act, EDIT);
    } finally {
      this._isActing = false;
    }
    this._follow();
  }

  /** Typing in another text than before is another step. */
  private _onTransaction = (transaction: Y.Transaction): void => {
    if (this._isActing || transaction.origin === FOLLOW) {
      return;
    }
    if (transaction.origin === this.undoManager) {
      this._lastAct = null;
      return;
    }
    const [type] = transaction.changed.keys();
    if (type !== this._lastAct) {
      this.undoManager.stopCapturing();
    }
    this._lastAct = type;
  };

  private _onEvents(
    events: readonly Y.YEvent<Y.AbstractType<unknown>>[]
  ): void {
    const { texts, bases, values, removed, added } = this._edits;
    for (const event of events) {
      const keys = event.path.length ? [event.path[0]] : event.keys.keys();
      for (const key of keys) {
        const type = event.path.length ? texts : event.target;
        if (type === texts || type === bases || type === values) {
          this._resolver.forget(sectionOfKey(`${key}`));
        } else if (type === removed || type === added) {
          this._resolver.forget(`${key}`);
        } else if (type === this._edits.rules) {
          this._resolver.forgetAll();
        }
      }
      if (!event.path.length) {
        this._edits.reindex();
      }
    }
    this._announce();
  }

  /** Let the texts that are no edits say what the source says now. */
  private _follow(): void {
    const { texts, bases, values, doc } = this._edits;
    const behind: [Y.Text, string, string][] = [];
    for (const [key, text] of texts.entries()) {
      const [section, ...path] = JSON.parse(key) as [string, ...LeafPath];
      if (values.has(key) || !this._isThere(section)) {
        continue;
      }
      const under = this._under(section, path);
      const says = text.toString();
      const isFresh = bases.get(key) === valueHash(under);
      if (
        !isFresh &&
        typeof under === 'string' &&
        !hasHalves(under) &&
        (says === under || bases.get(key) === valueHash(says))
      ) {
        behind.push([text, key, under]);
      }
    }
    if (behind.length) {
      doc.transact(() => {
        for (const [text, key, under] of behind) {
          changeText(text, under);
          bases.set(key, valueHash(under));
        }
      }, FOLLOW);
    }
  }

  private _isThere(section: string): boolean {
    return (
      this._resolver.section(section) !== undefined ||
      this._edits.added.has(section)
    );
  }

  private _announce(): void {
    this._resolver.invalidate();
    if (this._announced) {
      return;
    }
    this._announced = true;
    queueMicrotask(() => {
      this._announced = false;
      if (!this._isDisposed) {
        this._changed.emit();
      }
    });
  }

  private _announced = false;
  private _changed = new Signal<this, void>(this);
  private _edits: Edits;
  private _isActing = false;
  private _isDisposed = false;
  private _lastAct: unknown = null;
  private _resolver: Resolver;
  private _versions: Versions;
}

/**
 * The namespace for `RequestDraft` statics.
 */
export namespace RequestDraft {
  /** What a draft needs. */
  export interface IOptions {
    base: IRequestBase;
    /** What `encode` gave. */
    state?: Uint8Array;
    autoApply?: readonly IRule[];
    /** The draft whose versions this one goes on with. */
    before?: RequestDraft;
  }
}

/** The smallest changes from one value to another that keep keys in place. */
export function differences(
  from: PartialJSONValue | undefined,
  to: PartialJSONValue | undefined,
  path: LeafPath = []
): [LeafPath, PartialJSONValue | undefined][] {
  if (sameJSON(from, to)) {
    return [];
  }
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length) {
    return to.flatMap((item, n) => differences(from[n], item, [...path, n]));
  }
  if (isObject(from) && isObject(to)) {
    const kept = Object.keys(from).filter(key => Object.hasOwn(to, key));
    const fresh = Object.keys(to).filter(key => !Object.hasOwn(from, key));
    const gone = Object.keys(from).filter(key => !Object.hasOwn(to, key));
    const order = [...kept, ...fresh];
    // Taken away and set again, a key would stand elsewhere than before.
    if (Object.keys(to).every((key, n) => key === order[n])) {
      return [
        ...gone.map((key): [LeafPath, undefined] => [
          [...path, key],
          undefined
        ]),
        ...order.flatMap(key => differences(from[key], to[key], [...path, key]))
      ];
    }
  }
  return [[path, to]];
}

function newId(): string {
  return `added:${UUID.uuid4()}`;
}

function unknownSection(section: string): RequestError {
  return new RequestError(
    'unknown-section',
    'This section is not in the request any more.',
    [],
    section
  );
}
