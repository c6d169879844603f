import { dayStart } from './dates';
import { nearest } from './nearest';
import {
  CONTENTS,
  FLAGS,
  UNITS,
  type Comparison,
  type Side,
  type Term,
  type Unit
} from './query';
import { quote, quoteValue } from './quote';
import { topicProblem } from './topics';

/** What a field can hold: a condition, or how many pairs to keep. */
export type Entry = Term | { kind: 'last'; count: number };

/** Why a filter cannot be read, which part of it is to blame, and what to put there instead. */
export interface IProblem {
  part: 'field' | 'op' | 'value' | 'all';
  message: string;
  suggestion?: string;
}

/** What the language knows of a field. */
export interface IField {
  /** One sentence for the completion list. */
  info: string;
  /** A whole filter to learn from. */
  example: string;
  /** The comparisons it takes; `=` is also written `:`. */
  ops: readonly Comparison[];
  read(value: string, op: Comparison): Entry | IProblem;
}

const EQUAL: readonly Comparison[] = ['='];
const ORDER: readonly Comparison[] = ['<', '<=', '>', '>='];
const ALL: readonly Comparison[] = [...EQUAL, ...ORDER];

/** Every field of the language by its name. */
export const FIELDS: Readonly<Record<string, IField>> = {
  // Without a prototype, so that `constructor:x` is as unknown as any other word.
  __proto__: null as never,
  topic: {
    info: 'The topic; topic:ml/* its children, topic:ml/** it and all below',
    example: 'topic:ml/nlp',
    ops: EQUAL,
    read: glob => {
      const problem = glob ? topicProblem(glob.replaceAll('*', '_')) : null;
      return problem
        ? wrong(problem.message, problem.suggestion && trimTopic(glob))
        : { kind: 'topic', glob };
    }
  },
  model: {
    info: 'The model, with or without its provider; * stands for any letters',
    example: 'model:gpt-4o*',
    ops: EQUAL,
    read: glob => (glob ? { kind: 'model', glob } : missing('model:gpt-4o*'))
  },
  star: {
    info: 'Stars, 0 to 3',
    example: 'star>=2',
    ops: ALL,
    read: (text, op) => {
      const value = wholeNumber(text);
      if (typeof value === 'object') {
        return value;
      }
      return value <= 3
        ? { kind: 'star', op, value }
        : wrong('Stars go from 0 to 3.', '3');
    }
  },
  is: {
    info: 'A flag',
    example: 'is:error',
    ops: EQUAL,
    read: text => {
      const flag = oneOf(text, FLAGS, 'flag');
      return typeof flag === 'object' ? flag : { kind: 'is', flag };
    }
  },
  has: {
    info: 'What the pair contains',
    example: 'has:code',
    ops: EQUAL,
    read: text => {
      const content = oneOf(text, CONTENTS, 'content');
      return typeof content === 'object' ? content : { kind: 'has', content };
    }
  },
  text: {
    info: 'Text on either side; the same as a bare word',
    example: 'text:"area frame"',
    ops: EQUAL,
    read: text => readText(text, 'both')
  },
  user: {
    info: 'Text in the message',
    example: 'user:compare',
    ops: EQUAL,
    read: text => readText(text, 'user')
  },
  reply: {
    info: 'Text in the reply',
    example: 'reply:"as a table"',
    ops: EQUAL,
    read: text => readText(text, 'reply')
  },
  age: {
    info: 'Time since it was sent: min h d w mo y',
    example: 'age<7d',
    ops: ORDER,
    read: readAge
  },
  date: {
    info: 'The local day it was sent, or a range of days',
    example: 'date:2026-11-01..2026-11-16',
    ops: ALL,
    read: readDate
  },
  tokens: {
    info: 'Size in tokens',
    example: 'tokens>1000',
    ops: ALL,
    read: (text, op) => {
      const value = wholeNumber(text);
      return typeof value === 'object' ? value : { kind: 'tokens', op, value };
    }
  },
  id: {
    info: 'The end of the cell id',
    example: 'id:3f9c',
    ops: EQUAL,
    read: tail => (tail ? { kind: 'id', tail } : missing('id:3f9c'))
  },
  last: {
    info: 'Only the last so many of what the rest matches',
    example: 'last:20',
    ops: EQUAL,
    read: text => {
      const count = wholeNumber(text);
      return typeof count === 'object' ? count : { kind: 'last', count };
    }
  }
};

/** The names of the fields. */
export const FIELD_NAMES: readonly string[] = Object.keys(FIELDS);

/** Read one filter from its parts. */
export function readField(
  name: string,
  operator: string,
  value: string
): Entry | IProblem {
  const op = (operator === ':' ? '=' : operator) as Comparison;
  const field = FIELDS[name];
  if (!field) {
    return unknownField(name, operator, op, value);
  }
  if (field.ops.includes(op)) {
    return field.read(value, op);
  }
  return {
    part: 'op',
    message: `${name} is compared with ${field.ops.map(shown).join(' ')}, as in ${field.example}.`,
    suggestion: shown(field.ops[0])
  };
}

/** Whether reading failed. */
export function isProblem(result: Entry | IProblem): result is IProblem {
  return 'part' in result;
}

