/** Exporting a chat for people without Turnbook: what is visible, and who said it. */
import { Notification } from '@jupyterlab/apputils';
import { PathExt, URLExt } from '@jupyterlab/coreutils';
import type { INotebookContent } from '@jupyterlab/nbformat';
import { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { UUID } from '@lumino/coreutils';

import { errorMessage } from '../base/errors';
import { downloadText } from '../ui/download';
import type { ChatPanel } from './panel';

/** A format by the name of its exporter (`jupyterlab_turnbook/export/`), and the file's ending. */
const FORMATS = { turnbook_html: 'html', turnbook_markdown: 'md' } as const;

/** A format to which chats are exported. */
export type ExportFormat = keyof typeof FORMATS;

/** Convert the visible cells on the server, and download the result. */
export async function exportChat(
  panel: ChatPanel,
  format: ExportFormat,
  settings: ServerConnection.ISettings,
  trans: TranslationBundle
): Promise<void> {
  const { context } = panel.session;
  const name = PathExt.basename(panel.context.path);
  const { shown, all } = context.pairs;
  const note =
    shown < all
      ? trans._n(
          'A filter hides 1 pair of this chat; it is not included.',
          'A filter hides %1 pairs of this chat; they are not included.',
          all - shown
        )
      : null;
  const content = visibleNotebook(
    panel.content.model!.toJSON() as INotebookContent,
    context.visible,
    note
  );
  try {
    const response = await ServerConnection.makeRequest(
      URLExt.join(settings.baseUrl, 'nbconvert', format),
      { method: 'POST', body: JSON.stringify({ name, content }) },
      settings
    );
    if (!response.ok) {
      throw await ServerConnection.ResponseError.create(response);
    }
    downloadText(
      await response.text(),
      `${PathExt.basename(name, '.ipynb')}.${FORMATS[format]}`
    );
  } catch (error) {
    Notification.error(
      trans.__(
        'The chat was not exported: %1. Try again, or use jupyter nbconvert --to %2.',
        errorMessage(error).replace(/\.$/, ''),
        format
      ),
      { autoClose: false }
    );
  }
}

/**
 * A notebook with its visible cells alone.
 *
 * @param visible - 1 or 0 for each cell.
 * @param note - A note that comes first.
 */
export function visibleNotebook(
  notebook: INotebookContent,
  visible: ArrayLike<number>,
  note: string | null
): INotebookContent {
  const cells = notebook.cells.filter((_, index) => visible[index]);
  return {
    ...notebook,
    cells: note
      ? [
          {
            cell_type: 'markdown',
            id: UUID.uuid4(),
            source: note,
            metadata: {}
          },
          ...cells
        ]
      : cells
  };
}
