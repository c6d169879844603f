import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';
import * as Y from 'yjs';

import type { IMessage } from '../base/message';
import { planBecoming, type ITargetSection } from './becoming';
import { EDIT, Edits, FOLLOW, leafKey, sectionOfKey } from './edits';
import { valueAt, valueHash } from './leaves';
import { LeafWriter, type LeafChange } from './leafwriter';
import {
  isSent,
  type IEditCounts,
  type IEditedRequest,
  type IRequestBase,
  type IVersion,
  type LeafPath,
  type VersionReason
} from './model';
import { checkOption } from './options';
import { checkMessage } from './problems';
import { countsOf, Resolver } from './resolver';
import type { IRule } from './rules';
import { newId, SectionWriter } from './sectionwriter';
import { Versions } from './versions';

/** How long keys that are typed one after the other are one step to undo. */
const CAPTURE_MS = 500;

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
    this._leaves = new LeafWriter(this._edits, this._resolver);
    this._sections = new SectionWriter(
      this._edits,
      this._resolver,
      this._leaves
    );
    this._versions = new Versions(this._edits, options.before?._versions);
    if (options.state) {
      this._versions.decode(options.state);
    }
    this.undoManager = new Y.UndoManager(this._edits.all, {
      captureTimeout: CAPTURE_MS,
      trackedOrigins: new Set<unknown>([null, EDIT])
    });
    this.undoManager.on('stack-item-popped', () => this._leaves.follow());
    for (const type of this._edits.all) {
      type.observeDeep(events => this._onEvents(events));
    }
    this._edits.doc.on('beforeObserverCalls', this._onTransaction);
    this._edits.reindex();
    this._leaves.follow();
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
    this._leaves.follow();
    this._announce();
  }

  /** The rules of Auto-apply that are in force. */
  get autoApply(): readonly IRule[] {
    return this._resolver.rules;
  }
  set autoApply(rules: readonly IRule[]) {
    this._resolver.rules = rules;
    this._leaves.follow();
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
    return this._leaves.text(section, path);
  }

  /** Give a leaf another value; what was edited inside it goes. */
  setLeaf(section: string, path: LeafPath, value: PartialJSONValue): void {
    const change: LeafChange = [section, path, value];
    this._leaves.check(...change);
    this._leaves.open([change]);
    this._act(`leaf ${leafKey(section, path)}`, () =>
      this._leaves.set(...change)
    );
  }

  /** Take a leaf away. */
  removeLeaf(section: string, path: LeafPath): void {
    const parent = valueAt(this._leaves.message(section), path.slice(0, -1));
    const last = path[path.length - 1];
    if (Array.isArray(parent)) {
      // Taken out of the list as a whole, so that what stands behind keeps its edits' places.
      const list = parent.filter((_, index) => index !== last);
      this.setLeaf(section, path.slice(0, -1), list as PartialJSONValue);
      return;
    }
    this._leaves.check(section, path, undefined);
    this._act(null, () => this._leaves.set(section, path, undefined));
  }

  /** Make a section another message; what stays the same in it is no edit. */
  setMessage(section: string, message: IMessage): void {
    checkMessage(message, section);
    this._leaves.open(this._leaves.changes(section, message));
    this._act(`message ${section}`, () =>
      this._leaves.setMessage(section, message)
    );
  }

  /** Give an option another value, or take it away. */
  setOption(key: string, value: PartialJSONValue | undefined): void {
    checkOption(key, value);
    this._act(`option ${key}`, () => this._sections.setOption(key, value));
  }

  /** Leave a section out of what is sent. */
  remove(section: string): void {
    this._leaves.known(section);
    this._act(null, () => this._sections.remove(section));
  }

  /** Take a deleted section back in. */
  restore(section: string): void {
    this._act(null, () => this._sections.restore(section));
  }

  /** Put a section before another, or last. */
  move(section: string, before: string | null): void {
    this._leaves.known(section);
    if (before !== section) {
      const move = this._sections.moveTo(section, before);
      this._act(null, () => this._sections.move(move));
    }
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
    const move = this._sections.moveTo(id, before);
    this._act(null, () => this._sections.add(id, message, move));
    return id;
  }

  /** Take edits back: of a leaf, of a section, or all. */
  reset(section?: string, path?: LeafPath): void {
    this._act(null, () => {
      if (section === undefined) {
        this._sections.resetAll();
      } else if (path) {
        this._leaves.reset(section, path);
      } else {
        this._sections.reset(section);
      }
    });
  }

  /** Take an edited option back. */
  resetOption(key: string): void {
    this._act(null, () => this._edits.options.delete(key));
  }

  /** Apply a section's edit although what it was made on changed or is hidden. */
  confirm(section: string): void {
    const found = this.request.sections.find(({ id }) => id === section);
    if (!found?.conflict) {
      return;
    }
    const { conflict, pending } = found;
    this._act(null, () => {
      if (conflict === 'hidden') {
        this._sections.confirmHidden(section, pending as IMessage);
      } else {
        this._sections.confirm(section);
      }
    });
  }

  /** Apply an option's edit although what it was made on changed. */
  confirmOption(key: string): void {
    this._act(null, () => this._sections.confirmOption(key));
  }

  /**
   * Make the request one with these sections and options, as one step to undo.
   *
   * Only what differs becomes an edit. Options that `frame` does not tell go, unless `keep`
   * says otherwise. Throws and changes nothing when there can be no such request.
   */
  become(
    target: readonly ITargetSection[],
    frame: PartialJSONObject,
    keep: (key: string) => boolean = () => false
  ): void {
    const plan = planBecoming(this.request, target, frame, keep);
    this._leaves.open(
      plan.change.flatMap(({ id, message }) =>
        this._leaves.changes(id, message)
      )
    );
    this._act(null, () => {
      for (const id of plan.remove) {
        this._sections.remove(id);
      }
      for (const { id, message } of plan.add) {
        this._sections.add(id, message);
      }
      for (const { id, message } of plan.change) {
        this._sections.restore(id);
        this._leaves.setMessage(id, message);
      }
      this._sections.arrange(plan.order);
      for (const [key, value] of plan.options) {
        this._sections.setOption(key, value);
      }
      this._sections.arrangeOptions(Object.keys(frame));
    });
  }

  /** The states that were kept, first to last. */
  get versions(): readonly IVersion[] {
    return this._versions.list;
  }

  /** Keep the state as it is now, under the next number unless the last version has these bytes. */
  takeVersion(why: VersionReason): IVersion {
    const last = this.versions[this.versions.length - 1];
    const version = this._versions.take(
      why,
      this.request,
      Date.now(),
      this.autoApply
    );
    if (version !== last) {
      this._announce();
    }
    return version;
  }

  /** The request as it was in a version. */
  open(n: number): IEditedRequest {
    return this._versions.open(n);
  }

  /** Make the request what it was in a version; can be undone. */
  restoreVersion(n: number): void {
    const { sections, frame } = this.open(n);
    const sent = sections.filter(isSent);
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
    this._leaves.follow();
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
  private _leaves: LeafWriter;
  private _resolver: Resolver;
  private _sections: SectionWriter;
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
