/** The code blocks of Markdown, as it is written. */
import { Lexer, type Token, type Tokens } from 'marked';

import { sliceMarkdown } from '../render/slices';

/** A code block as a text has it. */
export interface ICodeText {
  /** The first word after the fence, such as `python`; empty if there is none. */
  language: string;
  text: string;
}

/**
 * All code blocks, in order; those of lists and quotes too.
 *
 * They are found as the chat renders: in slices, and without those that would block the page.
 */
export function codeTexts(markdown: string): ICodeText[] {
  return sliceMarkdown(markdown).flatMap(({ text, isHeavy }) =>
    isHeavy ? [] : codeIn(tokensOf(text))
  );
}

/** The tokens of Markdown, as JupyterLab's parser sees them. */
export function tokensOf(markdown: string): Token[] {
  return new Lexer({ gfm: true }).blockTokens(
    markdown.replace(/\r\n|\r/g, '\n'),
    []
  );
}

/** A code token's block. */
export function codeOf(token: Tokens.Code): ICodeText {
  const language = /^\S*/.exec(token.lang ?? '')?.[0] ?? '';
  return { language, text: token.text };
}

/** Whether a token is a code block. */
export function isCode(token: Token): token is Tokens.Code {
  return token.type === 'code';
}

/** The tokens within a token, if it is a list, an item or a quote. */
export function childrenOf(token: Token): Token[] {
  const { items, tokens } = token as Partial<Tokens.List & Tokens.Blockquote>;
  return items ?? (token.type === 'paragraph' ? [] : (tokens ?? []));
}

/**
 * Which block of a text each shown block is; null for one that is not found, such as one that the
 * reply wrote in HTML.
 */
export function matchBlocks(
  shown: readonly string[],
  blocks: readonly ICodeText[]
): (ICodeText | null)[] {
  const texts = blocks.map(({ text }) => comparable(text));
  let next = 0;
  return shown.map(text => {
    const place = texts.indexOf(comparable(text), next);
    if (place === -1) {
      return null;
    }
    next = place + 1;
    return blocks[place];
  });
}

/** A text without the line ends after it. */
export function withoutLineEnds(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') {
    end--;
  }
  return text.slice(0, end);
}

function codeIn(tokens: readonly Token[]): ICodeText[] {
  return tokens.flatMap(token =>
    isCode(token) ? [codeOf(token)] : codeIn(childrenOf(token))
  );
}

/** A page cannot show NUL, and a block ends with a line end there. */
function comparable(text: string): string {
  return withoutLineEnds(text.replace(/[\0\ufffd\r]/g, ''));
}
