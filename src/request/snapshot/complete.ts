/** Completion in the text of a snapshot. */
import type {
  Completion,
  CompletionContext,
  CompletionResult
} from '@codemirror/autocomplete';

import { isObject } from '../../base/json';
import type { LeafPath } from '../model';
import { OPTIONS_SCHEMA } from '../options';
import { parseTree, pathAt } from './places';
import { SNAPSHOT_SCHEMA } from './validate';

type Schema = Record<string, unknown>;

/** Complete keys, and values where there are only certain ones. */
export function completeSnapshot(
  context: CompletionContext
): CompletionResult | null {
  const word = context.matchBefore(/"[^":,{}[\]\n]*/);
  if (!word && !context.explicit) {
    return null;
  }
  const text = context.state.doc.toString();
  const from = word?.from ?? context.pos;
  const tree = parseTree(text);
  const colon = /:\s*$/.exec(text.slice(0, from));
  // A missing value is not part of its key's node.
  const path = pathAt(text, colon ? colon.index + 1 : from, tree);
  const options = colon
    ? valueCompletions(schemaAt(path))
    : keyCompletions(schemaAt(path));
  const to = /^[^"\n]*"/.exec(text.slice(context.pos))?.[0].length ?? 0;
  return options.length
    ? { from, to: word ? context.pos + to : context.pos, options, filter: true }
    : null;
}

/** The schema at a path; null where anything is allowed. */
export function schemaAt(path: LeafPath): Schema | null {
  let at: Schema | null = SNAPSHOT_SCHEMA as Schema;
  path.forEach((step, n) => {
    at =
      n === 1 && path[0] === 'requestOptions'
        ? inner(OPTIONS_SCHEMA as Schema, step)
        : inner(at, step);
  });
  return path.length === 1 && path[0] === 'requestOptions'
    ? (OPTIONS_SCHEMA as Schema)
    : at;
}

function inner(schema: Schema | null, step: string | number): Schema | null {
  for (const form of formsOf(schema)) {
    const next =
      typeof step === 'number'
        ? form.items
        : (form.properties as Schema | undefined)?.[step];
    if (isObject(next)) {
      return next as Schema;
    }
  }
  return null;
}

/** A schema and its alternatives, with references resolved. */
function formsOf(schema: Schema | null): Schema[] {
  if (!schema) {
    return [];
  }
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').pop()!;
    const all = SNAPSHOT_SCHEMA.definitions as Record<string, unknown>;
    return formsOf(all[name] as Schema);
  }
  const others = [
    ...((schema.anyOf ?? []) as Schema[]),
    ...[schema.then, schema.else].filter(isObject)
  ];
  return [schema, ...others.flatMap(one => formsOf(one as Schema))];
}

function keyCompletions(schema: Schema | null): Completion[] {
  return formsOf(schema).flatMap(form =>
    Object.entries((form.properties ?? {}) as Record<string, Schema>).map(
      ([key, { description }]) => ({
        label: `"${key}"`,
        type: 'property',
        ...(typeof description === 'string' ? { info: description } : {})
      })
    )
  );
}

function valueCompletions(schema: Schema | null): Completion[] {
  return formsOf(schema).flatMap(form => {
    const values =
      form.enum ??
      ('const' in form
        ? [form.const]
        : form.type === 'boolean'
          ? [true, false]
          : []);
    return (values as unknown[]).map(value => ({
      label: JSON.stringify(value),
      type: 'constant'
    }));
  });
}
