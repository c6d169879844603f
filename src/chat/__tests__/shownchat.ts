/**
 * The cells of a chat in a page, with JupyterLab's editors and our renderers.
 */
import type { ICell } from '@jupyterlab/nbformat';
import { NotebookModel } from '@jupyterlab/notebook';
import { NBTestUtils } from '@jupyterlab/notebook/lib/testutils';
import { MessageLoop } from '@lumino/messaging';
import type { PartialJSONObject } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';

import { notebookOf } from '../../document/chatfile';
import { untrustedRenderMime } from '../../render/registry';
import {
  ChatContentFactory,
  type ChatNotebook,
  EDITOR_CONFIG,
  NOTEBOOK_CONFIG
} from '../notebook/notebook';

/** What a simulated page lacks. */
Element.prototype.scrollIntoView ??= () => undefined;

/** Show these cells, all of them drawn. */
export function showCells(cells: readonly PartialJSONObject[]): ChatNotebook {
  const notebook = loadCells(cells);
  attach(notebook);
  notebook.widgets.forEach((cell, index) => notebook.draw(cell, index));
  return notebook;
}

/** Put a notebook into the page, which draws what can be seen of it. */
export function attach(notebook: ChatNotebook): void {
  Widget.attach(notebook, document.body);
  MessageLoop.flush();
}

/** These cells in a notebook that is not in the page, so that none of them is drawn. */
export function loadCells(cells: readonly PartialJSONObject[]): ChatNotebook {
  const contentFactory = new ChatContentFactory({
    editorFactory: NBTestUtils.editorFactory
  });
  const notebook = contentFactory.createNotebook({
    rendermime: untrustedRenderMime(NBTestUtils.defaultRenderMime()),
    contentFactory,
    mimeTypeService: NBTestUtils.mimeTypeService,
    editorConfig: EDITOR_CONFIG,
    notebookConfig: NOTEBOOK_CONFIG
  });
  const model = new NotebookModel();
  model.fromJSON(notebookOf(cells as unknown as ICell[], {}));
  notebook.model = model;
  return notebook;
}

/** A system message or a note. */
export function textCell(
  type: 'raw' | 'markdown',
  source: string,
  metadata: PartialJSONObject = {}
): PartialJSONObject {
  return { cell_type: type, id: `${type}-cell`, metadata, source };
}
