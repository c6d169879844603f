import { parse } from '../parse';
import type { IFilterPair } from '../predicate';
import type { Query } from '../query';

/** A pair with default values, except those given. */
export function pair(part: Partial<IFilterPair> = {}): IFilterPair {
  return {
    id: '00000000-0000-4000-8000-000000000000',
    kind: 'pair',
    topic: '',
    model: 'openai/gpt-4o-mini',
    star: 0,
    in: true,
    state: 'succeeded',
    edited: false,
    isNew: false,
    user: '',
    reply: '',
    hasTool: false,
    hasCode: false,
    hasImage: false,
    hasUnsent: false,
    versions: 0,
    otherModels: [],
    createdAt: 0,
    tokens: 0,
    ...part
  };
}

/** Parse a valid query. */
export function query(text: string): Query {
  const parsed = parse(text);
  if ('error' in parsed) {
    throw new Error(`${text}: ${parsed.error.message}`);
  }
  return parsed.query;
}
