import * as Y from 'yjs';

import type { PartialJSONValue } from '@lumino/coreutils';

import type { LeafPath } from './model';

/** The origin of changes that follow the source and are not undo steps. */
export const FOLLOW = Symbol('follow');

/** The origin of changes that the user made. */
export const EDIT = Symbol('edit');

/** A value and the hash of the one it replaced; no value if it was removed. */
export interface ISetValue {
  base: string;
  value?: PartialJSONValue;
}

/** A changed or new option; `n` gives their order. */
export interface ISetOption extends ISetValue {
  n: number;
}

/** Where a section was moved: before one section, or after another in case that is gone. */
export interface IMove {
  section: string;
  before: string | null;
  after: string | null;
}

/**
 * The edits of one request in a Yjs document, without what they were made on.
 *
 * Values are stored as JSON text, which keeps lone surrogates that Yjs would replace. Garbage
 * collection is off, so that every version stays readable.
 */
export class Edits {
  constructor(doc = new Y.Doc({ gc: false })) {
    this.doc = doc;
    this.texts = doc.getMap('texts');
    this.bases = doc.getMap('bases');
    this.values = doc.getMap('values');
    this.removed = doc.getMap('removed');
    this.added = doc.getMap('added');
    this.moves = doc.getArray('moves');
    this.options = doc.getMap('options');
    this.rules = doc.getMap('rules');
  }

  readonly doc: Y.Doc;

  /** Text leaves that were opened in an editor or changed, by `leafKey`. */
  readonly texts: Y.Map<Y.Text>;
  /** For each text, the hash of the value it was made on. */
  readonly bases: Y.Map<string>;
  /** Other leaves that were changed or removed, by `leafKey`; they take precedence over texts. */
  readonly values: Y.Map<string>;
  /** Deleted sections, with the hash of what was deleted. */
  readonly removed: Y.Map<string>;
  /** Added sections, with their messages. */
  readonly added: Y.Map<string>;
  /** Moves of sections, in the order they were made. */
  readonly moves: Y.Array<string>;
  readonly options: Y.Map<string>;
  /** What this request does with Auto-apply rules: `off`, or the hash they are confirmed for. */
  readonly rules: Y.Map<string>;

  /** All shared types, for an undo manager. */
  get all(): (Y.Map<Y.Text> | Y.Map<string> | Y.Array<string>)[] {
    const { texts, bases, values, removed, added, moves, options, rules } =
      this;
    return [texts, bases, values, removed, added, moves, options, rules];
  }

  /** The paths inside a section that have an entry, shallow ones first. */
  pathsOf(section: string): LeafPath[] {
    this._index ??= this._makeIndex();
    return this._index.get(section) ?? [];
  }

  /** The sections that have an entry of any kind. */
  get sections(): Set<string> {
    this._index ??= this._makeIndex();
    return new Set([
      ...this._index.keys(),
      ...this.removed.keys(),
      ...this.added.keys()
    ]);
  }

  /** Invalidate the index; needed when keys were added or removed. */
  reindex(): void {
    this._index = null;
  }

  value(section: string, path: LeafPath): ISetValue | null {
    return parsed<ISetValue>(this.values.get(leafKey(section, path)));
  }

  setValue(section: string, path: LeafPath, set: ISetValue): void {
    this.values.set(leafKey(section, path), JSON.stringify(set));
  }

  option(key: string): ISetOption | null {
    return parsed<ISetOption>(this.options.get(key));
  }

  /** The edited options, in the order they were set. */
  get optionList(): [key: string, set: ISetOption][] {
    return [...this.options.keys()]
      .map((key): [string, ISetOption] => [key, this.option(key)!])
      .sort((a, b) => a[1].n - b[1].n || (a[0] < b[0] ? -1 : 1));
  }

  get moveList(): IMove[] {
    return this.moves.map(move => JSON.parse(move) as IMove);
  }

  private _makeIndex(): Map<string, LeafPath[]> {
    const index = new Map<string, LeafPath[]>();
    for (const key of new Set([...this.texts.keys(), ...this.values.keys()])) {
      const [section, ...path] = JSON.parse(key) as [string, ...LeafPath];
      index.set(section, [...(index.get(section) ?? []), path]);
    }
    for (const paths of index.values()) {
      // Equal edits must give equal bytes, in whatever order they were made.
      paths.sort(
        (a, b) =>
          a.length - b.length ||
          (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
      );
    }
    return index;
  }

  private _index: Map<string, LeafPath[]> | null = null;
}

/** The key of a leaf among all leaves of a request. */
export function leafKey(section: string, path: LeafPath): string {
  return JSON.stringify([section, ...path]);
}

/** The section of a leaf's key. */
export function sectionOfKey(key: string): string {
  return (JSON.parse(key) as [string])[0];
}

/** Change a text with as small an edit as possible. */
export function changeText(text: Y.Text, next: string): void {
  const now = text.toString();
  const end = Math.min(now.length, next.length);
  let head = 0;
  while (head < end && now.charCodeAt(head) === next.charCodeAt(head)) {
    head += 1;
  }
  head -= isHigh(now, head - 1) || isHigh(next, head - 1) ? 1 : 0;
  let tail = 0;
  while (
    tail < end - head &&
    now.charCodeAt(now.length - 1 - tail) ===
      next.charCodeAt(next.length - 1 - tail)
  ) {
    tail += 1;
  }
  tail -=
    isLow(now, now.length - tail) || isLow(next, next.length - tail) ? 1 : 0;
  tail = Math.max(0, tail);
  if (now.length - tail > head) {
    text.delete(head, now.length - tail - head);
  }
  if (next.length - tail > head) {
    text.insert(head, next.slice(head, next.length - tail));
  }
}

function isHigh(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

function parsed<T>(json: string | undefined): T | null {
  return json === undefined ? null : (JSON.parse(json) as T);
}
