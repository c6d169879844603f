import { before, dayStart } from './dates';
import { nameGlob, topicGlob } from './glob';
import type { Comparison, Content, Expression, Flag, Side } from './query';

/** A cell of a chat as a filter sees it. */
export interface IFilterPair {
  id: string;
  kind: 'pair' | 'system' | 'note';
  /** The topic path; empty for none. */
  topic: string;
  /** `provider/model` or a bare model; empty before the first send. */
  model: string;
  /** The models of other replies that were asked for with this one. */
  otherModels: readonly string[];
  star: number;
  /** The user's in/out mark. */
  in: boolean;
  state: 'idle' | 'sending' | 'awaiting' | 'succeeded' | 'error' | 'canceled';
  edited: boolean;
  /** Not yet looked at in this browser. */
  isNew: boolean;
  user: string;
  reply: string;
  hasTool: boolean;
  hasCode: boolean;
  hasImage: boolean;
  /** Whether a part of it is kept out of what is sent. */
  hasUnsent: boolean;
  /** How many earlier versions there are. */
  versions: number;
  /** Milliseconds since 1970; NaN when unknown, and then no time matches. */
  createdAt: number;
  tokens: number;
}

/** Whether a pair matches. */
export type Predicate = (pair: IFilterPair) => boolean;

/** Compile a predicate for one query and one moment; without an expression, every pair matches. */
export function compile(expression: Expression | null, now: number): Predicate {
  if (!expression) {
    return () => true;
  }
  switch (expression.kind) {
    case 'or':
      return joined(expression.of, now, true);
    case 'and':
      return joined(expression.of, now, false);
    case 'not': {
      const matches = compile(expression.of, now);
      return pair => !matches(pair);
    }
    case 'text':
      return textTest(expression.text, expression.side);
    case 'topic': {
      const matches = remembered(topicGlob(expression.glob));
      return pair => matches(pair.topic);
    }
    case 'model': {
      const glob = nameGlob(expression.glob);
      const matches = remembered(
        model => glob(model) || glob(model.slice(model.indexOf('/') + 1))
      );
      return pair =>
        (pair.model !== '' && matches(pair.model)) ||
        pair.otherModels.some(matches);
    }
    case 'star': {
      const matches = comparison(expression.op, expression.value);
      return pair => matches(pair.star);
    }
    case 'tokens': {
      const matches = comparison(expression.op, expression.value);
      return pair => matches(pair.tokens);
    }
    case 'is':
      return FLAG_TESTS[expression.flag];
    case 'has':
      return CONTENT_TESTS[expression.content];
    case 'age': {
      const moment = before(now, expression.amount, expression.unit);
      const matches = comparison(MIRRORED[expression.op], moment);
      return pair => matches(pair.createdAt);
    }
    case 'date':
      return dateTest(expression.op, expression.date);
    case 'dates': {
      const from = dayStart(expression.from);
      const end = dayStart(expression.to, 1);
      return ({ createdAt }) => createdAt >= from && createdAt < end;
    }
    case 'id': {
      const tail = expression.tail.toLowerCase();
      return pair => pair.id.toLowerCase().endsWith(tail);
    }
  }
}

/** Evaluate members until one decides; those that search texts come last. */
function joined(
  of: readonly Expression[],
  now: number,
  decisive: boolean
): Predicate {
  const members = [...of]
    .sort((a, b) => Number(readsText(a)) - Number(readsText(b)))
    .map(member => compile(member, now));
  return pair => {
    for (const matches of members) {
      if (matches(pair) === decisive) {
        return decisive;
      }
    }
    return !decisive;
  };
}

function readsText(expression: Expression): boolean {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return expression.of.some(readsText);
    case 'not':
      return readsText(expression.of);
    default:
      return expression.kind === 'text';
  }
}

const FLAG_TESTS: Record<Flag, Predicate> = {
  in: pair => pair.in,
  out: pair => !pair.in,
  error: pair => pair.state === 'error',
  edited: pair => pair.edited,
  stopped: pair => pair.state === 'canceled',
  pending: pair => pair.state === 'sending' || pair.state === 'awaiting',
  new: pair => pair.isNew,
  system: pair => pair.kind === 'system'
};

const CONTENT_TESTS: Record<Content, Predicate> = {
  tool: pair => pair.hasTool,
  code: pair => pair.hasCode,
  image: pair => pair.hasImage,
  unsent: pair => pair.hasUnsent,
  versions: pair => pair.versions > 0,
  siblings: pair => pair.otherModels.length > 0
};

/** A greater age means an earlier time. */
const MIRRORED: Record<Comparison, Comparison> = {
  '=': '=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<='
};

function comparison(op: Comparison, value: number): (other: number) => boolean {
  switch (op) {
    case '=':
      return other => other === value;
    case '<':
      return other => other < value;
    case '<=':
      return other => other <= value;
    case '>':
      return other => other > value;
    case '>=':
      return other => other >= value;
  }
}

function dateTest(op: Comparison, date: string): Predicate {
  const start = dayStart(date);
  const end = dayStart(date, 1);
  switch (op) {
    case '=':
      return ({ createdAt }) => createdAt >= start && createdAt < end;
    case '<':
      return ({ createdAt }) => createdAt < start;
    case '<=':
      return ({ createdAt }) => createdAt < end;
    case '>':
      return ({ createdAt }) => createdAt >= end;
    case '>=':
      return ({ createdAt }) => createdAt >= start;
  }
}

function textTest(text: string, side: Side): Predicate {
  const wanted = text.toLowerCase();
  switch (side) {
    case 'both':
      return pair =>
        LOWER_USER.of(pair, pair.user).includes(wanted) ||
        LOWER_REPLY.of(pair, pair.reply).includes(wanted);
    case 'user':
      return pair => LOWER_USER.of(pair, pair.user).includes(wanted);
    case 'reply':
      return pair => LOWER_REPLY.of(pair, pair.reply).includes(wanted);
  }
}

/** Cache lowercased texts until they change. */
class Lowered {
  of(pair: IFilterPair, text: string): string {
    let found = this._known.get(pair);
    if (!found || found.text !== text) {
      found = { text, lower: text.toLowerCase() };
      this._known.set(pair, found);
    }
    return found.lower;
  }

  private _known = new WeakMap<IFilterPair, { text: string; lower: string }>();
}

const LOWER_USER = new Lowered();
const LOWER_REPLY = new Lowered();

/** Cache results: a chat has few topics and models, but many pairs. */
function remembered(
  test: (text: string) => boolean
): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return text => {
    let result = known.get(text);
    if (result === undefined) {
      result = test(text);
      known.set(text, result);
    }
    return result;
  };
}
