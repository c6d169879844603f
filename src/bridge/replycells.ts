/** A reply's Markdown as cells of a notebook. */
import type { Token, Tokens } from 'marked';

import { sliceMarkdown } from '../render/slices';
import {
  childrenOf,
  codeOf,
  isCode,
  tokensOf,
  withoutLineEnds,
  type ICodeText
} from './codetexts';
import { harmless, notDrawn } from './harmless';
import { languageName } from './kernels';

/** A piece of a reply. */
export interface IReplyCell {
  type: 'code' | 'markdown';
  source: string;
}

/**
 * A reply as cells: code in the notebook's language as code, everything else as Markdown.
 *
 * Code of other languages stays in Markdown, where nobody runs it by mistake. In the Markdown
 * nothing loads and no HTML is left, but for plain tags: JupyterLab would request the images of a
 * notebook as soon as it is opened.
 *
 * @param language - The notebook's language; empty if the reply names none, and all code is code;
 * null if none is.
 */
export function replyCells(
  markdown: string,
  language: string | null
): IReplyCell[] {
  const cells: IReplyCell[] = [];
  let prose = '';
  const flush = () => {
    const source = harmless(prose)
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd();
    prose = '';
    if (source) {
      cells.push({ type: 'markdown', source });
    }
  };
  for (const piece of piecesOf(markdown)) {
    if (typeof piece === 'string') {
      prose += piece;
      continue;
    }
    flush();
    const isOwn =
      language !== null &&
      (!language || languageName(piece.language) === languageName(language));
    cells.push(
      isOwn
        ? { type: 'code', source: piece.text }
        : { type: 'markdown', source: fenced(piece) }
    );
  }
  flush();
  return cells;
}

/** Markdown of a reply as one Markdown cell, in which nothing loads either. */
export function markdownCell(markdown: string): string {
  return replyCells(markdown, null)
    .map(({ source }) => source)
    .join('\n\n');
}

/**
 * The language of a notebook for these replies: of those that their code names, the one that a
 * kernel has, else the most frequent one; empty if none is named.
 *
 * @param known - The languages of the kernels.
 */
export function notebookLanguage(
  blocks: readonly ICodeText[],
  known: readonly string[]
): string {
  const counts = new Map<string, number>();
  for (const { language } of blocks) {
    const name = languageName(language);
    if (name) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const names = [...counts.keys()].sort(
    (a, b) => counts.get(b)! - counts.get(a)!
  );
  const kernels = known.map(name => name.toLowerCase());
  return names.find(name => kernels.includes(name)) ?? names[0] ?? '';
}

/** The pieces of Markdown, in order: prose as it is written, and code. */
function piecesOf(markdown: string): (string | ICodeText)[] {
  return sliceMarkdown(markdown).flatMap(({ text, isHeavy }) =>
    isHeavy ? [text] : tokensOf(text).flatMap(token => piecesIn(token))
  );
}

function piecesIn(token: Token): (string | ICodeText)[] {
  if (isCode(token)) {
    return [codeOf(token)];
  }
  if (!hasCode(token)) {
    return [token.raw];
  }
  if (token.type === 'list') {
    return (token as Tokens.List).items.flatMap(itemPieces);
  }
  return childrenOf(token).flatMap(piecesIn);
}

/** A list's item whose code is taken out: its first prose keeps the item's mark. */
function itemPieces(item: Tokens.ListItem): (string | ICodeText)[] {
  if (!hasCode(item)) {
    return [withLineEnd(item.raw)];
  }
  const mark = /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]*/.exec(item.raw)?.[0] ?? '';
  const pieces = item.tokens.flatMap(piecesIn);
  return typeof pieces[0] === 'string'
    ? [mark.trimStart() + withLineEnd(pieces[0]), ...pieces.slice(1)]
    : pieces;
}

function withLineEnd(text: string): string {
  return `${withoutLineEnds(text)}\n`;
}

function hasCode(token: Token): boolean {
  return isCode(token) || childrenOf(token).some(hasCode);
}

/**
 * Code as Markdown that can be nothing else: it does not end its fence, and its first line, which
 * always has a language, does not end that of a text before it.
 */
function fenced({ language, text }: ICodeText): string {
  const runs = (text.match(/`{3,}/g) ?? []).map(run => run.length);
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  const info = /^[\w+#.-]{1,40}$/.test(language) ? notDrawn(language) : 'text';
  return `${fence}${info}\n${text}\n${fence}`;
}
