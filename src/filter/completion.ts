import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource
} from '@codemirror/autocomplete';

import { FIELD_NAMES, FIELDS } from './fields';
import { CONTENTS, FLAGS } from './query';
import { quoteValue } from './quote';
import type { ISavedFilter } from './store';

/** Completions that come from the chat rather than from the language. */
export interface IVocabulary {
  topics(): readonly string[];
  models(): string[];
  saved?(): ISavedFilter[];
}

/** Complete fields and their values, and saved filters at the start of the text. */
export function completions(vocabulary: IVocabulary): CompletionSource {
  return context =>
    inValue(context, vocabulary) ?? atField(context, vocabulary);
}

function inValue(
  context: CompletionContext,
  vocabulary: IVocabulary
): CompletionResult | null {
  const before = context.matchBefore(
    /[a-z]+[:=](?:"(?:[^"\\]|\\.)*|[^\s()"]*)$/
  );
  const match = /^([a-z]+)[:=](.*)$/s.exec(before?.text ?? '');
  if (!before || !match) {
    return null;
  }
  const values = valuesOf(match[1], vocabulary);
  return values.length > 0
    ? {
        from: before.to - match[2].length,
        options: values.map(value => ({ label: value, type: 'constant' })),
        validFor: /^[^\s()"]*$/
      }
    : null;
}

function valuesOf(field: string, vocabulary: IVocabulary): string[] {
  switch (field) {
    case 'is':
      return [...FLAGS];
    case 'has':
      return [...CONTENTS];
    case 'topic':
      return topicValues(vocabulary.topics()).map(quoteValue);
    case 'model':
      return unique(vocabulary.models()).map(quoteValue);
    default:
      return [];
  }
}

/** Every topic and its ancestors, and `/**` for those that have children. */
function topicValues(topics: readonly string[]): string[] {
  const values = new Set<string>();
  for (const topic of unique(topics)) {
    const parts = topic.split('/');
    for (let length = 1; length < parts.length; length++) {
      values.add(`${parts.slice(0, length).join('/')}/**`);
    }
    values.add(topic);
  }
  return [...values];
}

function atField(
  context: CompletionContext,
  vocabulary: IVocabulary
): CompletionResult | null {
  const word = context.matchBefore(/[\p{L}\p{N}_]*$/u);
  if (!word || (word.from === word.to && !context.explicit)) {
    return null;
  }
  const head = context.state.sliceDoc(0, word.from);
  if (/[^\s(-]$/.test(head) || (head.split('"').length - 1) % 2 === 1) {
    return null;
  }
  const saved = head.trim() ? [] : (vocabulary.saved?.() ?? []);
  return {
    from: word.from,
    options: [...FIELD_NAMES.map(fieldOption), ...saved.map(savedOption)],
    validFor: /^[\p{L}\p{N}_]*$/u
  };
}

function fieldOption(name: string): Completion {
  const { info, ops, example } = FIELDS[name];
  return {
    label: name + (ops.includes('=') ? ':' : ops[0]),
    detail: example,
    info: info(),
    type: 'property'
  };
}

function savedOption({ name, text }: ISavedFilter): Completion {
  return { label: name, detail: text, apply: text, type: 'text', boost: -1 };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values.filter(Boolean))].sort();
}
