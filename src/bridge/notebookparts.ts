/**
 * Parts of open notebooks and files, frozen as attachments of a message.
 *
 * Their names are stored in the chat and sent, so they are not translated.
 */
import { isCodeCellModel, type Cell } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import { PathExt } from '@jupyterlab/coreutils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IOutput } from '@jupyterlab/nbformat';

import { isObject } from '../base/json';
import type { IAttachment } from '../document/attachments';
import { referenceAttachment, type IReference } from '../document/references';
import { cutMiddle } from './cuttext';
import { hasError, outputAttachments } from './outputs';

/** How long a cell or a selection may be, in characters. */
export const SOURCE_LIMIT = 200_000;

/** What the names of selections say. */
const SELECTION = 'selection in cell';

/** The selected cells of a notebook, or its active cell. */
export function selectedCells({ content }: NotebookPanel): Cell[] {
  return content.widgets.filter(cell => content.isSelectedOrActive(cell));
}

/** The sources of cells; empty ones are left out. */
export function cellAttachments(
  panel: NotebookPanel,
  cells: readonly Cell[],
  at: number
): IAttachment[] {
  return cells.flatMap(cell => {
    const source = cell.model.sharedModel.getSource();
    return source.trim()
      ? [
          referenceAttachment(
            { ...cellReference(panel, cell, 'cell'), kind: 'cell', at },
            cutMiddle(source, SOURCE_LIMIT)
          )
        ]
      : [];
  });
}

/** The outputs of cells. */
export function cellOutputAttachments(
  panel: NotebookPanel,
  cells: readonly Cell[],
  at: number
): IAttachment[] {
  return cells.flatMap(cell => {
    const { language: _, ...reference } = cellReference(
      panel,
      cell,
      'output of cell'
    );
    return outputAttachments(outputsOf(cell), reference, at);
  });
}

/** The errors of cells. */
export function errorAttachments(
  panel: NotebookPanel,
  cells: readonly Cell[],
  at: number
): IAttachment[] {
  return cells.flatMap(cell => {
    const { language: _, ...reference } = cellReference(
      panel,
      cell,
      'error of cell'
    );
    const errors = outputsOf(cell).filter(output => hasError([output]));
    return outputAttachments(errors, reference, at);
  });
}

/** Whether a cell shows anything below its source. */
export function hasOutputs({ model }: Cell): boolean {
  return isCodeCellModel(model) && model.outputs.length > 0;
}

/** Whether a cell shows an error. */
export function showsError({ model }: Cell): boolean {
  if (!isCodeCellModel(model)) {
    return false;
  }
  for (let n = 0; n < model.outputs.length; n++) {
    if (model.outputs.get(n).type === 'error') {
      return true;
    }
  }
  return false;
}

/** What is selected in a notebook: in what a cell shows, or in its editor, which keeps its selection. */
export function notebookSelection(
  panel: NotebookPanel,
  at: number,
  cell: Cell | null | undefined = panel.content.activeCell
): IAttachment[] {
  if (!cell) {
    return [];
  }
  const shown = shownSelection(panel, at, cell);
  const edited =
    !shown.length && cell.editor ? selectedText(cell.editor) : null;
  return edited
    ? [selection(cellReference(panel, cell, SELECTION), edited.text, at)]
    : shown;
}

/** What is selected in what a cell shows, outside its editor. It has no language. */
export function shownSelection(
  panel: NotebookPanel,
  at: number,
  cell: Cell
): IAttachment[] {
  const text = selectionBeside(cell);
  const { language: _, ...place } = cellReference(panel, cell, SELECTION);
  return text === null ? [] : [selection(place, text, at)];
}

function selection(
  place: Omit<IReference, 'kind' | 'at'>,
  text: string,
  at: number
): IAttachment {
  return referenceAttachment(
    { ...place, kind: 'selection', at },
    cutMiddle(text, SOURCE_LIMIT)
  );
}

/** Whether something is selected in a notebook. */
export function hasSelection({ content }: NotebookPanel): boolean {
  const cell = content.activeCell;
  return (
    !!cell &&
    ((cell.editor !== null && isSelecting(cell.editor)) ||
      selectionBeside(cell) !== null)
  );
}

/** Whether something is selected in an editor. */
export function isSelecting(editor: CodeEditor.IEditor): boolean {
  const { start, end } = editor.getSelection();
  return start.line !== end.line || start.column !== end.column;
}

/** What is selected in a file's editor. */
export function fileSelection(
  path: string,
  editor: CodeEditor.IEditor,
  at: number
): IAttachment[] {
  const found = selectedText(editor);
  if (!found) {
    return [];
  }
  const { text, first, last } = found;
  const lines = first === last ? `line ${first}` : `lines ${first}–${last}`;
  const place = {
    path,
    name: `${PathExt.basename(path)} · ${lines}`,
    ...languageEntry(languageOf(editor.model.mimeType))
  };
  return [selection(place, text, at)];
}

/** The selected text of an editor, and its lines; null if nothing is selected. */
function selectedText(
  editor: CodeEditor.IEditor
): { text: string; first: number; last: number } | null {
  const source = editor.model.sharedModel.getSource();
  const { start, end } = editor.getSelection();
  const [from, to] = [start, end]
    .map(place => editor.getOffsetAt(place))
    .sort((a, b) => a - b);
  const text = source.slice(from, to);
  const line = (offset: number) => source.slice(0, offset).split('\n').length;
  return text.trim()
    ? { text, first: line(from), last: line(from + text.trimEnd().length) }
    : null;
}

/** What is selected in the page within a cell, but for its editor. */
function selectionBeside({ node, editor }: Cell): string | null {
  const selection = document.getSelection();
  const range = selection?.rangeCount ? selection.getRangeAt(0) : null;
  const text = selection?.toString() ?? '';
  const place = range?.commonAncestorContainer;
  return place &&
    node.contains(place) &&
    !editor?.host.contains(place) &&
    text.trim()
    ? text
    : null;
}

function cellReference(
  panel: NotebookPanel,
  cell: Cell,
  what: string
): Omit<IReference, 'kind' | 'at'> {
  const { path } = panel.context;
  const number = panel.content.widgets.indexOf(cell) + 1;
  const type = cell.model.type;
  return {
    path,
    name: `${PathExt.basename(path)} · ${what} ${number}`,
    cellId: cell.model.id,
    ...languageEntry(
      type === 'code'
        ? notebookLanguage(panel)
        : type === 'markdown'
          ? 'markdown'
          : ''
    )
  };
}

/** The language of a notebook's code; empty if it is not known. */
function notebookLanguage({ model }: NotebookPanel): string {
  const info = model?.sharedModel.getMetadata('language_info');
  const name = isObject(info) ? info.name : undefined;
  return typeof name === 'string' ? name : (model?.defaultKernelLanguage ?? '');
}

/** The language of a MIME type such as `text/x-python`. */
function languageOf(mime: string): string {
  const [, name = ''] =
    /^(?:text|application)\/(?:x-)?([\w+-]+)/.exec(mime) ?? [];
  return name === 'plain' ? '' : name;
}

function languageEntry(language: string): { language?: string } {
  return language ? { language } : {};
}

function outputsOf({ model }: Cell): IOutput[] {
  return isCodeCellModel(model) ? model.outputs.toJSON() : [];
}
