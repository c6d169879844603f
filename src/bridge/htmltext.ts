/**
 * The text of an HTML output, with its tables as Markdown tables.
 *
 * It is parsed in a document of its own, in which nothing runs or loads, and never inserted into the
 * page.
 */

import type { MultilineString } from '@jupyterlab/nbformat';

import { endsOf, type IPartly } from './cuttext';
import { depthEnd } from './htmldepth';

/** How much HTML is parsed, in characters. */
export const HTML_LIMIT = 2_000_000;

/** What stands for the HTML that is left out while the rest is parsed. */
const GAP = '\ue0f5left out\ue0f6';

const GAP_ROW = 'data-turnbook-left-out';

/** How many cells of a table are written. */
const CELLS = 5_000;

/**
 * How much longer than its HTML a table may be written: columns that are only spanned, and short rows
 * beside long ones, would be far longer. One without spans is always shorter.
 */
const LONGER = 2;

/** What a cell takes beside its text. */
const CELL = 3;

/** What is not text, or would be there twice. */
const UNSEEN = 'style, script, template, noscript, head, [hidden]';

/** Elements that start on a line of their own. */
const BLOCKS =
  'address, article, blockquote, dd, div, dl, dt, figure, footer, h1, h2, h3, h4, h5, h6, header, hr, li, ol, p, pre, section, summary, ul';

/** The text of some HTML, and whether it has tables; of very long HTML that of its ends. */
export function htmlText(
  value: MultilineString
): IPartly & { hasTable: boolean } {
  const { html, gone } = shallow(endsOfHtml(value));
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  body.querySelectorAll(UNSEEN).forEach(node => node.remove());
  const parts: string[] = [];
  const hasTable = body.querySelector('table') !== null;
  addText(body, parts);
  const text = parts
    .join('')
    .split('\n')
    // Not by an expression, which would look at each of many spaces again and again.
    .map(line => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  if (!gone) {
    return { text, gaps: [], hasTable };
  }
  // What is left out may begin in a script, which is no text.
  const [before, ...after] = text.split(GAP);
  const gaps = text ? [{ at: before.length, count: gone }] : [];
  return { text: before + after.join(''), gaps, hasTable };
}

/** HTML with its middle left out if it is very long: between rows if that is in a table. */
function endsOfHtml(value: MultilineString): { html: string; gone: number } {
  const { head, tail, gone } = endsOf(value, HTML_LIMIT);
  if (!gone) {
    return { html: head, gone };
  }
  const row = tail.indexOf('<tr');
  const isTable =
    row !== -1 && head.lastIndexOf('<table') > head.lastIndexOf('</table');
  // Half of a row or a tag would be text.
  const open = head.lastIndexOf('<');
  const isOpen = open > head.lastIndexOf('>');
  const close = tail.indexOf('>');
  const isClosed = close !== -1 && close < tail.indexOf('<');
  const start = head.slice(
    0,
    isTable ? head.lastIndexOf('<tr') : isOpen ? open : undefined
  );
  const end = tail.slice(isTable ? row : isClosed ? close + 1 : 0);
  const mark = isTable
    ? `<tr ${GAP_ROW}><td>${GAP}</td></tr>`
    : `<p>${GAP}</p>`;
  const more = head.length - start.length + tail.length - end.length;
  return { html: start + mark + end, gone: gone + more };
}

/** HTML up to where it is too deep to be parsed. */
function shallow(all: { html: string; gone: number }): {
  html: string;
  gone: number;
} {
  const { html, gone } = all;
  const end = depthEnd(html);
  return end === html.length
    ? all
    : { html: html.slice(0, end) + GAP, gone: gone + html.length - end };
}

function addText(node: Node, parts: string[]): void {
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) {
      const text = child.textContent ?? '';
      parts.push(isVerbatim(child) ? text : text.replace(/\s+/g, ' '));
    } else if (child.nodeName === 'TABLE') {
      parts.push(`\n\n${markdownTable(child as HTMLTableElement)}\n\n`);
    } else if (child.nodeName === 'BR') {
      parts.push('\n');
    } else if (child.nodeType === Node.ELEMENT_NODE) {
      const isBlock = (child as Element).matches(BLOCKS);
      parts.push(isBlock ? '\n' : '');
      addText(child, parts);
      parts.push(isBlock ? '\n' : '');
    }
  }
}

function isVerbatim(node: Node): boolean {
  return node.parentElement?.closest('pre, textarea') != null;
}

