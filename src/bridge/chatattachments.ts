/**
 * Attachments as Jupyter Chat describes them, and with it Jupyter AI: a file or a notebook by its
 * path, with cells by their ids, and what is selected in them.
 */
import { PathExt } from '@jupyterlab/coreutils';
import type { INotebookTracker } from '@jupyterlab/notebook';

import { isObject } from '../base/json';
import { trans } from '../base/words';
import { FileProblem, LIMITS } from '../chat/composer/files/readfile';
import {
  checkServerFile,
  freezeFile,
  type IFileReader
} from '../chat/composer/files/serverfile';
import type { IAttachment } from '../document/attachments';
import { isMultiline, joinLines } from '../document/multiline';
import { referenceAttachment, type IReference } from '../document/references';
import { bytesText } from '../ui/bytes';
import { cutMiddle } from './cuttext';
import { cellAttachments, SOURCE_LIMIT } from './notebookparts';

/** What is read of an attachment; other extensions may have added to it. */
interface IDescribed {
  path: string;
  /** What is selected in a file. */
  selection: string | null;
  /** The cells of a notebook; all of it if absent. */
  cells: { id: string; selection: string | null }[];
}

interface IOptions {
  reader: IFileReader;
  /** The open notebooks, which may not be saved; null without them. */
  notebooks: Pick<INotebookTracker, 'find'> | null;
  now?: () => number;
}

/** Freeze what an attachment of Jupyter Chat describes; null if it is something else. */
export function freezeChatAttachment(
  value: unknown,
  options: IOptions
): Promise<IAttachment[]> | null {
  const described = readDescribed(value);
  return described && freeze(described, options);
}

async function freeze(
  { path, selection, cells }: IDescribed,
  options: IOptions
): Promise<IAttachment[]> {
  const { reader, now = Date.now } = options;
  if (selection !== null) {
    return [selected(path, 'selection', selection, now())];
  }
  if (!cells.length) {
    return [(await freezeFile(path, reader, now())).file];
  }
  const notebook = await readNotebook(path, options);
  return cells.flatMap(({ id, selection: text }) => {
    const number = notebook.ids.indexOf(id) + 1;
    if (!number) {
      throw new Error(
        trans.__('%1 is not attached: it has no cell %2 any more.', path, id)
      );
    }
    return text === null
      ? notebook.freeze(number)
      : [selected(path, `selection in cell ${number}`, text, now(), id)];
  });
}

/** A notebook as it is in the page, else on the server. */
async function readNotebook(
  path: string,
  { reader, notebooks, now = Date.now }: IOptions
): Promise<{ ids: string[]; freeze: (number: number) => IAttachment[] }> {
  const panel = notebooks?.find(
    ({ context, isDisposed }) => !isDisposed && context.path === path
  );
  if (panel) {
    const { widgets } = panel.content;
    return {
      ids: widgets.map(({ model }) => model.id),
      freeze: number => cellAttachments(panel, [widgets[number - 1]], now())
    };
  }
  await checkServerFile(path, reader);
  const { size } = await reader.contents.get(path, { content: false });
  if (size && size > LIMITS.file) {
    throw new FileProblem(
      trans.__(
        '%1 has %2, and no more than %3 is read. Open it, then attach its cells.',
        path,
        bytesText(size),
        bytesText(LIMITS.file)
      )
    );
  }
  const { content } = await reader.contents.get(path, {
    type: 'notebook',
    content: true
  });
  const cells = isObject(content) ? content.cells : undefined;
  const all = (Array.isArray(cells) ? cells : []).map(one =>
    isObject(one) ? one : {}
  );
  return {
    ids: all.map(({ id }) => String(id)),
    freeze: number => {
      const { id, source, cell_type: type } = all[number - 1];
      const text = isMultiline(source) ? joinLines(source) : '';
      const language =
        type === 'code'
          ? languageOf(content)
          : type === 'markdown'
            ? 'markdown'
            : '';
      const reference: IReference = {
        kind: 'cell',
        path,
        name: `${PathExt.basename(path)} · cell ${number}`,
        cellId: String(id),
        at: now(),
        ...(language ? { language } : {})
      };
      return text.trim()
        ? [referenceAttachment(reference, cutMiddle(text, SOURCE_LIMIT))]
        : [];
    }
  };
}

/** What was selected: the text as it was then, since the lines may be others now. */
function selected(
  path: string,
  what: string,
  text: string,
  at: number,
  cellId?: string
): IAttachment {
  return referenceAttachment(
    {
      kind: 'selection',
      path,
      name: `${PathExt.basename(path)} · ${what}`,
      at,
      ...(cellId ? { cellId } : {})
    },
    cutMiddle(text, SOURCE_LIMIT)
  );
}

function readDescribed(value: unknown): IDescribed | null {
  const { type, value: path, selection, cells } = isObject(value) ? value : {};
  if ((type !== 'file' && type !== 'notebook') || typeof path !== 'string') {
    return null;
  }
  return {
    path,
    selection: type === 'file' ? selectedText(selection) : null,
    cells:
      type === 'notebook' && Array.isArray(cells)
        ? cells.filter(isObject).map(one => ({
            id: String(one.id),
            selection: selectedText(one.selection)
          }))
        : []
  };
}

function selectedText(selection: unknown): string | null {
  const text = isObject(selection) ? selection.content : undefined;
  return typeof text === 'string' && text.trim() ? text : null;
}

function languageOf(notebook: unknown): string {
  const { metadata } = isObject(notebook) ? notebook : {};
  const { language_info: info } = isObject(metadata) ? metadata : {};
  const name = isObject(info) ? info.name : undefined;
  return typeof name === 'string' ? name : '';
}
