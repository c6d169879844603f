/** A formula in Markdown, with its delimiters. */
interface IFormula {
  kind: 'formula';
  start: number;
  end: number;
  /** The formula as a typesetter accepts it. */
  tex: string;
}

/** Code within a line of Markdown, with its delimiters. */
interface ICode {
  kind: 'code';
  start: number;
  end: number;
  text: string;
}

interface IToken {
  kind: string;
  start: number;
  end: number;
  paragraph: number;
}

/** Find the formulas in Markdown, outside code and URLs. */
export function findMath(source: string): IFormula[] {
  return findSpans(source).filter(span => span.kind === 'formula');
}

/**
 * Find the formulas in Markdown, outside code blocks and URLs, and the code within lines. The work
 * is linear in the text, whatever it contains.
 *
 * A dollar opens a formula only before a non-space character, and closes it only after one, if
 * neither a letter nor a digit is on its other side: `$5 and $6` are prices.
 */
export function findSpans(source: string): (IFormula | ICode)[] {
  const tokens = tokenize(source);
  const next = new Following(tokens);
  const found: (IFormula | ICode)[] = [];
  for (let n = 0; n < tokens.length; n++) {
    const open = tokens[n];
    const closing = CLOSING[open.kind] ?? closingOf(open.kind);
    const m = closing ? next.index(closing, n) : -1;
    if (m < 0) {
      continue;
    }
    const close = tokens[m];
    const place = { start: open.start, end: close.end };
    if (open.kind.startsWith('`')) {
      const text = source.slice(open.end, close.start);
      found.push({ kind: 'code', ...place, text });
      n = m;
    } else if (isFormula(source, open, close)) {
      const tex = texOf(source, open, close);
      found.push({ kind: 'formula', ...place, tex });
      n = m;
    }
  }
  return found;
}

const CLOSING: { readonly [kind: string]: string | undefined } = {
  $: '$',
  $$: '$$',
  '\\(': '\\)',
  '\\[': '\\]',
  '\\\\(': '\\\\)',
  '\\\\[': '\\\\]'
};

function closingOf(kind: string): string | null {
  if (kind.startsWith('`')) {
    return kind;
  }
  return kind.startsWith('\\begin') ? kind.replace('begin', 'end') : null;
}

/** Finds the next token of a kind in the same paragraph, from left to right. */
class Following {
  constructor(private _tokens: readonly IToken[]) {
    _tokens.forEach(({ kind }, n) => {
      const places = this._places.get(kind);
      if (places) {
        places.push(n);
      } else {
        this._places.set(kind, [n]);
      }
    });
  }

  index(kind: string, after: number): number {
    const places = this._places.get(kind) ?? [];
    let at = this._passed.get(kind) ?? 0;
    while (at < places.length && places[at] <= after) {
      at++;
    }
    this._passed.set(kind, at);
    const n = places[at];
    const { paragraph } = this._tokens[after];
    return n !== undefined && this._tokens[n].paragraph === paragraph ? n : -1;
  }

  private _passed = new Map<string, number>();
  private _places = new Map<string, number[]>();
}

const TOKEN = new RegExp(
  [
    // The first line of a code block, perhaps in a list or a quote.
    /^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*(?<fence>`{3,}(?=[^`\n]*$)|~{3,}).*/,
    /(?<blank>\n[ \t>]*(?=\n))/,
    /(?<address>\bhttps?:\/\/[^\s<>]+|\]\([^()\s]*\))/,
    /(?<kind>`+|\\(?:begin|end)\{[a-z]+\*?\}|\\\\?[()[\]]|\$\$?)/,
    // Any other escaped character is that character.
    /\\[^\n]/
  ]
    .map(({ source }) => source)
    .join('|'),
  'gim'
);

function tokenize(source: string): IToken[] {
  const tokens: IToken[] = [];
  const pattern = new RegExp(TOKEN);
  let paragraph = 0;
  for (;;) {
    const match = pattern.exec(source);
    if (!match) {
      return tokens;
    }
    const { fence, blank, kind } = match.groups!;
    if (fence) {
      const end = fenceEnd(source, pattern.lastIndex, fence);
      if (end < 0) {
        return tokens;
      }
      pattern.lastIndex = end;
    }
    if (fence || blank !== undefined) {
      paragraph++;
    } else if (kind) {
      const start = match.index;
      tokens.push({ kind, start, end: start + kind.length, paragraph });
    }
  }
}

function fenceEnd(source: string, from: number, fence: string): number {
  const pattern = new RegExp(
    `^[ \\t>]*${fence[0]}{${fence.length},}[ \\t]*$`,
    'gm'
  );
  pattern.lastIndex = from;
  return pattern.test(source) ? pattern.lastIndex : -1;
}

function isFormula(source: string, open: IToken, close: IToken): boolean {
  const inner = source.slice(open.end, close.start);
  if (!inner.trim()) {
    return false;
  }
  const before = source[open.start - 1] ?? '';
  const after = source[close.end] ?? '';
  switch (open.kind) {
    case '$':
      return (
        !/[\w$]/.test(before) &&
        !/[\w$]/.test(after) &&
        !/^\s|\s$|`/.test(inner) &&
        !isPrice(inner)
      );
    case '\\(':
      // As in `f\(x\)`, where the backslashes only prevent a link.
      return !/\w/.test(before);
    case '\\[':
      return !isReference(inner);
    default:
      return true;
  }
}

/** Whether the text between two dollars is an amount followed by words. */
function isPrice(inner: string): boolean {
  return /^[\d.,]+[kmb]?\s+[a-z]{2,}/i.test(inner) && !inner.includes('\\');
}

/** Whether the text between two brackets is a citation number or a checkbox. */
function isReference(inner: string): boolean {
  return /^(?:[ x]|\d+(?:[,–-]\s*\d+)*)$/i.test(inner);
}

function texOf(source: string, open: IToken, close: IToken): string {
  const raw = source.slice(open.start, close.end);
  // In a quote, lines start with its mark.
  const plain =
    raw.includes('\n') && isQuoted(source, open.start)
      ? raw.replace(/\n[ \t>]*/g, '\n')
      : raw;
  return open.kind.startsWith('\\\\')
    ? plain.slice(1, -2) + plain.slice(-1)
    : plain;
}

function isQuoted(source: string, at: number): boolean {
  const line = source.lastIndexOf('\n', at) + 1;
  return /^[ \t]*>/.test(source.slice(line, at));
}
