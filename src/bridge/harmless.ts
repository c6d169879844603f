/** Markdown of a reply that requests nothing when a notebook shows it. */
import { findSpans } from '../render/formulas';

/**
 * Markdown that requests nothing when it is shown: images become links, tags become text, except
 * plain ones, and diagrams become code.
 *
 * This holds for code and formulas within lines, too, because another parser may not take them for
 * such. They are only written in another way, so that they look as they did.
 */
export function harmless(markdown: string): string {
  let text = '';
  let from = 0;
  for (const span of findSpans(markdown)) {
    const { start, end } = span;
    const raw = markdown.slice(start, end);
    text += harmlessText(markdown.slice(from, start));
    text +=
      span.kind === 'code'
        ? harmlessCode(raw, span.text)
        : harmlessText(spaced(raw));
    from = end;
  }
  text += harmlessText(markdown.slice(from));
  // Again, because what is code within a line here may be the start of a block elsewhere.
  return text.replace(DIAGRAM, '$1text');
}

/** A text as HTML in which no character is a mark of Markdown or of a formula. */
export function asCharacters(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, mark => `&#${mark.charCodeAt(0)};`);
}

/** A code block's language, under which JupyterLab shows it as code and draws nothing. */
export function notDrawn(language: string): string {
  return /^mermaid$/i.test(language) ? 'text' : language;
}

/** Code within a line, in which no character is a mark if one of them would do harm elsewhere. */
function harmlessCode(raw: string, code: string): string {
  const text = harmlessText(raw);
  if (text === raw || code.includes('\n')) {
    return text;
  }
  const isPadded = /^ [^]* $/.test(code) && code.trim() !== '';
  const inner = isPadded ? code.slice(1, -1) : code;
  return `<code>${asCharacters(inner)}</code>`;
}

/** A formula in which nothing begins an image or a tag. */
function spaced(formula: string): string {
  return formula.replace(/!(?=\[)|<(?=[a-z/!?])/gi, '$& ');
}

function harmlessText(text: string): string {
  return (
    text
      // A page drops it, and joins what is beside it.
      .replaceAll('\0', '\ufffd')
      .replace(ENTITY, entity =>
        hidesWord(entity) ? `&amp;${entity.slice(1)}` : entity
      )
      .replace(IMAGE, (marks: string, data?: string) =>
        data || !marks.endsWith('[') ? marks : '['
      )
      .replace(/<(?=[a-z/!?])/gi, (open, at: number, whole: string) =>
        isPlain(whole, at) ? open : '&lt;'
      )
      .replace(STYLE, '$1&#61;')
      .replace(MACRO, '$& ')
      .replace(DIAGRAM, '$1text')
  );
}

/** Images; one with a data URL has its picture within it. */
const IMAGE =
  /(!*!\[[^[\]\\`$\n]*\]\(data:image\/(?:png|jpeg|gif|webp);base64,[a-z\d+/=]*\))|!+\[?/gi;

/** JupyterLab puts formulas into its HTML as they are, also where they end an attribute. */
const STYLE = /(style\s*)=/gi;

/** What MathJax takes styles from, of which JupyterLab keeps a cursor with an address. */
const MACRO = /\\(?=(?:style|bbox|fcolorbox|mmlToken)(?![a-z]))/gi;

/** The start of a code block that JupyterLab draws. */
const DIAGRAM = /([`~]{3}[^\S\n]*)mermaid(?!\S)/gi;

const ENTITY = /&(?:#(?:\d+|x[\da-f]+)|bsol)/gi;

/** Whether an entity is a letter or a backslash, which would hide a macro’s name. */
function hidesWord(entity: string): boolean {
  const [, hex, digits] = /^&#(x?)(.+)$/i.exec(entity) ?? [];
  const code = parseInt(digits, hex ? 16 : 10);
  return !digits || (code < 128 && /[a-z\\]/i.test(String.fromCharCode(code)));
}

/** Whether a tag is a plain one, or an address in angle brackets. */
function isPlain(text: string, at: number): boolean {
  return (
    PLAIN_TAG.test(text.slice(at, at + MAX_TAG)) &&
    // A page drops tags that are out of place, which would complete a macro's name.
    !/\\[a-z]*$/i.test(text.slice(Math.max(0, at - MAX_NAME), at))
  );
}

const MAX_TAG = 400;

const MAX_NAME = 12;

/**
 * Tags without attributes, and addresses. None of them lasts beyond an empty line, as `<pre>` would,
 * nor beyond its own, where the mark of a quote could be its end.
 */
const PLAIN_TAG =
  /^<(?:\/?(?:b|blockquote|br|code|dd|del|details|div|dl|dt|em|h[1-6]|hr|i|kbd|li|mark|ol|p|s|small|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|u|ul)[ \t]*\/?|(?:https?:\/\/|mailto:)[^\s<>]*)>/i;
