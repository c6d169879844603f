/**
 * The parts of a turn that can be kept out of what is sent: attachments, reasoning, tool rounds and
 * the reply.
 *
 * The mark is in the metadata of their outputs. A call and its result are always sent together.
 */
import type { IOutput } from '@jupyterlab/nbformat';

import { isAttachment, readAttachments } from './attachments';
import { readReasoning } from './reasoning';
import { callsOf, readRound, textOf } from './rounds';
import { isWithheld } from './sentmark';
import { shownOutput } from './shown';

/** A part of a turn. */
export interface IPart {
  kind: 'attachment' | 'reasoning' | 'round' | 'reply';
  /** The indices of its outputs. */
  places: number[];
  isSent: boolean;
  /** Whether its outputs can have the mark; what a kernel printed has no metadata. */
  canChange: boolean;
}

/** The parts among a pair's outputs that can be sent. */
export function partsOf(outputs: readonly IOutput[]): IPart[] {
  const single = (kind: IPart['kind'], is: (output: IOutput) => boolean) =>
    outputs.flatMap((output, place) =>
      is(output) ? [{ kind, places: [place] }] : []
    );
  const found = [
    ...single('attachment', isFile),
    ...single('reasoning', output => readReasoning(output) !== null),
    ...roundGroups(outputs).map(places => ({
      kind: 'round' as const,
      places
    }))
  ];
  const reply = replyPart(outputs);
  return [
    ...found.map(part => whole(outputs, part)),
    ...(reply ? [reply] : [])
  ];
}

/** The reply among a pair's outputs: everything with text; null if there is none. */
export function replyPart(outputs: readonly IOutput[]): IPart | null {
  const places = outputs.flatMap((output, place) => {
    const shown = shownOutput(output);
    const isText = shown.kind === 'markdown' || shown.kind === 'text';
    return isText && shown.text ? [place] : [];
  });
  return places.length ? whole(outputs, { kind: 'reply', places }) : null;
}

/** The indices of the outputs that are not sent. */
export function unsentPlaces(outputs: readonly IOutput[]): ReadonlySet<number> {
  // Every cell of a chat is asked, and hardly any has such a part.
  return outputs.some(isWithheld)
    ? new Set(
        partsOf(outputs).flatMap(({ isSent, places }) => (isSent ? [] : places))
      )
    : NONE;
}

const NONE: ReadonlySet<number> = new Set();

function whole(
  outputs: readonly IOutput[],
  part: Pick<IPart, 'kind' | 'places'>
): IPart {
  const own = part.places.map(place => outputs[place]);
  return {
    ...part,
    isSent: !own.some(isWithheld),
    canChange: own.every(hasMetadata)
  };
}

/**
 * The indices of the rounds. Those with results of calls in an earlier one belong to that: files
 * may have them apart.
 */
function roundGroups(outputs: readonly IOutput[]): number[][] {
  let groups: { places: number[]; calls: Set<string> }[] = [];
  outputs.forEach((output, place) => {
    const round = readRound(output);
    if (!round) {
      return;
    }
    const calls = new Set(callsOf(round).map(({ id }) => id));
    const answered = round.results
      .map(({ tool_call_id: id }) => textOf(id))
      .filter(id => !calls.has(id));
    const linked = groups.filter(group =>
      answered.some(id => group.calls.has(id))
    );
    const joined = {
      places: [...linked.flatMap(({ places }) => places), place],
      calls: new Set([...linked.flatMap(group => [...group.calls]), ...calls])
    };
    groups = [...groups.filter(group => !linked.includes(group)), joined];
  });
  return groups.map(({ places }) => places);
}

function isFile(output: IOutput): boolean {
  return isAttachment(output) && readAttachments([output])[0].isThere;
}

function hasMetadata({ output_type: type }: IOutput): boolean {
  return type === 'display_data' || type === 'execute_result';
}
