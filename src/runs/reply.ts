/** A reply that grows chunk by chunk. */
import { isObject } from '../base/json';
import type { IUsage } from '../document/metadata';
import { addCalls, type ICallState } from './toolcalls';

/** What a run's chunks add up to. */
export interface IReplyState {
  text: string;
  /** The tool calls of the model. */
  calls: readonly ICallState[];
  /** Whether anything but text has arrived, such as a role or reasoning. */
  begun: boolean;
  finish: string | null;
  usage: IUsage | null;
}

/** A reply before its first chunk. */
export const EMPTY_REPLY: IReplyState = {
  text: '',
  calls: [],
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
  const { content, tool_calls: calls } = isObject(delta)
    ? delta
    : ({} as Record<string, unknown>);
  return {
    text: typeof content === 'string' ? reply.text + content : reply.text,
    calls: addCalls(reply.calls, calls),
    begun: reply.begun || isObject(delta),
    finish: typeof finish === 'string' && finish ? finish : reply.finish,
    usage: readUsage(chunk.usage) ?? reply.usage
  };
}

function readUsage(value: unknown): IUsage | null {
  if (!isObject(value)) {
    return null;
  }
  const usage: Record<string, number> = {};
  for (const key of ['prompt_tokens', 'completion_tokens', 'total_tokens']) {
    const count = value[key];
    if (typeof count === 'number' && Number.isFinite(count) && count >= 0) {
      usage[key] = count;
    }
  }
  return Object.keys(usage).length ? usage : null;
}
