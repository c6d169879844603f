import type { SyntaxNode } from '@lezer/common';

import { trans } from '../base/words';
import { diagnose, type IFilterError } from './diagnose';
import { readField } from './fields';
import { parser } from './parser';
import * as terms from './parser.terms';
import type { Expression, Query } from './query';
import { quote, unquote } from './quote';
import { isProblem, type Entry } from './values';

/** The query that a text means, or its first error. */
export type Parsed = { query: Query } | { error: IFilterError };

/** The longest filter, in characters; beyond 2,800 levels the parser would truncate the tree. */
export const MAX_LENGTH = 2000;

/** How deep parentheses and negations may be nested. */
export const MAX_DEPTH = 100;

/** Parse a filter; any text gives either a query or an error with its position. */
export function parse(text: string): Parsed {
  if (text.length > MAX_LENGTH) {
    const message = trans.__('A filter has at most %1 characters.', MAX_LENGTH);
    return { error: { from: MAX_LENGTH, to: text.length, message } };
  }
  const tree = parser.parse(text);
  const error = diagnose(text, tree);
  return error ? { error } : new Reader(text).query(tree.topNode);
}

/** Turn a syntactically valid tree into a query, or into the first semantic error. */
class Reader {
  constructor(text: string) {
    this._text = text;
  }

  query(top: SyntaxNode): Parsed {
    const root = top.firstChild;
    const items = root?.type.id === terms.And ? children(root) : [root];
    if (root?.type.id === terms.And) {
      this._checkSpaces(items as SyntaxNode[]);
    }
    const query: Query = { where: null, last: null };
    const where: Expression[] = [];
    for (const node of items) {
      const entry = node ? this._entry(node, 0) : null;
      if (entry?.kind !== 'last') {
        where.push(...(entry ? [entry] : []));
      } else if (query.last === null) {
        query.last = entry.count;
      } else {
        const message = trans.__('Use last: only once.');
        this._fail({ from: node!.from, to: node!.to, message, suggestion: '' });
      }
    }
    query.where =
      where.length > 1 ? { kind: 'and', of: where } : (where[0] ?? null);
    return this._error ? { error: this._error } : { query };
  }

  private _entry(node: SyntaxNode, depth: number): Entry | Expression | null {
    return node.type.id === terms.Filter
      ? this._filter(node)
      : this._expression(node, depth);
  }

  private _expression(node: SyntaxNode, depth: number): Expression | null {
    const { from, to } = node;
    if (depth > MAX_DEPTH) {
      const message = trans.__(
        'Filters are nested at most %1 deep.',
        MAX_DEPTH
      );
      return this._fail({ from, to, message });
    }
    switch (node.type.id) {
      case terms.Or:
      case terms.And: {
        const members = children(node).filter(
          child => child.type.id !== terms.OrWord
        );
        const kind = node.type.id === terms.Or ? 'or' : 'and';
        if (kind === 'and') {
          this._checkSpaces(members);
        }
        const of = members.map(child => this._expression(child, depth + 1));
        return of.every(member => member !== null) ? { kind, of } : null;
      }
      case terms.Not: {
        const sign = node.firstChild!;
        const inner = node.lastChild!;
        if (sign.type.id === terms.Minus && sign.to < inner.from) {
          return this._fail({
            from: sign.from,
            to: inner.from,
            message: trans.__(
              'No space may follow the minus. Put text in quotes.'
            ),
            suggestion: '-'
          });
        }
        const of = this._expression(inner, depth + 1);
        return of && { kind: 'not', of };
      }
      case terms.Group:
        return this._expression(node.getChild('(')!.nextSibling!, depth + 1);
      case terms.Filter: {
        const entry = this._filter(node);
        if (entry?.kind === 'last') {
          return this._fail({
            from,
            to,
            message: trans.__(
              'last: must be outside of OR, NOT and parentheses, as in (a OR b) last:20.'
            )
          });
        }
        return entry;
      }
      case terms.Quoted:
        return this._words(node, unquote(this._slice(node)));
      default:
        return this._words(node, this._slice(node));
    }
  }

  private _words({ from, to }: SyntaxNode, text: string): Expression | null {
    if (!text) {
      const message = trans.__('There is nothing between these quotes.');
      return this._fail({ from, to, message, suggestion: '' });
    }
    if (this._text.slice(from, to) === 'AND') {
      return this._fail({
        from,
        to: to + /^\s*/.exec(this._text.slice(to))![0].length,
        message: trans.__(
          'A space means AND already. Put the word itself in quotes.'
        ),
        suggestion: ''
      });
    }
    return { kind: 'text', side: 'both', text };
  }

  private _filter(node: SyntaxNode): Entry | null {
    const [field, op, value] = children(node);
    const [name, operator, raw] = [field, op, value].map(part =>
      this._slice(part)
    );
    if (field.to < op.from || op.to < value.from) {
      return this._fail({
        from: node.from,
        to: node.to,
        message: trans.__('Remove the spaces around %1.', operator),
        suggestion: name + operator + raw
      });
    }
    const quoted = value.type.id === terms.Quoted;
    const entry = readField(name, operator, quoted ? unquote(raw) : raw);
    if (!isProblem(entry)) {
      return entry;
    }
    const { part, ...problem } = entry;
    const { from, to } = { field, op, value, all: node }[part];
    return this._fail({ from, to, ...problem });
  }

  /** `foo(bar)` would mean foo and bar, which is rarely intended. */
  private _checkSpaces(members: readonly SyntaxNode[]): void {
    members.slice(1).forEach((next, index) => {
      const previous = members[index];
      if (previous.to === next.from) {
        const before = this._slice(previous);
        const after = this._slice(next);
        const call = previous.type.id === terms.Word && !after.includes('"');
        this._fail({
          from: previous.from,
          to: next.to,
          message: trans.__('A space is missing here; put text in quotes.'),
          suggestion: call ? quote(before + after) : `${before} ${after}`
        });
      }
    });
  }

  private _slice({ from, to }: SyntaxNode): string {
    return this._text.slice(from, to);
  }

  private _fail(error: IFilterError): null {
    this._error ??= error;
    return null;
  }

  private _error: IFilterError | null = null;
  private _text: string;
}

function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    found.push(child);
  }
  return found;
}