/** A table in Markdown; tables in its cells become text. */
function markdownTable(table: HTMLTableElement): string {
  const rows = [...table.rows];
  const isHead = (row: HTMLTableRowElement) =>
    row.parentElement?.nodeName === 'THEAD' ||
    (!table.tHead &&
      row === rows[0] &&
      [...row.cells].every(cell => cell.nodeName === 'TH'));
  const heads = rows.filter(isHead);
  const body = rows.filter(row => !isHead(row));
  const gone = excess(body);
  const lines = heads.length + body.length - gone + 2;
  const room = LONGER * table.outerHTML.length;
  const most = Math.max(2, Math.floor(room / (CELL * lines)));
  const half = Math.ceil((body.length - gone) / 2);
  const head = grid(heads, most, room);
  const above = grid(body.slice(0, half), most);
  const below = grid(body.slice(half + gone), most);
  const cells = [...above, ...below];
  const gap = table.querySelector(`tr[${GAP_ROW}]`);
  const place = body.findIndex(row => row === gap);
  const isGap = place >= half && place < half + gone;
  const width = [...head, ...cells].reduce(
    (most, row) => Math.max(most, row.length),
    0
  );
  if (!width) {
    return '';
  }
  const columns = Array.from({ length: width }, (_, n) => n);
  // Markdown has one line of names: those of a column are joined.
  const names = columns.map(n =>
    [...new Set(head.map(row => row[n] ?? ''))].filter(Boolean).join(' ')
  );
  const line = (row: readonly string[]) =>
    row[0] === GAP ? GAP : `| ${columns.map(n => row[n] ?? '').join(' | ')} |`;
  const caption = table.caption?.textContent?.trim();
  return [
    ...(caption ? [oneLine(caption), ''] : []),
    line(names),
    line(columns.map(() => '---')),
    ...above.map(line),
    ...(gone ? [line([`… ${gone.toLocaleString('en')} rows left out …`])] : []),
    ...(isGap ? [GAP] : []),
    ...below.map(line)
  ].join('\n');
}

/** How many rows in the middle of a table are left out. */
function excess(rows: readonly HTMLTableRowElement[]): number {
  const widest = rows
    .slice(0, 100)
    .reduce((most, row) => Math.max(most, row.cells.length), 1);
  const kept = Math.max(2, Math.floor(CELLS / widest));
  return Math.max(0, rows.length - kept);
}

/**
 * The texts of rows with the cells where they are seen; a row with more than `most` ends with `…`.
 *
 * @param repeated - How many characters may be written again: the text of a cell that spans columns,
 * in each of them. Else the others are empty.
 */
function grid(
  rows: readonly HTMLTableRowElement[],
  most: number,
  repeated = 0
): string[][] {
  const texts: string[][] = rows.map(() => []);
  let room = repeated;
  rows.forEach((row, y) => {
    let x = 0;
    for (const cell of row.cells) {
      while (texts[y][x] !== undefined) {
        x++;
      }
      if (x >= most) {
        texts[y][most - 1] = '…';
        break;
      }
      const text = oneLine(textOf(cell)).replace(/\|/g, '\\|');
      const wide = span(cell, 'colspan', most - x);
      const high = span(cell, 'rowspan', rows.length - y);
      for (let down = 0; down < high; down++) {
        for (let right = 0; right < wide; right++) {
          const isFirst = !down && !right;
          const isAgain = !down && !isFirst && text.length <= room;
          room -= isAgain ? text.length : 0;
          texts[y + down][x + right] = isFirst || isAgain ? text : '';
        }
      }
    }
  });
  // A row may have holes where another row's cell spans.
  return texts.map(row => Array.from(row, text => text ?? ''));
}

/** How many columns or rows a cell spans. */
function span(cell: Element, name: string, most: number): number {
  const value = Number.parseInt(cell.getAttribute(name) ?? '', 10);
  return Math.min(Math.max(value || 1, 1), most);
}

/** The text of a cell: words of other elements in it do not run together. */
function textOf(cell: Element): string {
  const parts: string[] = [];
  const add = (node: Node): void => {
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) {
        parts.push(child.textContent ?? '');
      } else {
        const isApart =
          child.nodeType === Node.ELEMENT_NODE &&
          (child as Element).matches(`${BLOCKS}, br, td, th, tr`);
        parts.push(isApart ? ' ' : '');
        add(child);
        parts.push(isApart ? ' ' : '');
      }
    }
  };
  add(cell);
  return parts.join('');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
