/**
 * Which parts of a cell's outputs a chat shows, and therefore sends.
 *
 * Both the renderers and the context use this, so that they always agree on which of an output's
 * types counts.
 */
import type { IOutput } from '@jupyterlab/nbformat';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { isObject } from '../base/json';
import { IMAGE_TYPES, isAttachment } from './attachments';
import { isMultiline, joinLines } from './multiline';
import { parseReasoning, REASONING_MIME, type IReasoning } from './reasoning';
import { isReplyImage } from './replyimages';
import { parseRound, TOOL_MIME, type IToolRound } from './rounds';

/** What is shown of an output's data. */
export type ShownData =
  | { kind: 'round'; type: string; round: IToolRound }
  | { kind: 'reasoning'; type: string; reasoning: IReasoning }
  | { kind: 'markdown'; type: string; text: string }
  | { kind: 'image'; type: string; data: string }
  | { kind: 'text'; type: string; text: string }
  | { kind: 'none' };

/** What is shown of an output; the pair itself shows attachments. */
export type Shown = ShownData | { kind: 'attachment' };

const NONE: ShownData = { kind: 'none' };

/** The bitmaps that a chat shows. */
export const IMAGES = IMAGE_TYPES;

/** What a chat shows as plain text. */
export const TEXTS: readonly string[] = [
  'text/plain',
  'application/vnd.jupyter.stdout',
  'application/vnd.jupyter.stderr'
];

/** All types that a chat shows, the preferred first. */
export const SHOWN_TYPES: readonly string[] = [
  TOOL_MIME,
  REASONING_MIME,
  'text/markdown',
  ...IMAGES,
  ...TEXTS
];

/** What is shown of a MIME bundle: the first type with content. */
export function shownData(data: ReadonlyPartialJSONObject): ShownData {
  for (const type of SHOWN_TYPES) {
    const value: unknown = Object.hasOwn(data, type) ? data[type] : undefined;
    if (type === TOOL_MIME) {
      const round = parseRound(value);
      if (round) {
        return { kind: 'round', type, round };
      }
    } else if (type === REASONING_MIME) {
      const reasoning = parseReasoning(value);
      if (reasoning) {
        return { kind: 'reasoning', type, reasoning };
      }
    } else if (isMultiline(value)) {
      const text = joinLines(value);
      if (type === 'text/markdown') {
        return { kind: 'markdown', type, text };
      }
      return IMAGES.includes(type)
        ? { kind: 'image', type, data: text }
        : { kind: 'text', type, text: withoutAnsi(text) };
    }
  }
  return NONE;
}

/** What is shown of an output. */
export function shownOutput(output: IOutput): Shown {
  if (isAttachment(output)) {
    return { kind: 'attachment' };
  }
  const shown = shownData(bundleOf(output));
  // The address of an image is not what the model said.
  return shown.kind === 'markdown' && isReplyImage(output)
    ? { kind: 'image', type: shown.type, data: shown.text }
    : shown;
}

/** The text of all outputs that show text, in order; other parts of a turn are not included. */
export function shownText(outputs: readonly IOutput[]): string {
  return joinStreams(outputs)
    .map(shownOutput)
    .flatMap(shown =>
      (shown.kind === 'markdown' || shown.kind === 'text') && shown.text
        ? [shown.text]
        : []
    )
    .join('\n');
}

/** An output's MIME bundle, as JupyterLab makes it from what a kernel wrote. */
function bundleOf(output: IOutput): ReadonlyPartialJSONObject {
  switch (output.output_type) {
    case 'display_data':
    case 'execute_result':
    case 'update_display_data':
      return isObject(output.data) ? output.data : {};
    case 'stream': {
      const text = isMultiline(output.text) ? joinLines(output.text) : '';
      return { 'application/vnd.jupyter.stdout': overwritten(text) };
    }
    case 'error': {
      const { ename, evalue } = output;
      const lines = Array.isArray(output.traceback) ? output.traceback : [];
      return {
        'application/vnd.jupyter.stderr':
          lines.map(asText).join('\n') || `${asText(ename)}: ${asText(evalue)}`
      };
    }
    default:
      return {};
  }
}

/** JupyterLab shows consecutive streams of one name as one. */
export function joinStreams(outputs: readonly IOutput[]): IOutput[] {
  const joined: IOutput[] = [];
  for (const output of outputs) {
    const last = joined[joined.length - 1];
    if (
      output.output_type === 'stream' &&
      last?.output_type === 'stream' &&
      last.name === output.name &&
      isMultiline(last.text) &&
      isMultiline(output.text)
    ) {
      joined[joined.length - 1] = {
        ...last,
        text: joinLines(last.text) + joinLines(output.text)
      };
    } else {
      joined.push(output);
    }
  }
  return joined;
}

/** A stream as a terminal shows it: carriage returns and backspaces overwrite. */
export function overwritten(text: string): string {
  if (!/[\r\b]/.test(text)) {
    return text;
  }
  let done = '';
  let line = '';
  let at = 0;
  for (const piece of text.split(/([\n\r\b])/)) {
    if (piece === '\n') {
      done += `${line}\n`;
      line = '';
      at = 0;
    } else if (piece === '\r') {
      at = 0;
    } else if (piece === '\b') {
      if (at > 0) {
        line = line.slice(0, at - 1) + line.slice(at + 1);
        at--;
      }
    } else {
      line = line.slice(0, at) + piece + line.slice(at + piece.length);
      at += piece.length;
    }
  }
  return done + line;
}

function withoutAnsi(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '');
}

/** What should be a text, whatever another tool wrote instead. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : String(JSON.stringify(value));
}
