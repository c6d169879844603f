import { findMath } from './formulas';

/**
 * The words of Markdown without its marks and formulas, for searching replies that are not drawn.
 *
 * Paragraphs are lines of their own and have no line breaks, as in what `pageText` reads from the
 * page. It is no parser: odd nesting may leave a mark in the text.
 */
export function readableText(source: string): string {
  const blocks: string[] = [];
  let paragraph: string[] = [];
  let fence = '';
  const close = () => {
    if (paragraph.length) {
      blocks.push(readableLine(paragraph.join(' ')));
      paragraph = [];
    }
  };
  for (const line of withoutMath(source).split(/\r\n?|\n/)) {
    const mark = FENCE.exec(line)?.[1] ?? '';
    if (fence) {
      if (mark.startsWith(fence) && line.trim() === mark) {
        fence = '';
      } else {
        blocks.push(line);
      }
      continue;
    }
    if (mark) {
      close();
      fence = mark;
      continue;
    }
    const text = line.replace(QUOTE, '');
    if (!text.trim() || RULE.test(text.trim()) || DEFINITION.test(text)) {
      close();
      continue;
    }
    const rest = text.replace(ITEM, '');
    if (rest !== text || HEADING.test(text)) {
      close();
    }
    if (HEADING.test(rest)) {
      blocks.push(readableLine(withoutClosing(rest.replace(HEADING, ''))));
    } else if (/^\s*\|/.test(rest)) {
      close();
      const cells = rest.trim().replace(/^\||\|$/g, '');
      blocks.push(...cells.split(/(?<!\\)\|/).map(readableLine));
    } else {
      paragraph.push(rest.trim());
    }
  }
  close();
  return blocks.filter(text => text.trim()).join('\n');
}

/** A heading of Markdown. */
export interface IHeading {
  level: number;
  /** Its words and, as far as it has formulas, their TeX. */
  text: string;
  /** Its words only, as `pageText` reads them from the page. */
  words: string;
}

/** The headings of Markdown that are lines with `#`, in order. */
export function headingsOf(source: string): IHeading[] {
  const found: IHeading[] = [];
  if (!source.includes('#')) {
    return found;
  }
  let fence = '';
  for (const line of source.split(/\r\n?|\n/)) {
    const mark = FENCE.exec(line)?.[1] ?? '';
    if (fence) {
      fence = mark.startsWith(fence) && line.trim() === mark ? '' : fence;
    } else if (mark) {
      fence = mark;
    } else if (/^ {0,3}#{1,6}\s/.test(line)) {
      const [, marks, rest] = /^ {0,3}(#+)(.*)$/.exec(line)!;
      const title = withoutClosing(rest);
      const text = readableLine(withoutMath(title, bareTex));
      if (text) {
        const words = readableLine(withoutMath(title));
        found.push({ level: marks.length, text, words });
      }
    }
  }
  return found;
}

const FENCE = /^\s*(?:>\s?)*(`{3,}(?=[^`]*$)|~{3,})/;
const QUOTE = /^(\s{0,3}>\s?)+/;
/**
 * A rule, the line below a heading, or the line between the head and the body of a table; without
 * spaces around it. No character of it can be read in two ways, so that long lines take no longer.
 */
const RULE = /^(?:=+|[-*_](?:\s*[-*_])+|\|?[\s:]*-[\s:-]*(?:\|[\s:-]*)+)$/;
const DEFINITION = /^ {0,3}\[[^\]]+\]:\s*\S/;
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/;
const HEADING = /^\s{0,3}#{1,6}\s+/;

/** A heading without the marks that may close it. */
function withoutClosing(title: string): string {
  const whole = title.trimEnd();
  let end = whole.length;
  while (whole[end - 1] === '#') {
    end--;
  }
  const words = whole.slice(0, end).trimEnd();
  return end < whole.length && words.length < end ? words : title;
}

/** The text of a line, without its marks. */
export function readableLine(line: string): string {
  if (line.length > MAX_LINE) {
    return line.trim();
  }
  // What is code or escaped must not be taken for a mark.
  const kept: string[] = [];
  const keep = (text: string) =>
    String.fromCharCode(KEPT + kept.push(text) - 1);
  let text = line
    .replace(/(`+)([^`]|[^`].*?[^`])\1(?!`)/g, (_, _mark, code: string) =>
      keep(code.replace(/^ (.*\S.*) $/, '$1'))
    )
    .replace(/\\([!-/:-@[-`{-~])/g, (_, char: string) => keep(char))
    .replace(/<((?:https?|ftp|mailto):[^\s>]*)>/gi, (_, url: string) =>
      keep(url)
    )
    .replace(/<!--.*?-->|<\/?[a-z][^>]*>/gi, '')
    .replace(/!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])/g, '')
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/(\*{1,3}|~~)(?=\S)(.*?\S)\1/g, '$2')
    .replace(
      /(?<![\p{L}\p{N}_])(_{1,3})(?=\S)(.*?\S)\1(?![\p{L}\p{N}_])/gu,
      '$2'
    )
    // Marks may be inside of others.
    .replace(/(\*{1,2})(?=\S)(.*?\S)\1/g, '$2')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, entity);
  if (kept.length) {
    text = text.replace(
      PLACES,
      place => kept[place.charCodeAt(0) - KEPT] ?? place
    );
  }
  return text.trim();
}

/** The longest paragraph whose marks are looked for; that takes longer than linear time. */
const MAX_LINE = 5000;

/** The first of the private characters that stand for what is kept; a line has fewer. */
const KEPT = 0xe200;
const PLACES = /[\ue200-\uf587]/g;

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0'
};

function entity(
  all: string,
  decimal?: string,
  hex?: string,
  name?: string
): string {
  const code = decimal ? Number(decimal) : hex ? parseInt(hex, 16) : 0;
  return code > 0 && code <= 0x10ffff
    ? String.fromCodePoint(code)
    : (ENTITIES[name ?? ''] ?? all);
}

/** Markdown with something else, or nothing, in the place of its formulas. */
function withoutMath(source: string, instead = (_tex: string) => ''): string {
  let text = '';
  let from = 0;
  for (const { start, end } of findMath(source)) {
    text += source.slice(from, start) + instead(source.slice(start, end));
    from = end;
  }
  return text + source.slice(from);
}

/** A formula without its delimiters, as code, in which nothing is a mark. */
function bareTex(formula: string): string {
  const tex = formula
    .replace(/^(?:\${1,2}|\\{1,2}[([])|(?:\${1,2}|\\{1,2}[)\]])$/g, '')
    .trim();
  return `\`\`\`${tex.replaceAll('`', "'")}\`\`\``;
}
