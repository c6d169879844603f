import type { PartialJSONValue } from '@lumino/coreutils';
import * as Y from 'yjs';

import { trans } from '../base/words';
import type { IMessage } from '../base/message';
import { hasHalves, isObject } from '../base/json';
import { changeText, FOLLOW, leafKey, type Edits } from './edits';
import { RequestError } from './errors';
import { differences, sameJSON, valueAt, valueHash, withValue } from './leaves';
import type { IBaseSection, LeafPath } from './model';
import { checkMessage } from './problems';
import { addedMessage, applyLeaves, groundOf, type IGround } from './resolve';
import type { Resolver } from './resolver';
import { ruleFor, type IRuleMatch } from './rules';

/** A leaf and its new value; undefined removes it. */
export type LeafChange = [
  section: string,
  path: LeafPath,
  value: PartialJSONValue | undefined
];

/** Writes edits of leaves, each with the hash of the value it is made on. */
export class LeafWriter {
  constructor(
    private _edits: Edits,
    private _resolver: Resolver
  ) {}

  /** Return a section of the base, or null for an added one. Throws if there is none. */
  known(section: string): IBaseSection | null {
    const base = this._resolver.section(section);
    if (!base && !this._edits.added.has(section)) {
      throw unknownSection(section);
    }
    return base ?? null;
  }

  /** The rule that matches a section, and its effect; null if there is none. */
  rule(section: string): (IRuleMatch & { ground: IGround }) | null {
    const base = this._resolver.section(section);
    const { rules, base: request } = this._resolver;
    const match = base ? ruleFor(rules, base, request.chatId) : null;
    return base && match
      ? { ...match, ground: groundOf(base, match, this._edits) }
      : null;
  }

  /** The message that a section's edits are made on. */
  ground(section: string): IMessage {
    const base = this.known(section);
    return base
      ? (this.rule(section)?.ground.message ?? base.message)
      : addedMessage(this._edits, section);
  }

  /** The message of a section with all its edits, unconfirmed ones included. */
  message(section: string): IMessage {
    return applyLeaves(this._edits, section, this.ground(section)).message;
  }

  /** Throw if a value is not allowed at that path. */
  check(...[section, path, value]: LeafChange): void {
    const next = withValue(this.message(section), path, value);
    if (!isObject(next)) {
      throw new RequestError(
        'no-leaf',
        trans.__('There is no such place in this message.'),
        path,
        section
      );
    }
    checkMessage(next, section);
  }

  /** The text of a leaf; creates it if needed, outside the undo history. */
  text(section: string, path: LeafPath): Y.Text {
    const key = leafKey(section, path);
    const existing = this._edits.texts.get(key);
    if (existing && !this._edits.values.has(key)) {
      return existing;
    }
    const value = valueAt(this.message(section), path);
    if (typeof value !== 'string' || hasHalves(value)) {
      throw new RequestError(
        'not-text',
        trans.__('This value is not plain text: edit it as JSON.'),
        path,
        section
      );
    }
    this._openText(key, value);
    return this._edits.texts.get(key)!;
  }

  /** Create the texts of values that are about to be set, outside the undo history. */
  open(changes: readonly LeafChange[]): void {
    for (const [section, path, value] of changes) {
      const key = leafKey(section, path);
      const under = this.under(section, path);
      if (isText(value) && isText(under) && !this._edits.texts.has(key)) {
        this._openText(key, under);
      }
    }
  }

