/** A pair's reply as notebook outputs, and back. */
import type { IDisplayData, IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject } from '@lumino/coreutils';

import { isObject } from '../base/json';
import { isAttachment } from './attachments';
import { isReasoning } from './reasoning';
import { isReplyImage } from './replyimages';
import { TOOL_MIME } from './rounds';
import { isWithheld } from './sentmark';
import { shownOutput, shownText } from './shown';

/** A reply as it is stored. */
export interface IReply {
  text: string;
  runId: string;
  partial: boolean;
  /** Whether the user edited it. */
  edited?: true;
  /** False if it is not sent. */
  sent?: false;
}

/** The output for a reply. */
export function replyOutput(reply: IReply): IDisplayData {
  const entry = {
    ...(reply.runId ? { runId: reply.runId } : {}),
    ...(reply.partial ? { partial: true } : {}),
    ...(reply.edited ? { edited: true } : {}),
    ...(reply.sent === false ? { sent: false } : {})
  };
  return {
    output_type: 'display_data',
    data: { 'text/markdown': reply.text },
    metadata: Object.keys(entry).length ? { turnbook: entry } : {}
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

/**
 * The reply among a cell's outputs, if there is one: from one of our runs, else the Markdown of
 * another tool, else its text. What is sent is everything that is shown (`shownText`).
 */
export function readReply(outputs: readonly IOutput[]): IReply | null {
  for (const output of outputs) {
    const runId = outputRunId(output);
    const shown = shownOutput(output);
    if (runId !== null && shown.kind === 'markdown') {
      const partial = isPartial(output);
      return { text: shown.text, runId, partial, ...marksOf([output]) };
    }
  }
  const written = outputs.filter(
    output => !isStep(output) && !isAttachment(output)
  );
  const markdown = written.filter(
    output => shownOutput(output).kind === 'markdown'
  );
  const text = shownText(markdown) || shownText(written);
  return text ? { text, runId: '', partial: false, ...marksOf(written) } : null;
}

/**
 * The reply, if it is all the Markdown among a cell's outputs; null if there is more to see beside
 * it, such as an image or what a file has besides.
 */
export function soleReply(outputs: readonly IOutput[]): IReply | null {
  const markdown = outputs.filter(output => {
    const shown = shownOutput(output);
    return 'type' in shown && shown.type === 'text/markdown';
  });
  return markdown.length === 1 ? readReply(outputs) : null;
}

/**
 * The indices of a pair's reply and of the steps before it, last first.
 *
 * Output of another tool is the reply only if none of our runs wrote one; otherwise it stays.
 */
export function replyPlaces(outputs: readonly IOutput[]): number[] {
  const ours = outputs.some(output => outputRunId(output) !== null);
  return outputs
    .flatMap((output, place) => {
      const isReply = ours
        ? outputRunId(output) !== null
        : readReply([output]) !== null;
      return isReply || isStep(output) ? [place] : [];
    })
    .reverse();
}

/** Whether an output came besides the reply's text: tool calls, reasoning or an image. */
export function isStep(output: IOutput): boolean {
  return isTool(output) || isReasoning(output) || isReplyImage(output);
}

/** Whether an output contains a tool call or its result. */
export function isTool(output: IOutput): boolean {
  return isObject(output.data) && TOOL_MIME in output.data;
}

/** Whether the run of an output was interrupted. */
export function isPartial(output: IOutput): boolean {
  return turnbookEntry(output)?.partial === true;
}

/** Whether the user edited an output. */
export function isEdited(output: IOutput): boolean {
  return turnbookEntry(output)?.edited === true;
}

/** What the user did with a reply. */
function marksOf(outputs: readonly IOutput[]): Pick<IReply, 'edited' | 'sent'> {
  return {
    ...(outputs.some(isEdited) ? { edited: true } : {}),
    ...(outputs.some(isWithheld) ? { sent: false } : {})
  };
}

function turnbookEntry(output: IOutput): PartialJSONObject | undefined {
  const metadata = output.metadata as PartialJSONObject | undefined;
  const entry = metadata?.turnbook;
  return isObject(entry) ? entry : undefined;
}
