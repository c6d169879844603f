/**
 * Tool calls that grow chunk by chunk.
 */
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { isObject } from '../base/json';

/** A tool call as far as it has arrived. */
export interface ICallState {
  /** The provider's index of the call; null if it gave none. */
  readonly index: number | null;
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly arguments: string;
  /** Other fields from the provider, which it may expect back. */
  readonly more: PartialJSONObject;
}

/**
 * Add the pieces of one chunk. Providers differ and make mistakes: a piece of the wrong type is
 * skipped.
 */
export function addCalls(
  calls: readonly ICallState[],
  pieces: unknown
): readonly ICallState[] {
  if (!Array.isArray(pieces)) {
    return calls;
  }
  const next = [...calls];
  for (const piece of pieces) {
    if (isObject(piece)) {
      addPiece(next, piece);
    }
  }
  return next;
}

/**
 * The calls as a message has them.
 *
 * @param runId - Makes ids that a provider left out, the same ones each time.
 */
export function finishedCalls(
  calls: readonly ICallState[],
  runId: string
): PartialJSONObject[] {
  return calls.map((call, place) => ({
    ...call.more,
    id: call.id || `call_${runId.slice(0, 8)}_${place + 1}`,
    type: call.type,
    function: { name: call.name, arguments: call.arguments }
  }));
}

function addPiece(calls: ICallState[], piece: PartialJSONObject): void {
  const { index, id, type, function: made, ...more } = piece;
  const place = placeOf(calls, index, id);
  const before: ICallState = calls[place] ?? {
    index: typeof index === 'number' ? index : null,
    id: '',
    type: 'function',
    name: '',
    arguments: '',
    more: {}
  };
  const { name, arguments: given } = isObject(made) ? made : {};
  calls[place] = {
    index: before.index,
    id: before.id || text(id),
    type: typeof type === 'string' && type ? type : before.type,
    name: joined(before.name, text(name)),
    arguments: before.arguments + text(given),
    more: Object.keys(more).length
      ? ({ ...before.more, ...more } as PartialJSONObject)
      : before.more
  };
}

/**
 * The call that a piece belongs to: by its index; without one, or if that call has another id, by
 * its id; with neither, the last.
 */
function placeOf(
  calls: readonly ICallState[],
  index: PartialJSONValue | undefined,
  id: PartialJSONValue | undefined
): number {
  const known = typeof id === 'string' && id !== '' ? id : null;
  const byIndex = calls.findIndex(
    call =>
      typeof index === 'number' &&
      call.index === index &&
      (known === null || call.id === '' || call.id === known)
  );
  if (byIndex !== -1) {
    return byIndex;
  }
  const byId = calls.findIndex(call => known !== null && call.id === known);
  if (byId !== -1) {
    return byId;
  }
  const isNew = typeof index === 'number' || known !== null;
  return isNew || !calls.length ? calls.length : calls.length - 1;
}

/** Some providers repeat the whole name with every piece. */
function joined(before: string, added: string): string {
  return before === added ? before : before + added;
}

/** Some providers send arguments as JSON values rather than text. */
function text(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  return isObject(value) ? JSON.stringify(value) : '';
}