  /** Set the value of a leaf; edits inside it are discarded. */
  set(...[section, path, value]: LeafChange): void {
    const { texts, bases, values } = this._edits;
    for (const inner of this._edits.pathsOf(section)) {
      if (inner.length > path.length && isWithin(inner, path)) {
        this._forget(section, inner);
      }
    }
    const key = leafKey(section, path);
    const under = this.under(section, path);
    const base = valueHash(under);
    if (sameJSON(value, under)) {
      this._forget(section, path);
    } else if (isText(value)) {
      values.delete(key);
      const text = texts.get(key);
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

  /** The leaves that must change to turn a section into another message. */
  changes(section: string, message: IMessage): LeafChange[] {
    const ground = this.ground(section);
    const now = applyLeaves(this._edits, section, ground);
    const from = now.conflict ? ground : now.message;
    return differences(
      from as PartialJSONValue,
      message as PartialJSONValue
    ).map(([path, value]) => [section, path, value]);
  }

  /** Replace the message of a section. */
  setMessage(section: string, message: IMessage): void {
    const ground = this.ground(section);
    if (applyLeaves(this._edits, section, ground).conflict) {
      this.resetAll(section);
    }
    for (const change of this.changes(section, message)) {
      this.set(...change);
    }
  }

  /** Discard the edits of a leaf and of everything inside it. */
  reset(section: string, path: LeafPath): void {
    for (const inner of [...this._edits.pathsOf(section)].reverse()) {
      if (isWithin(inner, path)) {
        this._forget(section, inner);
      }
    }
    this._edits.reindex();
  }

  /** Discard all leaf edits of a section. */
  resetAll(section: string): void {
    const paths = [...this._edits.pathsOf(section)];
    for (const path of paths) {
      this._edits.values.delete(leafKey(section, path));
    }
    this._edits.reindex();
    for (const path of paths) {
      this._forget(section, path);
    }
  }

  /** Delete all entries of a section's leaves; for sections that no longer exist. */
  drop(section: string): void {
    for (const path of [...this._edits.pathsOf(section)]) {
      const key = leafKey(section, path);
      this._edits.values.delete(key);
      this._edits.texts.delete(key);
      this._edits.bases.delete(key);
    }
    this._edits.reindex();
  }

  /** Treat a section's edits as made on its current source. */
  confirm(section: string): void {
    const { texts, bases } = this._edits;
    for (const path of this._edits.pathsOf(section)) {
      const key = leafKey(section, path);
      const hash = valueHash(this.under(section, path));
      const set = this._edits.value(section, path);
      const text = texts.get(key);
      if (set) {
        this._edits.setValue(section, path, { ...set, base: hash });
      } else if (text && bases.get(key) !== valueHash(text.toString())) {
        bases.set(key, hash);
      }
    }
  }

  /** Update the texts that are not edits to the current source. */
  follow(): void {
    const { texts, bases, values, doc } = this._edits;
    const behind: [Y.Text, string, string][] = [];
    for (const [key, text] of texts.entries()) {
      const [section, ...path] = JSON.parse(key) as [string, ...LeafPath];
      if (values.has(key) || !this._isThere(section)) {
        continue;
      }
      const under = this.under(section, path);
      const base = bases.get(key);
      if (!isText(under) || base === valueHash(under)) {
        continue;
      }
      const says = text.toString();
      if (says === under || base === valueHash(says)) {
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

  /** The value of a leaf without the edits of it and of what is inside it. */
  under(section: string, path: LeafPath): PartialJSONValue | undefined {
    const ground = this.ground(section);
    const { message } = applyLeaves(this._edits, section, ground, path.length);
    return valueAt(message, path);
  }

  /** Discard the edit of a leaf. */
  private _forget(section: string, path: LeafPath): void {
    const { texts, bases, values } = this._edits;
    const key = leafKey(section, path);
    values.delete(key);
    const text = texts.get(key);
    if (!text) {
      return;
    }
    const under = this.under(section, path);
    if (isText(under)) {
      // Keep the text object, since an editor may be bound to it.
      changeText(text, under);
      bases.set(key, valueHash(under));
    } else {
      texts.delete(key);
      bases.delete(key);
    }
    this._edits.reindex();
  }

  private _openText(key: string, value: string): void {
    this._edits.doc.transact(() => {
      this._edits.texts.set(key, new Y.Text(value));
      this._edits.bases.set(key, valueHash(value));
    }, FOLLOW);
  }

  private _isThere(section: string): boolean {
    return (
      this._resolver.section(section) !== undefined ||
      this._edits.added.has(section)
    );
  }
}

/** The error for a section that does not exist. */
export function unknownSection(section: string): RequestError {
  return new RequestError(
    'unknown-section',
    trans.__('This section is not in the request any more.'),
    [],
    section
  );
}

function isText(value: PartialJSONValue | undefined): value is string {
  return typeof value === 'string' && !hasHalves(value);
}

function isWithin(inner: LeafPath, path: LeafPath): boolean {
  return path.every((step, n) => step === inner[n]);
}
