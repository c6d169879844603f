import type {
  PartialJSONObject,
  ReadonlyPartialJSONObject
} from '@lumino/coreutils';

import type { Edits } from './edits';
import { sameJSON, valueAt, valueHash } from './leaves';
import type {
  IBaseSection,
  IEditCounts,
  IEditedRequest,
  IMember,
  IRequestBase,
  IRequestProblem,
  ISection
} from './model';
import { optionErrors } from './options';
import { editedJSON } from './editedjson';
import { applyMoves } from './order';
import { sectionProblems } from './problems';
import { bodyHash, frameMembers, joinBody, messageJSON } from './render';
import { addedSection, hiddenSection, resolveSection } from './resolve';
import { ruleFor, type IRule } from './rules';

/** The request that results from a base and edits; unchanged sections are cached. */
export class Resolver {
  constructor(
    private _edits: Edits,
    private _base: IRequestBase
  ) {}

  get base(): IRequestBase {
    return this._base;
  }
  set base(base: IRequestBase) {
    for (const id of this._edits.sections) {
      const known = this.section(id);
      if (known) {
        this._lastKnown.set(id, known);
      }
    }
    if (base.chatId !== this._base.chatId) {
      this.forgetAll();
    }
    this._base = base;
    this._byId = null;
    this.invalidate();
  }

  get rules(): readonly IRule[] {
    return this._rules;
  }
  set rules(rules: readonly IRule[]) {
    this._rules = rules;
    this.forgetAll();
  }

  /** A section of the base. */
  section(id: string): IBaseSection | undefined {
    this._byId ??= new Map(this._base.sections.map(one => [one.id, one]));
    return this._byId.get(id);
  }

  /** Resolve a section again. */
  forget(id: string): void {
    this._resolved.delete(id);
    this.invalidate();
  }

  /** Resolve everything again. */
  forgetAll(): void {
    this._resolved.clear();
    this.invalidate();
  }

  /** Assemble the request again. */
  invalidate(): void {
    this._request = null;
  }

  /** The current request. */
  get request(): IEditedRequest {
    this._request ??= this._make();
    return this._request;
  }

  private _make(): IEditedRequest {
    const base = this._base;
    const found = new Map<string, ISection>();
    for (const section of base.sections) {
      found.set(section.id, this._resolve(section));
    }
    for (const id of [...this._edits.added.keys()].sort()) {
      found.set(id, addedSection(this._edits, id));
    }
    const sections = this._arrange(found);
    const sent = sections.filter(({ deleted }) => !deleted);
    const options = resolveOptions(base, this._edits);
    const isBase =
      !options.edited.length &&
      sent.length === base.sections.length &&
      sent.every(({ id, edited }, n) => !edited && id === base.sections[n].id);
    const body =
      isBase && base.raw
        ? base.raw.body
        : joinBody(
            options.members,
            sent.map(one => this._json(one))
          );
    return {
      base,
      sections: [...sections, ...this._hidden(found)],
      frame: options.frame,
      editedOptions: options.edited,
      optionConflicts: options.conflicts,
      messages: sent.map(({ message }) => message),
      body,
      problems: [
        ...sectionProblems(sent),
        ...optionProblems(options.frame, options.edited)
      ],
      hash: bodyHash(body)
    };
  }

  private _resolve(base: IBaseSection): ISection {
    const known = this._resolved.get(base.id);
    if (
      known &&
      known.base.message === base.message &&
      known.base.kind === base.kind &&
      known.base.cell === base.cell
    ) {
      return known.section;
    }
    const match = ruleFor(this._rules, base, this._base.chatId);
    const section = resolveSection(this._edits, base, match);
    this._resolved.set(base.id, { base, section });
    return section;
  }

