import type { Tree } from '@lezer/common';

import { trans } from '../base/words';
import { FIELDS } from './fields';
import { quote, unquote } from './quote';

/**
 * Why a text is not a filter: where, what to do, and a replacement for that range if one is known.
 */
export interface IFilterError {
  from: number;
  to: number;
  message: string;
  suggestion?: string;
}

/** Replace the faulty range of a text by the error's suggestion. */
export function accept(text: string, error: IFilterError): string {
  return error.suggestion === undefined
    ? text
    : text.slice(0, error.from) + error.suggestion + text.slice(error.to);
}

/** Explain the first syntax error; null if there is none. */
export function diagnose(text: string, tree: Tree): IFilterError | null {
  const place = firstError(tree);
  if (place === null) {
    return null;
  }
  const at = place + /^\s*/.exec(text.slice(place))![0].length;
  const rest = text.slice(at);
  if (rest.startsWith('"')) {
    return openQuote(text, at);
  }
  if (/^OR(?![^\s()"])/.test(rest)) {
    const message = trans.__('OR needs something on both sides.');
    return { from: at, to: at + 2, message, suggestion: '' };
  }
  return (
    afterPrevious(text, at) ??
    atNext(text, at) ?? {
      from: at,
      to: Math.max(at + 1, at + /^\S*/.exec(rest)![0].length),
      message: trans.__('This is not understood. Put text in quotes.')
    }
  );
}

function firstError(tree: Tree): number | null {
  let first: number | null = null;
  tree.iterate({
    enter: node => {
      if (node.type.isError && (first === null || node.from < first)) {
        first = node.from;
      }
    }
  });
  return first;
}

function openQuote(text: string, at: number): IFilterError {
  const message = trans.__('This quote is not closed.');
  const content = unquote(`${text.slice(at)}"`).trimEnd();
  const place = { from: at, to: text.length, message };
  return content ? { ...place, suggestion: quote(content) } : place;
}

/** An error in what comes before the position: something must follow it. */
function afterPrevious(text: string, at: number): IFilterError | null {
  const head = text.slice(0, at);
  const filter = /([^\s()":=<>]+)\s*([:=<>]=?)\s*$/.exec(head);
  if (filter) {
    const example = FIELDS[filter[1]]?.example ?? 'topic:ml/nlp';
    return {
      from: filter.index,
      to: at,
      message: trans.__(
        'A value must follow %1%2, as in %3; put several words in quotes.',
        filter[1],
        filter[2],
        example
      )
    };
  }
  const sign = /(?:(?<![^\s()"-])(OR|NOT)|(-))\s*$/.exec(head);
  if (sign) {
    const message = trans.__('Something must follow %1.', sign[1] ?? sign[2]);
    return { from: sign.index, to: at, message, suggestion: '' };
  }
  const open = /\(\s*$/.exec(head);
  if (open && text[at] === ')') {
    const message = trans.__('There is nothing between these parentheses.');
    return { from: open.index, to: at + 1, message, suggestion: '' };
  }
  return null;
}

/** An error at the position: nothing before it allows it. */
function atNext(text: string, at: number): IFilterError | null {
  if (at >= text.length) {
    const from = openParenthesis(text);
    const place = {
      from,
      to: text.length,
      message: trans.__('A ) is missing.')
    };
    const inside = text.slice(from);
    return /^[(\s]*$/.test(inside)
      ? place
      : { ...place, suggestion: `${inside.trimEnd()})` };
  }
  if (text[at] === ')') {
    const message = trans.__('This ) has no ( before it.');
    return { from: at, to: at + 1, message, suggestion: '' };
  }
  const op = /^[<>]?[:=<>]/.exec(text.slice(at));
  if (op) {
    return {
      from: at,
      to: at + op[0].length,
      message: trans.__(
        'Put a field before %1, as in star>=2. Put text in quotes.',
        op[0]
      )
    };
  }
  return null;
}

/** Where the innermost unclosed parenthesis is. */
function openParenthesis(text: string): number {
  const open: number[] = [];
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[()]/gs)) {
    if (token === '(') {
      open.push(index);
    } else if (token === ')') {
      open.pop();
    }
  }
  return open.at(-1) ?? 0;
}
