/** Applies edits to one section. */
import type { IMessage } from '../base/message';
import { isObject, wellFormed } from '../base/json';
import { leafKey, type Edits } from './edits';
import { sameJSON, valueAt, valueHash, withValue } from './leaves';
import type {
  IBaseSection,
  ISection,
  LeafPath,
  PartialJSONValue
} from './model';
import { ruleHash, type IRuleMatch } from './rules';

/** A message with its leaf edits applied. */
export interface IApplied {
  message: IMessage;
  /** Whether an edit was made on a value other than the current one. */
  conflict: boolean;
  /** Whether there is an edit at all. */
  edited: boolean;
}

/** A section before the user's own edits: from the source, or changed by a rule. */
export interface IGround {
  message: IMessage;
  deleted: boolean;
  origin: string | null;
  /**
   * What a rule would make of it if the user confirmed that; null if there is nothing to confirm.
   */
  doubt: IMessage | 'delete' | null;
}

/** A section before the user's own edits. */
export function groundOf(
  section: IBaseSection,
  match: IRuleMatch | null,
  edits: Edits
): IGround {
  const { message } = section;
  const plain = { message, deleted: false, origin: null, doubt: null };
  if (!match) {
    return plain;
  }
  const { rule, fits } = match;
  const wish = edits.rules.get(rule.id);
  if (wish === 'off') {
    return plain;
  }
  const result = rule.edit.kind === 'delete' ? 'delete' : rule.edit.message;
  if (!fits && wish !== ruleHash(message)) {
    return { ...plain, origin: rule.id, doubt: result };
  }
  return {
    message: result === 'delete' ? message : result,
    deleted: result === 'delete',
    origin: rule.id,
    doubt: null
  };
}

/**
 * Apply leaf edits to a message, whether or not they were made on the current value; with `depth`,
 * only those with shorter paths.
 */
export function applyLeaves(
  edits: Edits,
  section: string,
  message: IMessage,
  depth = Infinity
): IApplied {
  const state = { message, conflict: false, edited: false };
  for (const path of edits.pathsOf(section)) {
    if (path.length >= depth) {
      break;
    }
    const under = valueAt(state.message, path);
    const entry = readEntry(edits, section, path);
    if (!entry || sameJSON(entry.value, under)) {
      continue;
    }
    if (entry.base !== valueHash(under)) {
      if (entry.isText && entry.base === valueHash(entry.value)) {
        // An editor was opened on it, but nothing was typed.
        continue;
      }
      state.conflict = true;
    }
    const next = withValue(state.message, path, entry.value);
    if (isObject(next)) {
      state.message = next as IMessage;
      state.edited = true;
    }
  }
  return state;
}

/** Apply the edits to a section of the source. */
export function resolveSection(
  edits: Edits,
  base: IBaseSection,
  match: IRuleMatch | null
): ISection {
  const { id, kind, cell } = base;
  const ground = groundOf(base, match, edits);
  const applied = applyLeaves(edits, id, ground.message);
  const removed = edits.removed.get(id);
  const isRemoved = removed === valueHash(ground.message);
  const conflict =
    applied.conflict ||
    ground.doubt !== null ||
    (removed !== undefined && !isRemoved);
  const message = applied.conflict ? ground.message : applied.message;
  const pending =
    removed !== undefined && !isRemoved
      ? 'delete'
      : applied.conflict
        ? applied.message
        : ground.doubt;
  return {
    id,
    kind,
    cell,
    original: base.message,
    message,
    edited: !sameJSON(message, base.message),
    deleted: isRemoved || ground.deleted,
    added: false,
    moved: false,
    conflict: conflict ? 'changed' : null,
    pending: conflict ? pending : null,
    origin: ground.origin
  };
}

/** A section that the user added. */
export function addedSection(edits: Edits, id: string): ISection {
  const ground = addedMessage(edits, id);
  const { message } = applyLeaves(edits, id, ground);
  return {
    id,
    kind: message.role === 'system' ? 'system' : 'context',
    cell: null,
    original: null,
    message,
    edited: false,
    deleted: false,
    added: true,
    moved: false,
    conflict: null,
    pending: null,
    origin: null
  };
}

/** The initial message of an added section. */
export function addedMessage(edits: Edits, id: string): IMessage {
  return JSON.parse(edits.added.get(id) ?? '{"role":"user"}') as IMessage;
}

/** An edited section whose source is no longer in the request; null if it was not edited. */
export function hiddenSection(
  edits: Edits,
  id: string,
  known: IBaseSection | undefined
): ISection | null {
  const message = known?.message ?? { role: id.split('/')[1] ?? 'user' };
  const { message: pending, edited } = applyLeaves(edits, id, message);
  if (!edited) {
    return null;
  }
  return {
    id,
    kind: known?.kind ?? 'history',
    cell: known ? known.cell : (id.split('/')[0] ?? null),
    original: known?.message ?? null,
    message,
    edited: false,
    deleted: false,
    added: false,
    moved: false,
    conflict: 'hidden',
    pending,
    origin: null
  };
}

interface IEntry {
  base: string;
  value: PartialJSONValue | undefined;
  isText: boolean;
}

function readEntry(
  edits: Edits,
  section: string,
  path: LeafPath
): IEntry | null {
  const set = edits.value(section, path);
  if (set) {
    return { base: set.base, value: set.value, isText: false };
  }
  const key = leafKey(section, path);
  const text = edits.texts.get(key);
  if (!text) {
    return null;
  }
  return {
    base: edits.bases.get(key) ?? '',
    value: wellFormed(text.toString()),
    isText: true
  };
}
