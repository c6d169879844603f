/**
 * A pair's reply as notebook outputs, and back.
 */
import type {
  IDisplayData,
  IOutput,
  MultilineString
} from '@jupyterlab/nbformat';
import type { PartialJSONObject } from '@lumino/coreutils';

import { isObject } from './json';

/** The type of the outputs that hold tool calls and their results. */
export const TOOL_MIME = 'application/vnd.turnbook.tool+json';

/** A reply as it is stored. */
export interface IReply {
  text: string;
  runId: string;
  partial: boolean;
}

/** The output that stands for a reply. */
export function replyOutput(reply: IReply): IDisplayData {
  return {
    output_type: 'display_data',
    data: { 'text/markdown': reply.text },
    metadata: {
      turnbook: {
        runId: reply.runId,
        ...(reply.partial ? { partial: true } : {})
      }
    }
  };
}

/** The run that made an output; null for an output that is not a reply. */
export function outputRunId(output: IOutput): string | null {
  const entry = turnbookEntry(output);
  return typeof entry?.runId === 'string' ? entry.runId : null;
}

/** The runs that made outputs. */
export function outputRuns(outputs: readonly IOutput[]): string[] {
  return outputs.flatMap(output => outputRunId(output) ?? []);
}

/** The reply among a cell's outputs, if there is one. */
export function readReply(outputs: readonly IOutput[]): IReply | null {
  for (const output of outputs) {
    const runId = outputRunId(output);
    const text = markdownOf(output);
    if (runId !== null && text !== null) {
      return { text, runId, partial: isPartial(output) };
    }
  }
  // A notebook written by hand or by another tool: its markdown is the reply, else its text.
  const texts = [markdownOf, plainOf]
    .map(read => outputs.map(read).filter(text => !!text))
    .find(found => found.length > 0);
  return texts ? { text: texts.join('\n'), runId: '', partial: false } : null;
}

/**
 * Where a pair's reply and its tools' outputs are, last first.
 *
 * If no run of ours wrote one, what another tool wrote is the reply; beside one of ours it is not,
 * and stays.
 */
export function replyPlaces(outputs: readonly IOutput[]): number[] {
  const ours = outputs.some(output => outputRunId(output) !== null);
  return outputs
    .flatMap((output, place) => {
      const isReply = ours
        ? outputRunId(output) !== null
        : readReply([output]) !== null;
      return isReply || isTool(output) ? [place] : [];
    })
    .reverse();
}

/** Whether an output holds a tool call or its result. */
export function isTool(output: IOutput): boolean {
  return isObject(output.data) && TOOL_MIME in output.data;
}

/** Whether a run was cut off while it brought an output. */
export function isPartial(output: IOutput): boolean {
  return turnbookEntry(output)?.partial === true;
}

function turnbookEntry(output: IOutput): PartialJSONObject | undefined {
  const metadata = output.metadata as PartialJSONObject | undefined;
  const entry = metadata?.turnbook;
  return isObject(entry) ? entry : undefined;
}

function markdownOf(output: IOutput): string | null {
  const data = output.data as PartialJSONObject | undefined;
  const value = data?.['text/markdown'];
  return isMultiline(value) ? joinLines(value) : null;
}

function plainOf(output: IOutput): string | null {
  const data = output.data as PartialJSONObject | undefined;
  const value =
    output.output_type === 'stream' ? output.text : data?.['text/plain'];
  return isMultiline(value) && !isTool(output) ? joinLines(value) : null;
}

function isMultiline(value: unknown): value is MultilineString {
  return (
    typeof value === 'string' ||
    (Array.isArray(value) && value.every(line => typeof line === 'string'))
  );
}

/** nbformat may store a text as a list of lines. */
export function joinLines(value: MultilineString): string {
  return typeof value === 'string' ? value : value.join('');
}
