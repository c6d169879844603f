import type { Cell } from '@jupyterlab/cells';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';

import type { CellRecord } from '../../context/cellrecord';
import type { IPairText } from '../../document/messages';
import { reasoningText, type IReasoning } from '../../document/reasoning';
import { readableText } from '../../render/readable';
import { pageText, type IPageText } from '../../render/pagetext';
import { PairCell } from '../cells/cell';
import { isDrawn } from './sight';

/** A match: where it starts and ends in a text. */
export interface IHit {
  start: number;
  end: number;
}

/** The text of a cell that is searched: what was written in it, then what is rendered. */
export interface ICellText {
  /** The text in the cell's editor. */
  written: string;
  /** The reply, or a note. */
  rendered: string;
  /** The rendered text in the page; null if it is not there as it will be. */
  shown: IPageText | null;
}

/** Rendered text in a cell: replies, also while they stream, tool rounds, earlier versions, notes. */
const RENDERED =
  '.jp-Turnbook-markdown, .jp-RenderedText, .jp-MarkdownOutput, .jp-Turnbook-pastVersion-source';

/**
 * Text that is not formatted yet, since it is not near the view. Of several replies, the columns show
 * what the output would.
 */
const WAITING =
  '.jp-Turnbook-markdown.jp-mod-waiting:not(.jp-mod-siblings > .jp-Cell-outputWrapper *)';

/** One of several replies behind another: in a tab, or while that is maximised. */
const BEHIND = '.jp-Turnbook-sibling.lm-mod-hidden';

/** Read the text of a cell: from the page if it is drawn, else from the document. */
export function cellText(cell: Cell, record: CellRecord): ICellText {
  if (!isDrawn(cell) || cell.node.querySelector(WAITING)) {
    return {
      written: record.kind === 'note' ? '' : record.shared.getSource(),
      rendered: documentText(cell, record),
      shown: null
    };
  }
  const shown = pageText(
    [...cell.node.querySelectorAll(RENDERED)].filter(
      node => isSeen(node) && !node.parentElement?.closest(RENDERED)
    )
  );
  return {
    // A note is in its editor while it is edited.
    written: hasEditor(cell) ? record.shared.getSource() : '',
    rendered: shown.text,
    shown
  };
}

/** Whether a text is seen, or would be if the reply that it belongs to were in front. */
function isSeen(node: Element): boolean {
  const column = node.closest(BEHIND);
  if (!column) {
    return node.checkVisibility();
  }
  const isReplaced =
    column.matches('.jp-mod-live') &&
    node.closest('.jp-Turnbook-sibling-body') !== null;
  return column.parentElement!.checkVisibility() && !isReplaced;
}

/** The range of a match in a cell's editor; null if that line is not in the page. */
export function writtenRange(cell: Cell, hit: IHit): StaticRange | null {
  const view = (cell.editor as CodeMirrorEditor | null)?.editor;
  if (
    !view ||
    hit.end > view.state.doc.length ||
    hit.start < view.viewport.from ||
    hit.end > view.viewport.to
  ) {
    return null;
  }
  const start = view.domAtPos(hit.start);
  const end = view.domAtPos(hit.end);
  return new StaticRange({
    startContainer: start.node,
    startOffset: start.offset,
    endContainer: end.node,
    endOffset: end.offset
  });
}

/** All matches in a text. */
export function findHits(query: RegExp, text: string): IHit[] {
  const hits: IHit[] = [];
  for (const { 0: found, index } of text.matchAll(query)) {
    if (found) {
      hits.push({ start: index, end: index + found.length });
    }
  }
  return hits;
}

/** Whether the text in a cell's editor is seen. */
function hasEditor(cell: Cell): boolean {
  return cell.editorWidget?.node.checkVisibility() === true;
}

function documentText(cell: Cell, record: CellRecord): string {
  if (record.kind === 'note') {
    return readable(record, [formatted(record.shared.getSource())]);
  }
  if (record.kind !== 'pair') {
    return '';
  }
  const live = cell instanceof PairCell && cell.live ? cell.reply : null;
  return readable(
    record,
    record.said.flatMap(said =>
      pieces(said, said === record.shown ? live : null)
    )
  );
}

/** The texts of a reply, in the order of the page. */
function pieces(said: IPairText, live: string | null): IPiece[] {
  const { rounds = [], reasoning = [] } = said;
  const steps = rounds.flatMap(({ reasoning: before = [], message }) => [
    ...before.map(plain),
    formatted(message?.content ?? '')
  ]);
  return [...steps, ...reasoning.map(plain), formatted(live ?? said.reply)];
}

/** A text of a cell; Markdown is searched as it is rendered. */
interface IPiece {
  text: string;
  isMarkdown: boolean;
}

const plain = (reasoning: IReasoning): IPiece => ({
  text: reasoningText(reasoning),
  isMarkdown: false
});

const formatted = (content: unknown): IPiece => ({
  text: typeof content === 'string' ? content : '',
  isMarkdown: true
});

/** The readable text of a cell, kept until it changes. */
function readable(record: CellRecord, pieces: readonly IPiece[]): string {
  const source = JSON.stringify(pieces.filter(({ text }) => text));
  const kept = KEPT.get(record);
  if (kept?.source === source) {
    return kept.text;
  }
  const text = pieces
    .map(piece => (piece.isMarkdown ? readableText(piece.text) : piece.text))
    .filter(Boolean)
    .join('\n\n');
  KEPT.set(record, { source, text });
  return text;
}

const KEPT = new WeakMap<CellRecord, { source: string; text: string }>();
