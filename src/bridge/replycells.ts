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
import { asCharacters, harmless, notDrawn } from './harmless';
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
  return partsOf(markdown).map((part): IReplyCell => {
    if (typeof part === 'string') {
      return { type: 'markdown', source: part };
    }
    const isOwn =
      language !== null &&
      (!language || languageName(part.language) === languageName(language));
    return isOwn
      ? { type: 'code', source: part.text }
      : { type: 'markdown', source: fenced(part) };
  });
}

/** Markdown of a reply as one Markdown cell, in which nothing loads either. */
export function markdownCell(markdown: string): string {
  const parts = partsOf(markdown);
  return areRead(parts)
    ? markdownOf(parts)
    : markdownOf(parts, code =>
        isHarmless(code) ? fenced(code) : preformatted(code)
      );
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

/** The parts of a reply, in order: prose in which nothing loads, and code as it is. */
function partsOf(markdown: string): (string | ICodeText)[] {
  const parts: (string | ICodeText)[] = [];
  let prose = '';
  const flush = () => {
    const source = harmless(prose)
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd();
    prose = '';
    if (source) {
      parts.push(source);
    }
  };
  for (const piece of piecesOf(markdown)) {
    if (typeof piece === 'string') {
      prose += piece;
    } else {
      flush();
      parts.push(piece);
    }
  }
  flush();
  return parts;
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

function markdownOf(
  parts: readonly (string | ICodeText)[],
  write = fenced
): string {
  return parts
    .map(part => (typeof part === 'string' ? part : write(part)))
    .join(BETWEEN);
}

const BETWEEN = '\n\n';

/**
 * Whether JupyterLab’s parser finds each code where it is among the parts.
 *
 * It may be within something that begins in the prose, such as a fence or the title of an address.
 * With formulas in the prose the parser gets another text, and too much text is not tried.
 */
function areRead(parts: readonly (string | ICodeText)[]): boolean {
  const markdown = markdownOf(parts);
  if (
    parts.some(part => typeof part === 'string' && FORMULA.test(part)) ||
    sliceMarkdown(markdown).some(({ isHeavy }) => isHeavy)
  ) {
    return false;
  }
  const found = new Map<number, string>();
  let end = 0;
  for (const token of tokensOf(markdown)) {
    if (isCode(token)) {
      found.set(end, withoutLineEnds(token.raw));
    }
    end += token.raw.length;
  }
  let start = 0;
  return parts.every(part => {
    const text = markdownOf([part]);
    const isRead = typeof part === 'string' || found.get(start) === text;
    start += text.length + BETWEEN.length;
    return isRead;
  });
}

/** What may begin a formula for JupyterLab. */
const FORMULA = /\$|\\begin|\\\\[([]/i;

/** Code as Markdown, in a fence that it does not end. */
function fenced({ language, text }: ICodeText): string {
  const runs = (text.match(/`{3,}/g) ?? []).map(run => run.length);
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  const info = /^[\w+#.-]{1,40}$/.test(language) ? notDrawn(language) : 'text';
  return `${fence}${info}\n${text}\n${fence}`;
}

/** Whether code loads nothing even where it is read as prose. */
function isHarmless(code: ICodeText): boolean {
  const text = fenced(code);
  return harmless(text) === text;
}

/** Code as HTML, in which nothing loads wherever it is. */
function preformatted({ text }: ICodeText): string {
  return `<pre><code>${asCharacters(text)}</code></pre>`;
}
