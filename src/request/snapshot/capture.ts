/**
 * From a request to its snapshot, and from a snapshot to the sections of a request.
 */
import type { PartialJSONObject } from '@lumino/coreutils';

import { trans } from '../../base/words';
import type { ITargetSection } from '../becoming';
import { RequestError } from '../errors';
import { isSent, type IEditedRequest, type ISection } from '../model';
import { isPruned, type IRound, type ISnapshot, type ITurn } from './model';

/** The snapshot of a request as it would be sent. */
export function captureSnapshot(request: IEditedRequest): ISnapshot {
  const turns: ISnapshot['turns'] = [];
  const rounds: IRound[] = [];
  let open: IRound | null = null;
  for (const section of request.sections) {
    const { message } = section;
    if (!isSent(section)) {
      continue;
    }
    const isResult = message.role === 'tool' || message.role === 'function';
    if (isResult && open) {
      open.results.push(turnOf(section));
    } else if (isResult || message.tool_calls !== undefined) {
      open = isResult
        ? { calls: null, results: [turnOf(section)] }
        : { calls: turnOf(section), results: [] };
      turns.push({ toolCallRound: rounds.length });
      rounds.push(open);
    } else {
      open = null;
      turns.push(turnOf(section));
    }
  }
  const { model, ...rest } = request.frame as PartialJSONObject;
  const options = Object.entries(rest).filter(
    ([key]) => key !== 'messages' && !isPruned(key)
  );
  return {
    turns,
    toolCallRounds: rounds,
    requestOptions: Object.fromEntries(options) as PartialJSONObject,
    endpoint: {
      provider: request.base.provider,
      model: typeof model === 'string' ? model : ''
    },
    ...(request.base.debugName ? { debugName: request.base.debugName } : {})
  };
}

/** The sections that a snapshot describes, in order. */
export function sectionsOf(snapshot: ISnapshot): ITargetSection[] {
  const placed = new Set<number>();
  const turns = snapshot.turns.flatMap((turn, n): ITurn[] => {
    if (!('toolCallRound' in turn)) {
      return [turn];
    }
    const round = snapshot.toolCallRounds[turn.toolCallRound];
    if (!round || placed.has(turn.toolCallRound)) {
      throw new RequestError(
        'wrong-snapshot',
        round
          ? trans.__('Round %1 appears twice.', turn.toolCallRound)
          : trans.__(
              'There is no round %1 in toolCallRounds.',
              turn.toolCallRound
            ),
        ['turns', n, 'toolCallRound']
      );
    }
    placed.add(turn.toolCallRound);
    return [...(round.calls ? [round.calls] : []), ...round.results];
  });
  const left = snapshot.toolCallRounds.findIndex((_, n) => !placed.has(n));
  if (left !== -1) {
    throw new RequestError(
      'wrong-snapshot',
      trans.__(
        'Round %1 is missing from turns: add {"toolCallRound": %2} there, or remove the round.',
        left,
        left
      ),
      ['toolCallRounds', left]
    );
  }
  return turns.map(({ section, message }) => ({
    id: section ?? null,
    message
  }));
}

function turnOf({ id, kind, message }: ISection): ITurn {
  return { section: id, kind, message };
}