  private _arrange(found: ReadonlyMap<string, ISection>): ISection[] {
    const moves = this._edits.moveList;
    if (!moves.length) {
      return [...found.values()];
    }
    const order = applyMoves([...found.keys()], moves);
    const inBase = order.filter(id => !found.get(id)!.added);
    const isMoved = inBase.some((id, n) => id !== this._base.sections[n].id);
    const moved = new Set(isMoved ? moves.map(({ section }) => section) : []);
    return order.map(id => {
      const section = found.get(id)!;
      return moved.has(id) && !section.added
        ? { ...section, moved: true }
        : section;
    });
  }

  private _hidden(found: ReadonlyMap<string, ISection>): ISection[] {
    return [...this._edits.sections]
      .filter(id => !found.has(id))
      .sort()
      .flatMap(
        id => hiddenSection(this._edits, id, this._lastKnown.get(id)) ?? []
      );
  }

  private _json(section: ISection): string {
    const base = this.section(section.id);
    if (base?.json === undefined) {
      return messageJSON(section.message);
    }
    return section.edited
      ? editedJSON(base.json, base.message, section.message)
      : base.json;
  }

  private _byId: Map<string, IBaseSection> | null = null;
  private _lastKnown = new Map<string, IBaseSection>();
  private _request: IEditedRequest | null = null;
  private _resolved = new Map<
    string,
    { base: IBaseSection; section: ISection }
  >();
  private _rules: readonly IRule[] = [];
}

/** How much of a request is edited. */
export function countsOf(request: IEditedRequest): IEditCounts {
  const { sections, editedOptions, optionConflicts } = request;
  const count = (test: (section: ISection) => boolean) =>
    sections.filter(test).length;
  return {
    sections: request.messages.length,
    edited: count(({ edited, deleted }) => edited && !deleted),
    deleted: count(({ deleted }) => deleted),
    added: count(({ added }) => added),
    moved: count(({ moved, edited, deleted }) => moved && !edited && !deleted),
    options: editedOptions.length,
    conflicts:
      count(({ conflict }) => conflict !== null) + optionConflicts.length
  };
}

interface IOptions {
  members: readonly IMember[];
  frame: ReadonlyPartialJSONObject;
  edited: string[];
  conflicts: string[];
}

function resolveOptions(base: IRequestBase, edits: Edits): IOptions {
  const members = [
    ...(base.raw?.members ?? base.members ?? frameMembers(base.frame))
  ];
  const edited: string[] = [];
  const conflicts: string[] = [];
  let frame = base.frame;
  for (const [key, { base: hash, value }] of edits.optionList) {
    const under = valueAt(base.frame as PartialJSONObject, [key]);
    if (sameJSON(under, value)) {
      continue;
    }
    if (hash !== valueHash(under)) {
      conflicts.push(key);
      continue;
    }
    edited.push(key);
    frame = withKey(frame, key, value);
    const place = members.map(member => member.key).lastIndexOf(key);
    const next =
      value === undefined ? [] : [{ key, json: JSON.stringify(value) }];
    members.splice(
      place === -1 ? members.length : place,
      place === -1 ? 0 : 1,
      ...next
    );
  }
  return { members, frame, edited, conflicts };
}

function withKey(
  frame: ReadonlyPartialJSONObject,
  key: string,
  value: PartialJSONObject[string] | undefined
): ReadonlyPartialJSONObject {
  const entries = Object.entries(frame).filter(
    ([name]) => name !== key || value !== undefined
  );
  const place = entries.findIndex(([name]) => name === key);
  if (value !== undefined) {
    entries.splice(
      place === -1 ? entries.length : place,
      place === -1 ? 0 : 1,
      [key, value]
    );
  }
  return Object.fromEntries(entries) as ReadonlyPartialJSONObject;
}

function optionProblems(
  frame: ReadonlyPartialJSONObject,
  edited: readonly string[]
): IRequestProblem[] {
  let errors = checked.get(frame);
  if (!errors) {
    errors = optionErrors(frame);
    checked.set(frame, errors);
  }
  return errors.map(({ path, message }) => ({
    section: null,
    path,
    message,
    fatal: edited.includes(`${path[0]}`)
  }));
}

const checked = new WeakMap<object, ReturnType<typeof optionErrors>>();
