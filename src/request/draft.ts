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

/** Keys typed within this time, in milliseconds, are one undo step. */
const CAPTURE_MS = 500;

/**
 * The edits of one request on top of its base.
 *
 * It holds only edits: without any, the request is its base, byte for byte. An edit belongs to a
 * leaf of a section and remembers the value it was made on. When that value changes, the edit waits
 * to be confirmed.
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

  /** Undo and redo of all edits; an editor bound to a text adds its origin here. */
  readonly undoManager: Y.UndoManager;

  /** Emitted when the request may have changed; several changes are reported once. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The request before edits. Edits stay with their sections when it changes. */
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

  /** Whether the user edited anything, applied or not; the effect of rules does not count. */
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
   * The text of a leaf, for an editor to bind to.
   *
   * It is not an edit while it equals the source, and follows the source until then. Ask again
   * after every change: replacing or restoring a whole section creates another text. Throws for
   * leaves that are not text.
   */
  text(section: string, path: LeafPath): Y.Text {
    return this._leaves.text(section, path);
  }

  /** Set the value of a leaf; edits inside it are discarded. */
  setLeaf(section: string, path: LeafPath, value: PartialJSONValue): void {
    const change: LeafChange = [section, path, value];
    this._leaves.check(...change);
    this._leaves.open([change]);
    this._act(`leaf ${leafKey(section, path)}`, () =>
      this._leaves.set(...change)
    );
  }

  /** Remove a leaf. */
  removeLeaf(section: string, path: LeafPath): void {
    const parent = valueAt(this._leaves.message(section), path.slice(0, -1));
    const last = path[path.length - 1];
    if (Array.isArray(parent)) {
      // Replace the list as a whole, so that edits of later items keep their positions.
      const list = parent.filter((_, index) => index !== last);
      this.setLeaf(section, path.slice(0, -1), list as PartialJSONValue);
      return;
    }
    this._leaves.check(section, path, undefined);
    this._act(null, () => this._leaves.set(section, path, undefined));
  }

  /** Replace a section's message; parts that stay the same are not edits. */
  setMessage(section: string, message: IMessage): void {
    checkMessage(message, section);
    this._leaves.open(this._leaves.changes(section, message));
    this._act(`message ${section}`, () =>
      this._leaves.setMessage(section, message)
    );
  }

  /** Set an option, or remove it. */
  setOption(key: string, value: PartialJSONValue | undefined): void {
    checkOption(key, value);
    this._act(`option ${key}`, () => this._sections.setOption(key, value));
  }

  /** Exclude a section from the request. */
  remove(section: string): void {
    this._leaves.known(section);
    this._act(null, () => this._sections.remove(section));
  }

  /** Include a deleted section again. */
  restore(section: string): void {
    this._act(null, () => this._sections.restore(section));
  }

  /** Move a section before another, or to the end. */
  move(section: string, before: string | null): void {
    this._leaves.known(section);
    if (before !== section) {
      const move = this._sections.moveTo(section, before);
      this._act(null, () => this._sections.move(move));
    }
  }

  /** Add a section and return its id. */
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

  /** Discard edits: of a leaf, of a section, or all. */
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

  /** Discard the edit of an option. */
  resetOption(key: string): void {
    this._act(null, () => this._edits.options.delete(key));
  }

  /** Apply a section's edit although its source changed or is hidden. */
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

  /** Apply an option's edit although its source changed. */
  confirmOption(key: string): void {
    this._act(null, () => this._sections.confirmOption(key));
  }

  /**
   * Turn the request into one with these sections and options, as one undo step.
   *
   * Only differences become edits. Options missing from `frame` are removed, except those that
   * `keep` accepts. Throws and changes nothing if there can be no such request.
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

  /** The saved versions, first to last. */
  get versions(): readonly IVersion[] {
    return this._versions.list;
  }

  /** Save the current state as the next version, unless the last version has the same bytes. */
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

  /** Restore a version; can be undone. */
  restoreVersion(n: number): void {
    const { sections, frame } = this.open(n);
    const sent = sections.filter(isSent);
    this.become(sent, frame as PartialJSONObject);
  }

  /** All edits and versions as bytes, from which a new draft can be created. */
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

  /** Run a user action as an undo step; consecutive actions of the same name are one step. */
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

  /** Typing in a different text starts a new undo step. */
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
  export interface IOptions {
    base: IRequestBase;
    /** The result of `encode`. */
    state?: Uint8Array;
    autoApply?: readonly IRule[];
    /** The draft whose versions this one continues. */
    before?: RequestDraft;
  }
}
