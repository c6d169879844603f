/**
 * A chat's own options: everything its requests contain besides messages. A chat started from a
 * replay continues with the options of its payload.
 *
 * Notebook metadata `turnbook.options` holds them in readable form. Jupyter sorts JSON keys when it
 * saves, so `turnbook.frame` holds their exact text and order; it is used as long as it agrees with
 * the options.
 */
import type { ISharedNotebook } from '@jupyter/ydoc';
import type {
  PartialJSONObject,
  PartialJSONValue,
  ReadonlyPartialJSONObject
} from '@lumino/coreutils';

import { isObject, restored, storable, wellFormedJSON } from '../base/json';
import { changeChatEntry } from '../document/chatentry';
import { RESERVED_OPTIONS } from '../document/metadata';
import { ordered } from '../document/rounds';
import { sameJSON } from './leaves';
import type { IMember } from './model';
import { notableOptions } from './options';
import { bodyHash, defaultFrame, frameMembers } from './render';
import { membersOf } from './scan';

/** The entries of a notebook's `turnbook` metadata that hold its options. */
export interface IFrameEntry {
  options?: PartialJSONObject;
  frame?: string;
}

/** The entries that make a chat's requests use the options of a payload. */
export function frameEntry(payload: string): IFrameEntry {
  const members = lastOfEach(membersOf(payload)).map(({ key, json }) => {
    switch (key) {
      case 'messages':
        return { key, json: 'null' };
      case 'stream':
        return { key, json: 'true' };
      default:
        return { key, json };
    }
  });
  const options = optionsOf(members);
  const hasOptions = Object.keys(options).length > 0;
  const model = members.find(({ key }) => key === 'model')?.json ?? '""';
  const usual = withModel(frameMembers(defaultFrame('')), model);
  return hasOptions || textOf(members) !== textOf(usual)
    ? {
        ...(hasOptions ? { options: storable(options) } : {}),
        frame: textOf(members)
      }
    : {};
}

/**
 * Read everything a chat's requests contain besides messages, in order; null if the chat has no
 * options of its own.
 *
 * @param entry - The notebook's metadata, which is untrusted.
 */
export function readFrame(
  entry: unknown,
  model: string
): readonly IMember[] | null {
  if (!isObject(entry)) {
    return null;
  }
  const options = optionsIn(entry);
  const exact = exactMembers(entry.frame);
  const json = JSON.stringify(model);
  if (exact && saysTheSame(optionsOf(exact), options)) {
    return withModel(exact, json);
  }
  return Object.keys(options).length
    ? [...frameMembers(defaultFrame(model)), ...frameMembers(options)]
    : null;
}

/** The entries with which a chat has this option, or no longer has it. */
export function withOption(
  entry: unknown,
  key: string,
  value: PartialJSONValue | undefined
): IFrameEntry {
  const members = [...(readFrame(entry, '') ?? frameMembers(defaultFrame('')))];
  const place = members.findIndex(member => member.key === key);
  members.splice(
    place === -1 ? members.length : place,
    place === -1 ? 0 : 1,
    ...(value === undefined ? [] : [{ key, json: JSON.stringify(value) }])
  );
  return frameEntry(textOf(members));
}

/** The entries that hold a chat's options, as the file has them. */
export function storedFrame(entry: unknown): IFrameEntry {
  const { options, frame } = isObject(entry) ? entry : {};
  return {
    ...(options === undefined ? {} : { options }),
    ...(frame === undefined ? {} : { frame })
  } as IFrameEntry;
}

/** The names of options that differ from the default frame, removed ones included. */
export function notableNames(entry: unknown): string[] {
  const frame = chatFrame(entry);
  return frame ? Object.keys(notableOptions(frame)) : [];
}

/** What a chat's requests have besides messages; null if it has no options of its own. */
export function chatFrame(entry: unknown): ReadonlyPartialJSONObject | null {
  const members = readFrame(entry, '');
  return (
    members &&
    (Object.fromEntries(
      members.map(({ key, json }) => [key, JSON.parse(json)])
    ) as ReadonlyPartialJSONObject)
  );
}

/** A hash that identifies a chat's own options; null if it has none. */
export function frameDigest(entry: unknown): string | null {
  const members = readFrame(entry, '');
  return members && bodyHash(textOf(members));
}

/** Set a chat's own options, or remove them. */
export function writeFrame(notebook: ISharedNotebook, next: IFrameEntry): void {
  changeChatEntry(notebook, ({ options: _, frame: __, ...rest }) => ({
    ...rest,
    ...next
  }));
}

function optionsIn({ options }: PartialJSONObject): PartialJSONObject {
  return isObject(options)
    ? (Object.fromEntries(
        Object.entries(restored(options)).filter(
          ([key]) => !RESERVED_OPTIONS.includes(key)
        )
      ) as PartialJSONObject)
    : {};
}

function exactMembers(frame: unknown): IMember[] | null {
  let value: unknown;
  try {
    value = typeof frame === 'string' ? JSON.parse(frame) : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
  }
  return isObject(value) && value.stream === true && value.messages === null
    ? lastOfEach(membersOf(frame as string))
    : null;
}

/** The options among the members. */
function optionsOf(members: readonly IMember[]): PartialJSONObject {
  const options = members
    .filter(({ key }) => !RESERVED_OPTIONS.includes(key))
    .map(({ key, json }) => [key, JSON.parse(json) as PartialJSONValue]);
  return wellFormedJSON(Object.fromEntries(options) as PartialJSONObject);
}

/** Whether a frame agrees with the options next to it, which lack `__proto__` in older files. */
function saysTheSame(
  exact: PartialJSONObject,
  options: PartialJSONObject
): boolean {
  const beside = ordered(options);
  return [exact, withoutProto(exact)].some(told =>
    sameJSON(ordered(told), beside)
  );
}

function withoutProto<T extends PartialJSONValue>(value: T): T;
function withoutProto(value: PartialJSONValue): PartialJSONValue {
  if (Array.isArray(value)) {
    return value.map(withoutProto);
  }
  if (!isObject(value)) {
    return value;
  }
  const entries = Object.entries(value)
    .filter(([key]) => key !== '__proto__')
    .map(([key, item]) => [key, withoutProto(item ?? null)] as const);
  return Object.fromEntries(entries);
}

/** Of duplicate keys, the last one counts. */
function lastOfEach(members: readonly IMember[]): IMember[] {
  const places = new Map(members.map(({ key }, place) => [key, place]));
  return members.filter(({ key }, place) => places.get(key) === place);
}

function withModel(members: readonly IMember[], json: string): IMember[] {
  return members.some(({ key }) => key === 'model')
    ? members.map(one => (one.key === 'model' ? { key: 'model', json } : one))
    : [{ key: 'model', json }, ...members];
}

function textOf(members: readonly IMember[]): string {
  const parts = members.map(
    ({ key, json }) => `${JSON.stringify(key)}:${json}`
  );
  return `{${parts.join(',')}}`;
}
