import type { PartialJSONValue } from '@lumino/coreutils';
import * as Y from 'yjs';

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

/** A leaf and the value that it shall have; undefined takes it away. */
export type LeafChange = [
  section: string,
  path: LeafPath,
  value: PartialJSONValue | undefined
];

/**
 * Writes edits of leaves, each with the hash of what it is made on.
 */
export class LeafWriter {
  constructor(
    private _edits: Edits,
    private _resolver: Resolver
  ) {}

  /** A section of the base; null for one that was added. Throws for one that is not there. */
  known(section: string): IBaseSection | null {
    const base = this._resolver.section(section);
    if (!base && !this._edits.added.has(section)) {
      throw unknownSection(section);
    }
    return base ?? null;
  }

  /** The rule that speaks of a section, and what it makes of it; null if none does. */
  rule(section: string): (IRuleMatch & { ground: IGround }) | null {
    const base = this._resolver.section(section);
    const { rules, base: request } = this._resolver;
    const match = base ? ruleFor(rules, base, request.chatId) : null;
    return base && match
      ? { ...match, ground: groundOf(base, match, this._edits) }
      : null;
  }

  /** The message that edits of a section are made on. */
  ground(section: string): IMessage {
    const base = this.known(section);
    return base
      ? (this.rule(section)?.ground.message ?? base.message)
      : addedMessage(this._edits, section);
  }

  /** The message of a section with the edits that are made on it, waiting ones included. */
  message(section: string): IMessage {
    return applyLeaves(this._edits, section, this.ground(section)).message;
  }

  /** Refuse a value that cannot be at that place. */
  check(...[section, path, value]: LeafChange): void {
    const next = withValue(this.message(section), path, value);
    if (!isObject(next)) {
      throw new RequestError(
        'no-leaf',
        'There is no such place in this message.',
        path,
        section
      );
    }
    checkMessage(next, section);
  }

  /** The text of a leaf; it is there from now on, outside of what can be undone. */
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
        'This value is no plain text: edit it as JSON.',
        path,
        section
      );
    }
    this._openText(key, value);
    return this._edits.texts.get(key)!;
  }

  /** Have texts for the values that will be set, outside of what can be undone. */
  open(changes: readonly LeafChange[]): void {
    for (const [section, path, value] of changes) {
      const key = leafKey(section, path);
      const under = this.under(section, path);
      if (isText(value) && isText(under) && !this._edits.texts.has(key)) {
        this._openText(key, under);
      }
    }
  }

  /** Give a leaf another value; what was edited inside it goes. */
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

  /** The leaves that must change for a section to be another message. */
  changes(section: string, message: IMessage): LeafChange[] {
    const ground = this.ground(section);
    const now = applyLeaves(this._edits, section, ground);
    const from = now.conflict ? ground : now.message;
    return differences(
      from as PartialJSONValue,
      message as PartialJSONValue
    ).map(([path, value]) => [section, path, value]);
  }

  /** Make a section another message. */
  setMessage(section: string, message: IMessage): void {
    const ground = this.ground(section);
    if (applyLeaves(this._edits, section, ground).conflict) {
      this.resetAll(section);
    }
    for (const change of this.changes(section, message)) {
      this.set(...change);
    }
  }

  /** Let a leaf, and what is inside it, say what the source says. */
  reset(section: string, path: LeafPath): void {
    for (const inner of [...this._edits.pathsOf(section)].reverse()) {
      if (isWithin(inner, path)) {
        this._forget(section, inner);
      }
    }
    this._edits.reindex();
  }

  /** Let a section say what the source says. */
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

  /** Take all that is known of a section's leaves away; for sections that are gone. */
  drop(section: string): void {
    for (const path of [...this._edits.pathsOf(section)]) {
      const key = leafKey(section, path);
      this._edits.values.delete(key);
      this._edits.texts.delete(key);
      this._edits.bases.delete(key);
    }
    this._edits.reindex();
  }

  /** Take a section's edits as made on what is there now. */
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

  /** Let the texts that are no edits say what the source says now. */
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

  /** What a leaf says without the edits of it and of what is inside it. */
  under(section: string, path: LeafPath): PartialJSONValue | undefined {
    const ground = this.ground(section);
    const { message } = applyLeaves(this._edits, section, ground, path.length);
    return valueAt(message, path);
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
    const under = this.under(section, path);
    if (isText(under)) {
      // The text stays, since an editor may be bound to it.
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

/** An error for a section that is not there. */
export function unknownSection(section: string): RequestError {
  return new RequestError(
    'unknown-section',
    'This section is not in the request any more.',
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
