/** A reply that grows chunk by chunk. */
import { isObject } from '../base/json';
import { readUsage, type IUsage } from '../document/usage';
import { addImages } from './images';
import { addReasoning, NO_REASONING, type IReasoningState } from './reasoning';
import { addCalls, type ICallState } from './toolcalls';

/** What a run's chunks add up to. */
export interface IReplyState {
  text: string;
  /** The tool calls of the model. */
  calls: readonly ICallState[];
  /** The URLs of the images that the model made. */
  images: readonly string[];
  /** What the model thought before. */
  reasoning: IReasoningState;
  /** Whether anything but text has arrived, such as a role or reasoning. */
  begun: boolean;
  finish: string | null;
  usage: IUsage | null;
}

/** A reply before its first chunk. */
export const EMPTY_REPLY: IReplyState = {
  text: '',
  calls: [],
  images: [],
  reasoning: NO_REASONING,
  begun: false,
  finish: null,
  usage: null
};

/**
 * Add a chunk. Providers differ and make mistakes: a part of the wrong type is skipped and the rest
 * is used.
 */
export function addChunk(reply: IReplyState, chunk: unknown): IReplyState {
  if (!isObject(chunk)) {
    return reply;
  }
  const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
  const choice: unknown = choices.find(
    item => isObject(item) && (item.index ?? 0) === 0
  );
  const { delta, finish_reason: finish } = isObject(choice)
    ? choice
    : ({} as Record<string, unknown>);
  const piece = isObject(delta) ? delta : ({} as Record<string, unknown>);
  return {
    text: reply.text + contentText(piece.content),
    calls: addCalls(reply.calls, piece.tool_calls),
    images: addImages(reply.images, piece),
    reasoning: addReasoning(reply.reasoning, piece),
    begun: reply.begun || isObject(delta),
    finish: typeof finish === 'string' && finish ? finish : reply.finish,
    usage: readUsage(chunk.usage) ?? reply.usage
  };
}

/** The text of a delta's content, which some providers send in parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') {
    return content;
  }
  return Array.isArray(content)
    ? content
        .map(part =>
          isObject(part) &&
          part.type === 'text' &&
          typeof part.text === 'string'
            ? part.text
            : ''
        )
        .join('')
    : '';
}
