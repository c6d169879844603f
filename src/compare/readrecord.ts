/** Reads a replay record as a side of a comparison. */
import type { PartialJSONObject } from '@lumino/coreutils';

import { isObject } from '../base/json';
import type { IMessage } from '../base/message';
import { payloadMessages, payloadOptions } from '../replay/model/projection';
import type { IRecordResponse, IReplay } from '../replay/model/record';
import { responseBytes } from '../replay/model/recordresponse';
import { decode } from '../request/inspect';
import { eventsOf } from '../request/inspectresponse';
import { addChunk, EMPTY_REPLY } from '../runs/reply';
import type { PriceOf } from '../session/prices';
import { NO_FACTS, saidOf, type ISide } from './side';
import { usageOf } from './source';

/** Read a record: its payload, and the response if it has one. */
export function readRecordSide(
  { record }: IReplay,
  priceOf: PriceOf
): Pick<ISide, 'said' | 'facts'> {
  const { payload, response, provider } = record;
  const { model, ...options } = payloadOptions(payload);
  const name = `${provider}/${String(model)}`;
  const reply = response ? readReply(response) : null;
  return {
    said: [
      ...saidOf(payloadMessages(payload), false),
      ...saidOf(reply?.messages ?? [], true)
    ],
    facts: {
      ...NO_FACTS,
      ...usageOf(reply?.usage, name, priceOf),
      model: name,
      options,
      seconds: response ? response.ended / 1000 : null,
      at: response?.sentAt ?? record.at,
      hash: record.hash
    }
  };
}

/** What a response says: a stream of chunks, or one body. */
function readReply(response: IRecordResponse): {
  messages: IMessage[];
  usage: PartialJSONObject | null;
} {
  const bytes = responseBytes(response);
  const text = bytes ? decode(bytes).text : '';
  const events = eventsOf(text);
  if (!events.length) {
    const body = parsed(text);
    const usage = isObject(body) && isObject(body.usage) ? body.usage : null;
    return { messages: messageIn(body), usage };
  }
  const reply = events.map(parsed).reduce(addChunk, EMPTY_REPLY);
  const calls = reply.calls as unknown as PartialJSONObject[];
  return {
    messages:
      reply.text || calls.length
        ? [
            {
              role: 'assistant',
              content: reply.text,
              ...(calls.length ? { tool_calls: calls } : {})
            }
          ]
        : [],
    usage: reply.usage
  };
}

function messageIn(body: unknown): IMessage[] {
  const choices = isObject(body) ? body.choices : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isObject(choice) ? choice.message : undefined;
  return isObject(message)
    ? [{ ...message, role: String(message.role ?? 'assistant') } as IMessage]
    : [];
}

/** A part of a response as JSON; null if it is none, such as `[DONE]`. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
}
