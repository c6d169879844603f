/** The options that go with the next message, as the composer shows them. */
import type {
  PartialJSONValue,
  ReadonlyPartialJSONObject
} from '@lumino/coreutils';

import { chatFrame } from './chatframe';
import { sameJSON } from './leaves';
import type { IEditedRequest } from './model';
import { optionErrors } from './options';
import { defaultFrame } from './render';

/** An option that differs from what every request has. */
export interface IShownOption {
  readonly name: string;
  /** Absent if the request lacks it although the chat's or every other request has it. */
  readonly value?: PartialJSONValue;
  /** Whether it belongs to the chat, or only to the next message. */
  readonly scope: 'chat' | 'message';
  /** What is wrong with its value; null if nothing is known to be. */
  readonly problem: string | null;
}

/**
 * The options of a chat, or of the request being written.
 *
 * @param entry - The notebook's `turnbook` metadata, which is untrusted.
 * @param request - The request being written, if its options are edited.
 */
export function shownOptions(
  entry: unknown,
  request: Pick<IEditedRequest, 'frame' | 'editedOptions'> | null
): IShownOption[] {
  const frame = request?.frame ?? chatFrame(entry);
  const edited = request?.editedOptions ?? [];
  if (!frame) {
    return [];
  }
  const usual = defaultFrame('');
  const wrong = optionErrors(frame);
  return [...new Set([...Object.keys(frame), ...Object.keys(usual), ...edited])]
    .filter(name =>
      FROM_ELSEWHERE.includes(name)
        ? edited.includes(name)
        : edited.includes(name) || !sameOption(frame, usual, name)
    )
    .map(name => ({
      name,
      ...(Object.hasOwn(frame, name)
        ? { value: frame[name] as PartialJSONValue }
        : {}),
      scope: edited.includes(name) ? 'message' : 'chat',
      problem: wrong.find(({ path }) => path[0] === name)?.message ?? null
    }));
}

/** Those that the composer shows otherwise: in the model menu, and as cells. */
const FROM_ELSEWHERE: readonly string[] = ['model', 'messages'];

/** The text of the options that a model reads with the messages, so that they use its window. */
export function countedOptions(
  frame: ReadonlyPartialJSONObject | null
): string {
  const read = COUNTED.flatMap(name =>
    frame && Object.hasOwn(frame, name) ? [frame[name]] : []
  );
  return read.map(value => JSON.stringify(value)).join('');
}

const COUNTED = ['tools', 'functions', 'response_format'];

function sameOption(
  one: ReadonlyPartialJSONObject,
  other: ReadonlyPartialJSONObject,
  name: string
): boolean {
  return (
    Object.hasOwn(one, name) === Object.hasOwn(other, name) &&
    sameJSON(one[name] as PartialJSONValue, other[name] as PartialJSONValue)
  );
}
