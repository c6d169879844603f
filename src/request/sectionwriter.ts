import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';
import { UUID } from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import type { Edits, IMove } from './edits';
import { sameJSON, valueAt, valueHash } from './leaves';
import { unknownSection, type LeafWriter } from './leafwriter';
import { applyMoves, movesBetween } from './order';
import type { Resolver } from './resolver';
import { ruleHash } from './rules';

/**
 * Writes edits of whole sections and of options.
 */
export class SectionWriter {
  constructor(
    private _edits: Edits,
    private _resolver: Resolver,
    private _leaves: LeafWriter
  ) {}

  /** The ids of the sections in order, deleted ones included. */
  get order(): string[] {
    return this._resolver.request.sections
      .filter(({ conflict }) => conflict !== 'hidden')
      .map(({ id }) => id);
  }

  /** Exclude a section. */
  remove(section: string): void {
    if (this._edits.added.has(section)) {
      this._leaves.drop(section);
      this._edits.added.delete(section);
      this._dropMoves(section);
    } else {
      const hash = valueHash(this._leaves.ground(section));
      this._edits.removed.set(section, hash);
    }
  }

  /** Include a section again, whether the user or a rule excluded it. */
  restore(section: string): void {
    this._edits.removed.delete(section);
    const match = this._leaves.rule(section);
    if (match?.ground.deleted) {
      this._edits.rules.set(match.rule.id, 'off');
    }
  }

  /** Add a section where `move` puts it, else at the end for now. */
  add(id: string, message: IMessage, move?: IMove): void {
    this._edits.added.set(id, JSON.stringify(message));
    if (move) {
      this._edits.moves.push([JSON.stringify(move)]);
    }
  }

  /** The move that puts a section before another. Throws if there is no such section. */
  moveTo(section: string, before: string | null): IMove {
    const { order } = this;
    const place = before === null ? order.length : order.indexOf(before);
    if (place === -1) {
      throw unknownSection(before!);
    }
    const front = order.slice(0, place).filter(id => id !== section);
    return { section, before, after: front[front.length - 1] ?? null };
  }

  /** Move a section. */
  move(move: IMove): void {
    const { moves, added } = this._edits;
    const last = this._edits.moveList[moves.length - 1];
    if (last?.section === move.section && !added.has(move.section)) {
      moves.delete(moves.length - 1);
    }
    moves.push([JSON.stringify(move)]);
  }

  /** Put the sections into an order. */
  arrange(order: readonly string[]): void {
    const { moves, added } = this._edits;
    const sent = new Set(order);
    const all = [
      ...this._resolver.base.sections.map(({ id }) => id),
      ...[...added.keys()].sort()
    ];
    const now = applyMoves(all, this._edits.moveList);
    if (now.filter(id => sent.has(id)).every((id, n) => id === order[n])) {
      return;
    }
    moves.delete(0, moves.length);
    const from = all.filter(id => sent.has(id));
    moves.push(movesBetween(from, order).map(move => JSON.stringify(move)));
  }

  /** Discard all edits of a section. */
  reset(section: string): void {
    const match = this._leaves.rule(section);
    if (match) {
      this._edits.rules.set(match.rule.id, 'off');
    }
    this._edits.removed.delete(section);
    const isAdded = this._edits.added.has(section);
    if (!isAdded) {
      this._dropMoves(section);
    }
    if (isAdded || this._resolver.section(section)) {
      this._leaves.resetAll(section);
    } else {
      this._leaves.drop(section);
    }
  }

  /** Discard all edits. */
  resetAll(): void {
    const { added, moves, options } = this._edits;
    for (const id of [...added.keys()]) {
      this.remove(id);
    }
    const sections = [
      ...this._edits.sections,
      ...this._resolver.base.sections.map(({ id }) => id)
    ];
    for (const section of new Set(sections)) {
      this.reset(section);
    }
    moves.delete(0, moves.length);
    for (const key of [...options.keys()]) {
      options.delete(key);
    }
  }

  /** Treat a section's edits as made on its current source. */
  confirm(section: string): void {
    const base = this._resolver.section(section);
    const match = this._leaves.rule(section);
    if (base && match && match.ground.doubt !== null) {
      this._edits.rules.set(match.rule.id, ruleHash(base.message));
    }
    if (this._edits.removed.has(section)) {
      this.remove(section);
    }
    this._leaves.confirm(section);
  }

  /** Confirming a hidden section adds it to this request alone. */
  confirmHidden(section: string, message: IMessage): void {
    const { sections } = this._resolver.base;
    const before = sections[sections.length - 1]?.id ?? null;
    const id = newId();
    this.add(id, message, { section: id, before, after: null });
    this.reset(section);
  }

  /** Set an option, or remove it. */
  setOption(key: string, value: PartialJSONValue | undefined): void {
    const { options } = this._edits;
    const under = this.optionBase(key);
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

  /** Treat an option's edit as made on its current source. */
  confirmOption(key: string): void {
    const set = this._edits.option(key);
    if (set) {
      const base = valueHash(this.optionBase(key));
      this._edits.options.set(key, JSON.stringify({ ...set, base }));
    }
  }

  /** Put the options that the base does not have into an order. */
  arrangeOptions(order: readonly string[]): void {
    const isNew = (key: string) => this.optionBase(key) === undefined;
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

  /** The value of an option before edits. */
  optionBase(key: string): PartialJSONValue | undefined {
    return valueAt(this._resolver.base.frame as PartialJSONObject, [key]);
  }

  private _dropMoves(section: string): void {
    const list = this._edits.moveList;
    for (let n = list.length - 1; n >= 0; n--) {
      if (list[n].section === section) {
        this._edits.moves.delete(n);
      }
    }
  }
}

/** The id of a section that the user adds. */
export function newId(): string {
  return `added:${UUID.uuid4()}`;
}
