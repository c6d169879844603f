import { copyText } from './guard';
import { findMath } from './formulas';

/**
 * Formulas as models write them: `$…$`, `$$…$$`, `\(…\)`, `\[…\]` and environments. They are taken
 * out before Markdown is parsed, which would treat parts of them as marks, and put back as elements
 * afterwards. Nothing else is typeset, so that a price stays a price.
 */

const OPEN = '\ue0f3';
const CLOSE = '\ue0f4';
const MARK = /\ue0f3(\d+)\ue0f4/;
const MATH_CLASS = 'jp-Turnbook-math';

/** Markdown without its formulas, and the formulas as written. */
export interface IWithoutMath {
  text: string;
  formulas: string[];
}

/** Replace each formula in Markdown by a mark. */
export function takeMath(source: string): IWithoutMath {
  const formulas: string[] = [];
  if (source.includes(OPEN)) {
    return { text: source, formulas };
  }
  let text = '';
  let from = 0;
  for (const { start, end, tex } of findMath(source)) {
    text += `${source.slice(from, start)}${OPEN}${formulas.length}${CLOSE}`;
    formulas.push(tex);
    from = end;
  }
  return { text: text + source.slice(from), formulas };
}

/** Put formulas that ended up inside a tag back into it, before the tag is sanitized. */
export function restoreInTags(html: string, formulas: string[]): string {
  if (!formulas.length) {
    return html;
  }
  // After the last `>` no tag ends, however many begin.
  const end = html.lastIndexOf('>') + 1;
  return (
    html
      .slice(0, end)
      .replace(/<[a-z][^>]*>/gi, tag => restore(tag, formulas, escapeHtml)) +
    html.slice(end)
  );
}

/**
 * Put the formulas back, each into an element for the typesetter; in code they are text.
 *
 * @returns false if a mark was split, so that a formula would be missing.
 */
export function putMath(
  content: ParentNode & Node,
  formulas: string[]
): boolean {
  if (!formulas.length) {
    return true;
  }
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) {
    texts.push(walker.currentNode as Text);
  }
  for (const text of texts) {
    if (text.parentElement?.closest('code, pre')) {
      text.data = restore(text.data, formulas, raw => raw);
    } else if (text.data.includes(OPEN)) {
      text.replaceWith(withFormulas(text.data, formulas));
    }
  }
  return !content.textContent?.includes(OPEN);
}

/** Whether a node has formulas that can be typeset. */
export function hasMath(content: ParentNode): boolean {
  return content.querySelector(`.${MATH_CLASS}`) !== null;
}

function withFormulas(data: string, formulas: string[]): DocumentFragment {
  const fragment = document.createDocumentFragment();
  // Every second piece is a number.
  data.split(MARK).forEach((piece, n) => {
    if (n % 2 === 0) {
      fragment.append(piece);
    } else if (formulas[Number(piece)] === undefined) {
      fragment.append(OPEN);
    } else {
      const formula = document.createElement('span');
      formula.className = `${MATH_CLASS} mathjax_process`;
      copyText(formulas[Number(piece)], formula);
      fragment.append(formula);
    }
  });
  return fragment;
}

function restore(
  text: string,
  formulas: string[],
  how: (raw: string) => string
): string {
  return text.replace(new RegExp(MARK, 'g'), (mark, n) =>
    formulas[Number(n)] === undefined ? mark : how(formulas[Number(n)])
  );
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
