import type { YFile } from '@jupyter/ydoc';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { ServerConnection, type Contents } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IFileCheck } from '../base/run';
import { safeName } from '../ui/safename';
import { MAX_DIFF } from './unifieddiff';

/** How long a file may be that is compared in the page. */
export const MAX_TEXT = 5_000_000;

/** The most bytes of such a file, also after a change. */
const MAX_SIZE = 3 * (MAX_TEXT + MAX_DIFF);

/** A change of a text file, from one exact text to another. */
export interface ITextChange {
  path: string;
  /** The text that is expected; null if there must be no file yet. */
  before: string | null;
  after: string;
}

/** The text of a file, and whether it is that of an open editor. */
export interface IText {
  text: string;
  isOpen: boolean;
}

/** A change that was made. */
interface IDone extends ITextChange {
  /** The editor that it was made in, and its step of undo there; null if it was made on the server. */
  made: { shared: YFile; step: unknown } | null;
}

/**
 * Text files, as the user sees them: an open file is read and changed in its editor, where it can
 * be undone, and any other on the server.
 */
export class TextFiles {
  constructor(private _options: TextFiles.IOptions) {}

  /** Read a file that is not too long to be compared; null if there is none. */
  async read(path: string): Promise<IText | null> {
    const { contents, kindOf, trans } = this._options;
    const kind = await kindOf(path);
    if (kind !== 'file' && kind !== 'missing') {
      throw new Error(
        trans.__(
          '%1 is not changed: it leads out of the folder of the server, is hidden, or is no file.',
          safeName(path)
        )
      );
    }
    const open = await this._open(path);
    if (open) {
      return { text: open.shared.getSource(), isOpen: true };
    }
    try {
      const { size } = await contents.get(path, {
        type: 'file',
        content: false
      });
      if ((size ?? 0) > MAX_SIZE) {
        throw new Error(trans.__('The file is too long to be compared.'));
      }
      const { content } = await contents.get(path, {
        type: 'file',
        format: 'text',
        content: true
      });
      return { text: content as string, isOpen: false };
    } catch (error) {
      if (isMissing(error)) {
        return null;
      }
      throw error;
    }
  }

  /**
   * Make all of these changes, or none.
   *
   * @returns A function that undoes them where the files are still as they were written.
   */
  async change(changes: readonly ITextChange[]): Promise<() => Promise<void>> {
    for (const change of changes) {
      await this._expect(change.path, change.before);
    }
    const done: IDone[] = [];
    const undo = async () => {
      for (const { path, after, made } of done) {
        await this._expect(path, after, made?.shared);
      }
      for (const one of done.splice(0).reverse()) {
        await this._undo(one);
      }
    };
    try {
      for (const change of changes) {
        done.push({ ...change, made: await this._write(change) });
      }
    } catch (error) {
      await undo();
      throw error;
    }
    return undo;
  }

  private async _write({ path, after }: ITextChange): Promise<IDone['made']> {
    const shared = (await this._open(path))?.shared;
    if (shared) {
      return { shared, step: edit(shared, after) };
    }
    await this._options.contents.save(path, file(after));
    return null;
  }

  private async _undo({ path, before, made }: IDone): Promise<void> {
    if (made && !made.shared.isDisposed) {
      const { shared, step } = made;
      if (shared.undoManager.undoStack.at(-1) === step) {
        shared.undo();
      } else {
        edit(shared, before ?? '');
      }
      return;
    }
    const { contents, documents } = this._options;
    const open = await this._open(path);
    if (before === null) {
      // Closes its editor, too.
      await documents.deleteFile(path);
    } else if (open) {
      // It may have been opened since. An editor does not read its file again.
      const { shared, context } = open;
      const isSaved = !context.model.dirty;
      edit(shared, inEditor(before));
      if (isSaved) {
        await context.save();
      }
    } else {
      await contents.save(path, file(before));
    }
  }

  /** Fail unless a file is as it is expected to be. */
  private async _expect(
    path: string,
    text: string | null,
    shared?: YFile
  ): Promise<void> {
    const now =
      shared && !shared.isDisposed
        ? { text: shared.getSource(), isOpen: true }
        : await this.read(path);
    const wanted = now?.isOpen && text !== null ? inEditor(text) : text;
    if ((now?.text ?? null) !== wanted) {
      const { trans } = this._options;
      throw new Error(
        trans.__(
          '%1 was changed meanwhile, so nothing was written. Look at the diff again.',
          safeName(path)
        )
      );
    }
  }

  /** An open editor and its text; null if the file is not open as text. */
  private async _open(
    path: string
  ): Promise<{ context: DocumentRegistry.Context; shared: YFile } | null> {
    const { documents } = this._options;
    const widget = documents.findWidget(path, null);
    const context = widget && documents.contextForWidget(widget);
    if (!context) {
      return null;
    }
    await context.ready;
    const { sharedModel } = context.model;
    if (!isText(sharedModel)) {
      return null;
    }
    if (context.model.readOnly) {
      const { trans } = this._options;
      throw new Error(trans.__('%1 is read-only.', safeName(path)));
    }
    return { context, shared: sharedModel };
  }
}

/**
 * The namespace for `TextFiles` statics.
 */
export namespace TextFiles {
  export interface IOptions {
    documents: Pick<
      IDocumentManager,
      'contextForWidget' | 'deleteFile' | 'findWidget'
    >;
    contents: Pick<Contents.IManager, 'get' | 'save'>;
    /** What a path leads to. */
    kindOf: (path: string) => Promise<IFileCheck['kind']>;
    trans: TranslationBundle;
  }
}

/** Replace what differs, as one step of undo; returns that step. */
function edit(shared: YFile, after: string): unknown {
  const before = shared.getSource();
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) {
    start++;
  }
  let same = 0;
  while (
    same < shorter - start &&
    before[before.length - 1 - same] === after[after.length - 1 - same]
  ) {
    same++;
  }
  const { undoManager } = shared;
  undoManager.stopCapturing();
  shared.updateSource(
    start,
    before.length - same,
    after.slice(start, after.length - same)
  );
  undoManager.stopCapturing();
  return undoManager.undoStack.at(-1);
}

/** A file's text as its editor has it, which writes it with the file's line ends again. */
function inEditor(text: string): string {
  return text.replace(/\r\n/g, '\n');
}

function isText(shared: unknown): shared is YFile {
  const { updateSource, cells } = shared as Partial<YFile> & {
    cells?: unknown;
  };
  return typeof updateSource === 'function' && cells === undefined;
}

function file(content: string): Partial<Contents.IModel> {
  return { type: 'file', format: 'text', content };
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof ServerConnection.ResponseError &&
    error.response.status === 404
  );
}