function unknownField(
  name: string,
  operator: string,
  op: Comparison,
  value: string
): IProblem {
  const message = `There is no field “${name}”.`;
  const fitting = FIELD_NAMES.filter(
    known =>
      FIELDS[known].ops.includes(op) &&
      !isProblem(FIELDS[known].read(value, op))
  );
  const found = nearest(name, fitting) ?? nearest(name, FIELD_NAMES);
  // With < or > it can hardly be meant as text, so even a far field is the better guess.
  const near = Math.min(2, name.length - 1);
  if (found && (found.distance <= near || (op !== '=' && fitting.length > 0))) {
    return { part: 'field', message, suggestion: found.word };
  }
  return {
    part: 'all',
    message: `${message} Put text in quotes.`,
    suggestion: quote(name + operator + value)
  };
}

function readText(text: string, side: Side): Entry | IProblem {
  return text ? { kind: 'text', side, text } : wrong('There is no text here.');
}

function readAge(text: string, op: Comparison): Entry | IProblem {
  const match = /^(\d{1,9}) ?(\p{L}*)$/u.exec(text);
  if (!match) {
    return wrong(
      'An age is a whole number and a unit (min h d w mo y), as in age<7d.',
      '7d'
    );
  }
  const [, digits, written] = match;
  const unit = UNITS.find(known => known === written);
  if (unit) {
    return { kind: 'age', op, amount: Number(digits), unit };
  }
  const guess = guessUnit(written);
  return wrong(
    written === 'm'
      ? '“m” could be minutes (min) or months (mo).'
      : written
        ? `There is no unit “${written}”: min h d w mo y.`
        : 'The unit is missing: min h d w mo y.',
    digits + guess
  );
}

const LONG_UNITS: Record<string, Unit> = {
  minute: 'min',
  hour: 'h',
  hr: 'h',
  day: 'd',
  week: 'w',
  wk: 'w',
  month: 'mo',
  mon: 'mo',
  m: 'mo',
  year: 'y',
  yr: 'y'
};

function guessUnit(written: string): Unit {
  const word = written.toLowerCase().replace(/s$/, '');
  const known = [...UNITS, ...Object.keys(LONG_UNITS)];
  const found = word ? (nearest(word, known)?.word ?? 'd') : 'd';
  return UNITS.find(unit => unit === found) ?? LONG_UNITS[found];
}

function readDate(text: string, op: Comparison): Entry | IProblem {
  const range = /^(.*?)\.\.(.*)$/s.exec(text);
  if (!range) {
    return dateProblem(text) ?? { kind: 'date', op, date: text };
  }
  const [, from, to] = range;
  if (op !== '=') {
    return {
      part: 'op',
      message: 'A range of days is written with a colon.',
      suggestion: ':'
    };
  }
  if (!from || !to) {
    const open = from ? `date>=${from}` : `date<=${to}`;
    const problem = wrong(
      'A range needs its first and its last day; one end alone is written with <= or >=.'
    );
    return dateProblem(from || to)
      ? problem
      : { ...problem, part: 'all', suggestion: open };
  }
  const problem = dateProblem(from) ?? dateProblem(to);
  if (problem) {
    return wrong(problem.message);
  }
  return from <= to
    ? { kind: 'dates', from, to }
    : wrong('The range ends before it begins.', `${to}..${from}`);
}

function dateProblem(text: string): IProblem | null {
  if (!Number.isNaN(dayStart(text))) {
    return null;
  }
  const loose = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text);
  const tidy = loose
    ? `${loose[1]}-${loose[2].padStart(2, '0')}-${loose[3].padStart(2, '0')}`
    : '';
  return wrong(
    tidy === text
      ? `There is no day ${text}.`
      : 'A day is written as year-month-day, as in 2026-11-01.',
    tidy && !Number.isNaN(dayStart(tidy)) ? tidy : undefined
  );
}

function wholeNumber(text: string): number | IProblem {
  if (/^\d{1,9}$/.test(text)) {
    return Number(text);
  }
  const thousands = /^(\d{1,5}(?:\.\d+)?)k$/i.exec(text);
  return wrong(
    'This takes a whole number of at most nine digits.',
    thousands ? String(Math.round(Number(thousands[1]) * 1000)) : undefined
  );
}

function oneOf<T extends string>(
  text: string,
  known: readonly T[],
  what: string
): T | IProblem {
  return (
    known.find(word => word === text) ??
    wrong(
      text
        ? `There is no ${what} “${text}”: ${known.join(' ')}.`
        : `The ${what} is missing: ${known.join(' ')}.`,
      nearest(text, known)?.word
    )
  );
}

function trimTopic(glob: string): string {
  const parts = glob.split('/').map(part => part.trim());
  return quoteValue(parts.filter(Boolean).join('/'));
}

function missing(example: string): IProblem {
  return wrong(`A value is missing, as in ${example}.`);
}

function wrong(message: string, suggestion?: string): IProblem {
  return suggestion
    ? { part: 'value', message, suggestion }
    : { part: 'value', message };
}

function shown(op: Comparison): string {
  return op === '=' ? ':' : op;
}
