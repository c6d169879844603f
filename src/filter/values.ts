import { trans } from '../base/words';
import { dayStart } from './dates';
import { nearest } from './nearest';
import {
  UNITS,
  type Comparison,
  type Side,
  type Term,
  type Unit
} from './query';
import { quoteValue } from './quote';
import { normaliseTopic, topicProblem } from './topics';

/** What a field sets: a condition, or how many pairs to keep. */
export type Entry = Term | { kind: 'last'; count: number };

/** Why a filter is invalid, which part of it is wrong, and a replacement. */
export interface IProblem {
  part: 'field' | 'op' | 'value' | 'all';
  message: string;
  suggestion?: string;
}

export function isProblem(result: Entry | IProblem): result is IProblem {
  return 'part' in result;
}

/** Read a topic path, with or without wildcards; empty means no topic. */
export function readTopic(glob: string): Entry | IProblem {
  const problem = topicProblem(glob.replaceAll('*', '_'));
  if (!problem) {
    return { kind: 'topic', glob };
  }
  return problem.suggestion
    ? wrong(problem.message, quoteValue(normaliseTopic(glob)))
    : wrong(problem.message);
}

/** Read a text to search for. */
export function readText(text: string, side: Side): Entry | IProblem {
  return text
    ? { kind: 'text', side, text }
    : wrong(trans.__('There is no text here.'));
}

/** Read a number and a unit. */
export function readAge(text: string, op: Comparison): Entry | IProblem {
  const match = /^(\d{1,9}) ?(\p{L}*)$/u.exec(text);
  if (!match) {
    return wrong(
      trans.__(
        'An age is a whole number and a unit (min h d w mo y), as in age<7d.'
      ),
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
      ? trans.__('“m” could be minutes (min) or months (mo).')
      : written
        ? trans.__('There is no unit “%1”: min h d w mo y.', written)
        : trans.__('The unit is missing: min h d w mo y.'),
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

/** Read a day or a range of days. */
export function readDate(text: string, op: Comparison): Entry | IProblem {
  const range = /^(.*?)\.\.(.*)$/s.exec(text);
  if (!range) {
    return dateProblem(text) ?? { kind: 'date', op, date: text };
  }
  const [, from, to] = range;
  if (op !== '=') {
    return {
      part: 'op',
      message: trans.__('A range of days is written with a colon.'),
      suggestion: ':'
    };
  }
  if (!from || !to) {
    const open = from ? `date>=${from}` : `date<=${to}`;
    const problem = wrong(
      trans.__(
        'A range needs its first and its last day; one end alone is written with <= or >=.'
      )
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
    : wrong(trans.__('The range ends before it begins.'), `${to}..${from}`);
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
      ? trans.__('There is no day %1.', text)
      : trans.__('A day is written as year-month-day, as in 2026-11-01.'),
    tidy && !Number.isNaN(dayStart(tidy)) ? tidy : undefined
  );
}

/** Read a whole number. */
export function wholeNumber(text: string): number | IProblem {
  if (/^\d{1,9}$/.test(text)) {
    return Number(text);
  }
  const thousands = /^(\d{1,5}(?:\.\d+)?)k$/i.exec(text);
  return wrong(
    trans.__('This takes a whole number of at most nine digits.'),
    thousands ? String(Math.round(Number(thousands[1]) * 1000)) : undefined
  );
}

/** Read one of the known words. */
export function oneOf<T extends string>(
  text: string,
  known: readonly T[],
  what: string
): T | IProblem {
  return (
    known.find(word => word === text) ??
    wrong(
      text
        ? trans.__('There is no %1 “%2”: %3.', what, text, known.join(' '))
        : trans.__('The %1 is missing: %2.', what, known.join(' ')),
      nearest(text, known)?.word
    )
  );
}

/** The problem that a value is missing. */
export function missing(example: string): IProblem {
  return wrong(trans.__('A value is missing, as in %1.', example));
}

/** The problem that a value is not understood. */
export function wrong(message: string, suggestion?: string): IProblem {
  return suggestion
    ? { part: 'value', message, suggestion }
    : { part: 'value', message };
}
