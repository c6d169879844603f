/** Reads the results of `jupyter turnbook rerun` as sides of a comparison. */
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { canonical } from '../base/canonical';
import { isObject } from '../base/json';
import { trans } from '../base/words';
import type { ICellLike } from '../context/cell';
import { fileEntry } from '../document/chatentry';
import { payloadMessages, payloadOptions } from '../replay/model/projection';
import { bodyHash } from '../request/render';
import { NO_FACTS, RESULT_KEY, saidOf, type ISaid, type ISide } from './side';

/** Whether a notebook has the results of a rerun. */
export function isResults(notebook: unknown): boolean {
  return resultsIn(notebook) !== null;
}

/**
 * Read one result: the request of its record with the model and the options replaced, and the reply.
 *
 * @param cells - All cells of the notebook.
 */
export function readResult(
  { metadata }: ICellLike,
  cells: readonly ICellLike[],
  notebook: unknown
): Omit<ISide, 'path'> | null {
  const entry = metadata[RESULT_KEY];
  const results = resultsIn(notebook);
  if (!isObject(entry) || !results) {
    return null;
  }
  const record = recordOf(entry, results);
  const sent = sentText(record, results);
  const { model: _, ...options } = sent === null ? {} : payloadOptions(sent);
  const { reply, said } = replyOf(entry);
  const usage = isObject(reply.usage) ? reply.usage : {};
  const { response, cost, request } = entry;
  const { sentAt, ended } = isObject(response) ? response : {};
  return {
    title: titleOf(entry, record),
    said: [
      ...(sent === null ? [] : saidOf(payloadMessages(sent), false)),
      ...said
    ],
    facts: {
      ...NO_FACTS,
      model: modelOf(entry),
      options,
      input: count(usage.prompt_tokens),
      output: count(usage.completion_tokens),
      seconds: typeof ended === 'number' ? ended / 1000 : null,
      cost: count(cost),
      at: count(sentAt),
      hash: typeof request === 'string' ? request : null
    },
    notes: [
      ...problemsOf(cells, results),
      ...(said.length ? [] : [trans.__('There is no reply.')])
    ]
  };
}

/** Read all results: one reply after the other, by record, model and repeat. */
export function readResults(
  cells: readonly ICellLike[],
  notebook: unknown
): Pick<ISide, 'said' | 'facts' | 'notes'> {
  const results = resultsIn(notebook) ?? {};
  const entries = entriesIn(cells);
  const models = [...new Set(entries.map(modelOf))];
  const sum = (values: (number | null)[]) =>
    values.some(value => value !== null)
      ? values.reduce<number>((total, value) => total + (value ?? 0), 0)
      : null;
  const usages = entries.map(entry => {
    const { usage } = replyOf(entry).reply;
    return isObject(usage) ? usage : {};
  });
  return {
    said: entries.flatMap(entry => {
      const role = titleOf(entry, recordOf(entry, results));
      const { said } = replyOf(entry);
      return said.map(one => ({ ...one, role, key: `${role} ${one.key}` }));
    }),
    facts: {
      ...NO_FACTS,
      model: models.join(', ') || null,
      options: isObject(results.options) ? results.options : null,
      input: sum(usages.map(usage => count(usage.prompt_tokens))),
      output: sum(usages.map(usage => count(usage.completion_tokens))),
      cost: sum(entries.map(({ cost }) => count(cost)))
    },
    notes: problemsOf(cells, results)
  };
}

/** What is wrong with results, as texts; `jupyter turnbook verify` checks more. */
function problemsOf(
  cells: readonly ICellLike[],
  { digest, ...results }: PartialJSONObject
): string[] {
  const entries = entriesIn(cells);
  const isAsWritten = bodyHash(canonical({ results, entries })) === digest;
  return isAsWritten
    ? []
    : [trans.__('The results were changed after they were written.')];
}

function resultsIn(notebook: unknown): PartialJSONObject | null {
  const entry = fileEntry(notebook);
  const results = isObject(entry) ? entry.results : undefined;
  return isObject(results) ? results : null;
}

function entriesIn(cells: readonly ICellLike[]): PartialJSONObject[] {
  return cells.map(({ metadata }) => metadata[RESULT_KEY]).filter(isObject);
}

function recordOf(
  { record: hash }: PartialJSONObject,
  { records }: PartialJSONObject
): PartialJSONObject | undefined {
  return (Array.isArray(records) ? records : [])
    .filter(isObject)
    .find(record => record.hash === hash);
}

/** What was sent, but for the model: the payload of a record with the options in it. */
function sentText(
  record: PartialJSONObject | undefined,
  { options }: PartialJSONObject
): string | null {
  if (typeof record?.payload !== 'string') {
    return null;
  }
  const changes = Object.entries(isObject(options) ? options : {})
    .map(([name, value]) => [name.split('.'), value ?? null] as const)
    // One that replaces the whole comes before one inside of it.
    .sort(([a], [b]) => a.length - b.length);
  return JSON.stringify(
    changes.reduce<PartialJSONValue>(
      (body, [path, value]) => replaced(body, path, value),
      JSON.parse(record.payload) as PartialJSONObject
    )
  );
}

/** A value with another one at a place in it. Objects that the path lacks are added. */
function replaced(
  value: PartialJSONValue,
  [name, ...path]: readonly string[],
  put: PartialJSONValue
): PartialJSONValue {
  const inside = (before: PartialJSONValue) =>
    path.length ? replaced(before, path, put) : put;
  if (Array.isArray(value)) {
    return value.map((item, at) => (String(at) === name ? inside(item) : item));
  }
  if (!isObject(value)) {
    return value;
  }
  const members = new Map(Object.entries(value));
  // An object can be made with a member of any name, also `__proto__`.
  return Object.fromEntries(members.set(name, inside(members.get(name) ?? {})));
}

function modelOf({ provider, model }: PartialJSONObject): string {
  return `${String(provider)}/${String(model)}`;
}

function titleOf(
  entry: PartialJSONObject,
  record: PartialJSONObject | undefined
): string {
  const name = typeof record?.name === 'string' ? [record.name] : [];
  return [...name, modelOf(entry), String(entry.repeat)].join(' · ');
}

/** The reply of a result, with its tool calls. */
function replyOf(entry: PartialJSONObject): {
  reply: PartialJSONObject;
  said: ISaid[];
} {
  const reply = isObject(entry.reply) ? entry.reply : {};
  const { content, tool_calls: calls } = reply;
  const text = typeof content === 'string' ? content : '';
  const hasCalls = Array.isArray(calls) && calls.length > 0;
  const message = {
    role: 'assistant',
    content: text,
    ...(hasCalls ? { tool_calls: calls as PartialJSONObject[] } : {})
  };
  return { reply, said: text || hasCalls ? saidOf([message], true) : [] };
}

function count(value: PartialJSONValue | undefined): number | null {
  return typeof value === 'number' && value >= 0 ? value : null;
}
