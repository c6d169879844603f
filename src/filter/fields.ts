import { trans } from '../base/words';
import { nearest } from './nearest';
import { CONTENTS, FLAGS, type Comparison } from './query';
import { quote } from './quote';
import {
  isProblem,
  missing,
  oneOf,
  readAge,
  readDate,
  readText,
  readTopic,
  wholeNumber,
  wrong,
  type Entry,
  type IProblem
} from './values';

/** The definition of a field. */
export interface IField {
  /** One sentence for the completion list. */
  info: () => string;
  /** A complete filter as an example. */
  example: string;
  /** The comparisons it accepts; `=` can also be written `:`. */
  ops: readonly Comparison[];
  read(value: string, op: Comparison): Entry | IProblem;
}

const EQUAL: readonly Comparison[] = ['='];
const ORDER: readonly Comparison[] = ['<', '<=', '>', '>='];
const ALL: readonly Comparison[] = [...EQUAL, ...ORDER];

/** Every field of the language by its name. */
export const FIELDS: Readonly<Record<string, IField>> = {
  // Without a prototype, so that `constructor:x` is unknown like any other word.
  __proto__: null as never,
  topic: {
    info: () =>
      trans.__(
        'The topic; topic:ml/* its children, topic:ml/** it and all below'
      ),
    example: 'topic:ml/nlp',
    ops: EQUAL,
    read: readTopic
  },
  model: {
    info: () =>
      trans.__(
        'The model, with or without its provider; * matches any letters'
      ),
    example: 'model:gpt-4o*',
    ops: EQUAL,
    read: glob => (glob ? { kind: 'model', glob } : missing('model:gpt-4o*'))
  },
  star: {
    info: () => trans.__('Stars, 0 to 3'),
    example: 'star>=2',
    ops: ALL,
    read: (text, op) => {
      const value = wholeNumber(text);
      if (typeof value === 'object') {
        return value;
      }
      return value <= 3
        ? { kind: 'star', op, value }
        : wrong(trans.__('Stars go from 0 to 3.'), '3');
    }
  },
  is: {
    info: () => trans.__('A flag'),
    example: 'is:error',
    ops: EQUAL,
    read: text => {
      const flag = oneOf(text, FLAGS, trans.__('flag'));
      return typeof flag === 'object' ? flag : { kind: 'is', flag };
    }
  },
  has: {
    info: () => trans.__('What the pair contains'),
    example: 'has:code',
    ops: EQUAL,
    read: text => {
      const content = oneOf(text, CONTENTS, trans.__('content'));
      return typeof content === 'object' ? content : { kind: 'has', content };
    }
  },
  text: {
    info: () => trans.__('Text on either side; the same as a bare word'),
    example: 'text:"area frame"',
    ops: EQUAL,
    read: text => readText(text, 'both')
  },
  user: {
    info: () => trans.__('Text in the message'),
    example: 'user:compare',
    ops: EQUAL,
    read: text => readText(text, 'user')
  },
  reply: {
    info: () => trans.__('Text in the reply'),
    example: 'reply:"as a table"',
    ops: EQUAL,
    read: text => readText(text, 'reply')
  },
  age: {
    info: () => trans.__('Time since it was sent: min h d w mo y'),
    example: 'age<7d',
    ops: ORDER,
    read: readAge
  },
  date: {
    info: () => trans.__('The local day it was sent, or a range of days'),
    example: 'date:2026-11-01..2026-11-16',
    ops: ALL,
    read: readDate
  },
  tokens: {
    info: () => trans.__('Size in tokens'),
    example: 'tokens>1000',
    ops: ALL,
    read: (text, op) => {
      const value = wholeNumber(text);
      return typeof value === 'object' ? value : { kind: 'tokens', op, value };
    }
  },
  id: {
    info: () => trans.__('The end of the cell id'),
    example: 'id:3f9c',
    ops: EQUAL,
    read: tail => (tail ? { kind: 'id', tail } : missing('id:3f9c'))
  },
  last: {
    info: () => trans.__('Only the last so many of what the rest matches'),
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

/** Read one condition from its parts. */
export function readField(
  name: string,
  operator: string,
  value: string
): Entry | IProblem {
  const op = (operator === ':' ? '=' : operator) as Comparison;
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (!field) {
    return unknownField(name, operator, op, value);
  }
  if (field.ops.includes(op)) {
    return field.read(value, op);
  }
  return {
    part: 'op',
    message: trans.__(
      '%1 is compared with %2, as in %3.',
      name,
      field.ops.map(shown).join(' '),
      field.example
    ),
    suggestion: shown(field.ops[0])
  };
}

function unknownField(
  name: string,
  operator: string,
  op: Comparison,
  value: string
): IProblem {
  const message = trans.__('There is no field “%1”.', name);
  const fitting = FIELD_NAMES.filter(
    known =>
      FIELDS[known].ops.includes(op) &&
      !isProblem(FIELDS[known].read(value, op))
  );
  const found = nearest(name, fitting) ?? nearest(name, FIELD_NAMES);
  // With < or > it is hardly meant as text, so even a distant field is the better guess.
  const near = Math.min(2, name.length - 1);
  if (found && (found.distance <= near || (op !== '=' && fitting.length > 0))) {
    return { part: 'field', message, suggestion: found.word };
  }
  return {
    part: 'all',
    message: trans.__('%1 Put text in quotes.', message),
    suggestion: quote(name + operator + value)
  };
}

function shown(op: Comparison): string {
  return op === '=' ? ':' : op;
}
