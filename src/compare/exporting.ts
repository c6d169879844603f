/** Writes a comparison as Markdown and as HTML; what is compared is data and nothing of it acts. */
import type { IWords } from '../base/words';
import { fenced } from '../document/pairmarkdown';
import { align, blocksOf, type Row } from './align';
import { factRows } from './facts';
import {
  CUT,
  cutText,
  lineDiff,
  markTexts,
  type IPiece,
  type Unit
} from './marking';
import type { ISide } from './side';

/** What is exported. */
export interface IExported {
  readonly sides: readonly ISide[];
  /** The side that the others are compared with. */
  readonly base: number;
  readonly unit: Unit;
  readonly trans: IWords;
}

/** Lets the page go on between two steps of long work. */
export type Breathe = () => Promise<void>;

/** One row of the export. */
interface IWritten {
  equal: number;
  cells: { role: string; pieces: readonly IPiece[] | null; cut: boolean }[];
}

/** The comparison as an HTML page without scripts, which loads nothing. */
export async function comparisonHTML(
  exported: IExported,
  breathe: Breathe
): Promise<string> {
  const { sides, base, trans } = exported;
  const title = titleOf(exported);
  const cells = (tag: string, values: readonly string[]) =>
    values.map(value => `<${tag}>${value}</${tag}>`).join('');
  const lines: string[] = [];
  for await (const { equal, cells: row } of written(exported, breathe)) {
    lines.push(
      equal
        ? `<tr class="equal"><td colspan="${sides.length}">${escaped(equalText(equal, trans))}</td></tr>`
        : `<tr>${cells(
            'td',
            row.map(({ role, pieces, cut }, side) =>
              pieces
                ? `<b>${escaped(role)}</b><pre dir="auto">${piecesHTML(pieces, side === base)}</pre>${cut ? `<p>${escaped(cutNote(trans))}</p>` : ''}`
                : `<i>${escaped(trans.__('Not in this one'))}</i>`
            )
          )}</tr>`
    );
  }
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>
body { font-family: sans-serif; color-scheme: light dark; }
table { border-collapse: collapse; margin-bottom: 2em; }
td, th { border: 1px solid #8888; min-width: 20em; padding: 4px 8px; text-align: start; vertical-align: top; }
tbody th { min-width: 0; }
pre { overflow-wrap: anywhere; white-space: pre-wrap; }
del { background: #f003; text-decoration: underline dotted; }
ins { background: #0a03; text-decoration: underline; }
.equal { opacity: 0.7; }
</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<table>
<thead><tr><td></td>${cells(
    'th',
    sides.map(side => escaped(side.title))
  )}</tr></thead>
<tbody>
${factRows(sides, trans)
  .map(
    ({ name, values, differs }) =>
      `<tr><th>${escaped(name)}${differs ? ' ≠' : ''}</th>${cells('td', values.map(escaped))}</tr>`
  )
  .join('\n')}
${
  sides.some(({ notes }) => notes.length)
    ? `<tr><th>${escaped(trans.__('Notes'))}</th>${cells(
        'td',
        sides.map(({ notes }) => escaped(notes.join('\n')))
      )}</tr>`
    : ''
}
</tbody>
</table>
<table>
<thead><tr>${cells(
    'th',
    sides.map(side => escaped(side.title))
  )}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table>
</body>
</html>
`;
}

/** The comparison as Markdown: a table of facts, then the texts in blocks of code. */
export async function comparisonMarkdown(
  exported: IExported,
  breathe: Breathe
): Promise<string> {
  const { sides, base, trans } = exported;
  const line = (values: readonly string[]) =>
    `| ${values.map(cellText).join(' | ')} |`;
  const parts = [
    `# ${oneLine(titleOf(exported))}`,
    [
      line(['', ...sides.map(({ title }) => title)]),
      `| ${['', ...sides].map(() => '---').join(' | ')} |`,
      ...factRows(sides, trans).map(({ name, values, differs }) =>
        line([differs ? `${name} ≠` : name, ...values])
      )
    ].join('\n'),
    ...sides.flatMap(({ title, notes }) =>
      notes.map(note => `${oneLine(title)}: ${oneLine(note)}`)
    )
  ];
  for await (const { equal, cells } of written(exported, breathe)) {
    if (equal) {
      parts.push(`*${equalText(equal, trans)}*`);
      continue;
    }
    const main = cells[base];
    const isAlone = cells.every(({ pieces }, at) => at === base || !pieces);
    cells.forEach(({ role, pieces, cut }, side) => {
      if (side === base ? isAlone : pieces || !isAlone) {
        const [before, after] = [joined(main.pieces), joined(pieces)];
        parts.push(
          `## ${oneLine(sides[side].title)}: ${oneLine(role || main.role)}`,
          fenced(lineDiff(before, side === base ? '' : after), 'diff'),
          ...(cut || main.cut ? [`*${cutNote(trans)}*`] : [])
        );
      }
    });
  }
  return `${parts.join('\n\n')}\n`;
}

/** The rows of a comparison, with its differences. */
async function* written(
  { sides, base, unit }: IExported,
  breathe: Breathe
): AsyncGenerator<IWritten> {
  const said = sides.map(side => side.said);
  for (const { isEqual, rows } of blocksOf(align(said, base), said)) {
    if (isEqual) {
      yield { equal: rows.length, cells: [] };
      continue;
    }
    await breathe();
    yield { equal: 0, cells: writtenRow(rows[0], sides, base, unit) };
  }
}

function writtenRow(
  row: Row,
  sides: readonly ISide[],
  base: number,
  unit: Unit
): IWritten['cells'] {
  const found = row.map((at, side) =>
    at === null ? null : sides[side].said[at]
  );
  const texts = found.map(said => said?.text ?? null);
  const marked = markTexts(texts, base, unit);
  return found.map((said, side) => ({
    role: said?.role ?? '',
    pieces: marked[side],
    cut: said !== null && cutText(said.text) !== said.text
  }));
}

/** What all sides are called together. */
export function titleOf({ sides, trans }: Pick<IExported, 'sides' | 'trans'>) {
  return trans.__(
    'Comparison: %1',
    [...new Set(sides.map(({ title }) => title))].join(' | ')
  );
}

/** Says how many messages are equal. */
export function equalText(count: number, trans: IWords): string {
  return trans._n('%1 equal message', '%1 equal messages', count);
}

/** Says that a text is longer than what is compared. */
export function cutNote(trans: IWords): string {
  return trans.__(
    'Only the first %1 characters are compared and shown.',
    CUT.toLocaleString()
  );
}

/** A text in which nothing means anything in HTML. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);
}

function piecesHTML(pieces: readonly IPiece[], isBase: boolean): string {
  const tag = isBase ? 'del' : 'ins';
  return pieces
    .map(({ text, marked }) =>
      marked ? `<${tag}>${escaped(text)}</${tag}>` : escaped(text)
    )
    .join('');
}

function joined(pieces: readonly IPiece[] | null): string {
  return (pieces ?? []).map(({ text }) => text).join('');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_<>[\]#|$~&]/g, '\\$&');
}

function cellText(text: string): string {
  return text.split('\n').map(oneLine).join('<br>');
}
