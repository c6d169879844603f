/**
 * What a model thought before a message, as notebook outputs and as fields of messages, and back.
 */
import type { IDisplayData, IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONValue } from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import { isDeepJSON, isObject, wellFormed, wellFormedJSON } from '../base/json';
import type { IRoundOrigin } from './rounds';

/** The MIME type of outputs with reasoning. */
export const REASONING_MIME = 'application/vnd.turnbook.reasoning+json';

/**
 * The keys of a message in which providers send reasoning.
 *
 * Some send the same reasoning under several keys; then the first of this list counts, since only
 * `reasoning_details` has signatures and encrypted pieces.
 */
export const REASONING_FIELDS = [
  'reasoning_details',
  'reasoning_content',
  'reasoning'
] as const;

/** A key of a message in which a provider sends reasoning. */
export type ReasoningField = (typeof REASONING_FIELDS)[number];

/** What a model thought before one message. */
export interface IReasoning {
  field: ReasoningField;
  /** As it came: a text, or a list of pieces that may be signed or encrypted. */
  value: string | readonly PartialJSONValue[];
  /** How long the model thought; absent if that is not known. */
  seconds?: number;
}

/** The reasoning in an output; null if there is none that can be read. */
export function readReasoning(output: IOutput): IReasoning | null {
  return isObject(output.data)
    ? parseReasoning(output.data[REASONING_MIME])
    : null;
}

/** Parse untrusted reasoning; null if it is none. */
export function parseReasoning(stored: unknown): IReasoning | null {
  if (!isObject(stored)) {
    return null;
  }
  const field = REASONING_FIELDS.find(name => name === stored.field);
  const value =
    typeof stored.opaque === 'string'
      ? parseList(stored.opaque)
      : typeof stored.text === 'string'
        ? stored.text
        : null;
  if (!field || value === null) {
    return null;
  }
  const { seconds } = stored;
  return {
    field,
    value,
    ...(typeof seconds === 'number' && seconds >= 0 ? { seconds } : {})
  };
}

/** Whether an output contains reasoning. */
export function isReasoning(output: IOutput): boolean {
  return isObject(output.data) && REASONING_MIME in output.data;
}

/** The output for reasoning. */
export function reasoningOutput(
  reasoning: IReasoning,
  origin: IRoundOrigin | null = null
): IDisplayData {
  const { field, value, seconds } = reasoning;
  return {
    output_type: 'display_data',
    data: {
      [REASONING_MIME]: {
        field,
        // Jupyter sorts the keys of JSON when it saves; a signature may depend on their order.
        ...(typeof value === 'string'
          ? { text: value }
          : { opaque: JSON.stringify(value) }),
        ...(seconds === undefined ? {} : { seconds })
      },
      'text/plain': `Reasoning:\n${reasoningText(reasoning)}`
    },
    metadata: origin
      ? {
          turnbook: {
            runId: origin.runId,
            part: 'reasoning',
            ...(origin.partial ? { partial: true } : {})
          }
        }
      : {}
  };
}

/** Reasoning as it is read; of encrypted pieces only how long they are. */
export function reasoningText({ value }: Pick<IReasoning, 'value'>): string {
  return typeof value === 'string' ? value : value.map(pieceText).join('');
}

/** A message with the reasoning before it. */
export function withReasoning(
  message: IMessage,
  reasoning: readonly IReasoning[] = []
): IMessage {
  let sent = message;
  for (const { field, value } of reasoning) {
    const before = Object.hasOwn(sent, field) ? sent[field] : undefined;
    sent = { ...sent, [field]: joinValues(before, value) };
  }
  return sent;
}

/** The reasoning in a message, and the message without it. */
export function splitReasoning(message: IMessage): {
  message: IMessage;
  reasoning: IReasoning[];
} {
  const reasoning = REASONING_FIELDS.flatMap((field): IReasoning[] => {
    const value = Object.hasOwn(message, field) ? message[field] : undefined;
    return typeof value === 'string'
      ? [{ field, value: wellFormed(value) }]
      : Array.isArray(value)
        ? [{ field, value: wellFormedJSON(value) as PartialJSONValue[] }]
        : [];
  });
  const fields = new Set<string>(reasoning.map(({ field }) => field));
  const rest = Object.entries(message).filter(([key]) => !fields.has(key));
  return { message: Object.fromEntries(rest) as IMessage, reasoning };
}

function joinValues(
  before: PartialJSONValue | undefined,
  value: IReasoning['value']
): PartialJSONValue {
  if (typeof value === 'string') {
    return typeof before === 'string' ? before + value : value;
  }
  return Array.isArray(before) ? [...before, ...value] : [...value];
}

function parseList(json: string): PartialJSONValue[] | null {
  if (isDeepJSON(json)) {
    return null;
  }
  try {
    const list: unknown = JSON.parse(json);
    return Array.isArray(list) ? (list as PartialJSONValue[]) : null;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
}

/** A piece of `reasoning_details` as it is read; what is not known is read as it is sent. */
function pieceText(piece: PartialJSONValue): string {
  if (!isObject(piece)) {
    return JSON.stringify(piece);
  }
  const { text, summary, data } = piece;
  const said = [text, summary].filter(part => typeof part === 'string');
  const isEncrypted = !said.length && typeof data === 'string';
  const others = Object.entries(piece).filter(
    ([key, value]) => !isBookkeeping(key, value)
  );
  return [
    ...said,
    ...(isEncrypted ? [`[encrypted, ${data.length} characters]`] : []),
    ...(others.length ? [JSON.stringify(Object.fromEntries(others))] : [])
  ].join('');
}

/** Whether an entry of a piece has no words of its own to show. */
function isBookkeeping(key: string, value: unknown): boolean {
  return typeof value === 'string'
    ? KNOWN.has(key)
    : value === null || typeof value === 'number' || typeof value === 'boolean';
}

/** The texts of a piece that are shown, or that only a provider can read. */
const KNOWN = new Set([
  'data',
  'format',
  'id',
  'signature',
  'summary',
  'text',
  'type'
]);
