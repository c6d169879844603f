/**
 * Reasoning that arrives chunk by chunk, in any of the ways in which providers send it.
 *
 * DeepSeek, Qwen and llama.cpp send a text `reasoning_content`, Ollama and newer vLLM a text
 * `reasoning`, OpenRouter a list `reasoning_details` and the same as text, Mistral parts of the content.
 */
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { isObject } from '../base/json';
import { REASONING_FIELDS, type IReasoning } from '../document/reasoning';

/** What has arrived under each key. */
export interface IReasoningState {
  readonly reasoning_details?: readonly PartialJSONObject[];
  readonly reasoning_content?: string;
  readonly reasoning?: string;
}

/** A reply without reasoning. */
export const NO_REASONING: IReasoningState = {};

/** Add the reasoning of a delta; parts of the wrong type are skipped. */
export function addReasoning(
  state: IReasoningState,
  delta: Record<string, unknown>
): IReasoningState {
  let next = state;
  for (const key of ['reasoning_content', 'reasoning'] as const) {
    const text = delta[key];
    if (typeof text === 'string' && (text || next[key] === undefined)) {
      next = { ...next, [key]: (next[key] ?? '') + text };
    }
  }
  const thinking = thinkingText(delta.content);
  if (thinking) {
    next = { ...next, reasoning: (next.reasoning ?? '') + thinking };
  }
  const { reasoning_details: pieces } = delta;
  if (Array.isArray(pieces)) {
    const details = [...(next.reasoning_details ?? [])];
    const places = placesOf(details);
    for (const piece of pieces.filter(isObject)) {
      addPiece(details, places, piece);
    }
    next = details.length ? { ...next, reasoning_details: details } : next;
  }
  return next;
}

/**
 * The reasoning as it is stored; null if there is none.
 *
 * @param isEmptySent - Whether empty reasoning counts: some providers want it back before tool calls.
 */
export function finishedReasoning(
  state: IReasoningState,
  isEmptySent: boolean,
  seconds: number | null
): IReasoning | null {
  for (const field of REASONING_FIELDS) {
    const value = state[field];
    if (value !== undefined && (value.length || isEmptySent)) {
      return { field, value, ...(seconds === null ? {} : { seconds }) };
    }
  }
  return null;
}

/**
 * Measures how long a model thinks, as far as this page witnesses it: chunks that had arrived before
 * come all at once.
 */
export class ThinkingClock {
  /**
   * @param past - How many events had arrived before.
   */
  constructor(
    private _past: number,
    private _now: () => number = () => Date.now()
  ) {}

  /** The whole seconds so far or in total; null if its beginning or end was not witnessed. */
  get seconds(): number | null {
    const since = this._since;
    if (since === null) {
      return null;
    }
    return Math.round(((this._until ?? this._now()) - since) / 1000);
  }

  /** Note a chunk: whether it has reasoning, and whether it has anything of the message. */
  note(thinks: boolean, speaks: boolean): void {
    this._chunks++;
    if (this._isOver) {
      return;
    }
    const isPast = this._chunks <= this._past;
    if (thinks && !this._began) {
      this._began = true;
      this._since = isPast ? null : this._now();
    }
    if (speaks) {
      this.end();
    }
  }

  /** Note that the model thinks no more. */
  end(): void {
    if (!this._isOver) {
      this._isOver = true;
      this._until = this._now();
    }
  }

  private _began = false;
  private _chunks = 0;
  private _isOver = false;
  private _since: number | null = null;
  private _until: number | null = null;
}

/** Where the pieces of each item are: those with the same index and type. */
type Places = Map<string, number[]>;

function placesOf(details: readonly PartialJSONObject[]): Places {
  const places: Places = new Map();
  details.forEach((piece, place) => note(places, piece, place));
  return places;
}

function note(places: Places, piece: PartialJSONObject, place: number): void {
  const item = itemOf(piece);
  if (item !== null) {
    places.set(item, [...(places.get(item) ?? []), place]);
  }
}

/** The item of which something is a piece; null if it does not say. */
function itemOf({ index, type }: PartialJSONObject): string | null {
  return typeof index === 'number' || typeof index === 'string'
    ? JSON.stringify([index, typeof type === 'string' ? type : null])
    : null;
}

/** Pieces of one item have the same index and type; their texts are continued. */
function addPiece(
  details: PartialJSONObject[],
  places: Places,
  piece: PartialJSONObject
): void {
  const known = places.get(itemOf(piece) ?? '') ?? [];
  const place = known.find(at => {
    const { id } = details[at];
    return id === undefined || piece.id === undefined || id === piece.id;
  });
  if (place === undefined) {
    note(places, piece, details.push(piece) - 1);
    return;
  }
  const joined: [string, PartialJSONValue | undefined][] = Object.entries(
    details[place]
  );
  for (const [key, value] of Object.entries(piece)) {
    const entry = joined.find(([name]) => name === key);
    if (!entry) {
      joined.push([key, value]);
    } else if (CONTINUED.has(key) && typeof entry[1] === 'string') {
      entry[1] += typeof value === 'string' ? value : '';
    } else {
      entry[1] = value ?? entry[1];
    }
  }
  // Assignment would treat a key named `__proto__` as the prototype.
  details[place] = Object.fromEntries(joined);
}

/** The texts of a piece that arrive bit by bit. */
const CONTINUED = new Set(['text', 'summary', 'data']);

/** The thinking among the parts of a delta's content. */
function thinkingText(content: unknown): string {
  if (!Array.isArray(content)) {
    return '';
  }
  return content
    .map(part => {
      const inner: unknown =
        isObject(part) && part.type === 'thinking' ? part.thinking : undefined;
      return typeof inner === 'string'
        ? inner
        : Array.isArray(inner)
          ? inner
              .map(item =>
                isObject(item) && typeof item.text === 'string' ? item.text : ''
              )
              .join('')
          : '';
    })
    .join('');
}
