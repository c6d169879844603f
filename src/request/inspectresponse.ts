/** Makes a response's bytes readable without changing them. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { sha256 } from '@noble/hashes/sha2.js';

import type { IResponse } from '../base/run';
import { decode } from './inspect';

/** An event of a response as a reader sees it. */
export interface IShownEvent {
  /** When it came, in milliseconds since the request left; null if that is not known. */
  at: number | null;
  data: string;
}

/** The content of a response's bytes. */
export interface IInspectedResponse {
  /** The sha256 of the bytes, computed here. */
  hash: string;
  text: string;
  /** Whether `text` is the bytes exactly; false when they are not UTF-8. */
  exact: boolean;
  /** Its events; none if it is no stream. */
  events: IShownEvent[];
}

/**
 * Read a response's bytes. Any bytes can be read; those that are no stream have no events.
 *
 * @param known - The events that the journal has the times of. It has none of `[DONE]` and errors.
 */
export function inspectResponse(
  bytes: Uint8Array,
  known: IResponse['events']
): IInspectedResponse {
  const { text, exact } = decode(bytes);
  let next = 0;
  const events = eventsOf(text).map(data => {
    const isKnown = known[next]?.data === data;
    return { data, at: isKnown ? known[next++].at : null };
  });
  return { hash: bytesToHex(sha256(bytes)), text, exact, events };
}

/** The data of each server-sent event in a text, the last one even if it was cut off. */
export function eventsOf(text: string): string[] {
  const events: string[] = [];
  let data: string[] = [];
  const end = () => {
    if (data.length) {
      events.push(data.join('\n'));
      data = [];
    }
  };
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    if (line === '') {
      end();
    } else if (line === 'data' || line.startsWith('data:')) {
      data.push(line.slice(5).replace(/^ /, ''));
    }
  }
  end();
  return events;
}
