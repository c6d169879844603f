import type { Contents } from '@jupyterlab/services';

import type { IFindable } from '../chat/composer/references/match';

/** A file of the server, as it is searched. */
export interface IFileEntry extends IFindable {
  path: string;
  name: string;
}

/**
 * How many folders are listed for one search, and how many files are kept. As many folders again are
 * listed of those that the user names, however many others there are.
 */
const FOLDERS = 200;
const FILES = 20_000;

/** How long a listing is used again, within a search and by the next one. */
const FRESH_MS = 30_000;
const REPEAT_MS = 500;

/** When what could not be listed is tried again. */
const RETRY_MS = 300;

/** How many folders are listed at the same time. */
const AT_ONCE = 4;

/** Folders with files that people do not write. */
const SKIPPED = new Set(['node_modules', '__pycache__', 'site-packages']);

/**
 * The files under the server's root, as far as they are needed.
 *
 * It lists folders, nearest to the root first, while somebody searches; no file is read.
 */
export class FileIndex {
  constructor(
    private _contents: Pick<Contents.IManager, 'get'>,
    private _now: () => number = Date.now
  ) {}

  /** The files that are known so far. */
  get files(): readonly IFileEntry[] {
    return this._files;
  }

  /**
   * List folders until all are listed, there are too many, or nobody needs them any more.
   *
   * @param folders - Those to list first, such as the one whose name the user types.
   * @param isNew - Whether the user has just begun to search, so that new files are to be seen.
   */
  async list(
    folders: readonly string[],
    signal: AbortSignal,
    isNew = false
  ): Promise<void> {
    const age = this._now() - this._startedAt;
    if (age > (isNew ? REPEAT_MS : FRESH_MS)) {
      this._startedAt = this._now();
      this._files = [];
      this._failed = [];
      this._guessed.clear();
      this._listed.clear();
      this._named = [];
      this._queue = [''];
    }
    for (const folder of folders) {
      if (!this._listed.has(folder) && this._guessed.size < FOLDERS) {
        this._guessed.add(folder);
        this._named.push(folder);
      }
    }
    this._retry();
    await this._work(signal);
    if (this._failed.length && !signal.aborted) {
      await new Promise(resolve => setTimeout(resolve, RETRY_MS));
      this._retry();
      await this._work(signal);
    }
  }

  /** List again what could not be listed. */
  private _retry(): void {
    for (const folder of this._failed.splice(0)) {
      this._listed.delete(folder);
      this._queue.push(folder);
    }
  }

  private async _work(signal: AbortSignal): Promise<void> {
    const work = async () => {
      while (
        (this._named.length ||
          (!this._isFull && (this._queue.length || this._running.size))) &&
        !signal.aborted
      ) {
        const folder = this._named.shift() ?? this._queue.shift();
        // A folder that an earlier search began to list may have others in it.
        await (folder === undefined
          ? Promise.race(this._running)
          : this._run(folder));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  /** Whether no more folders are listed but those that are named. */
  private get _isFull(): boolean {
    return (
      this._listed.size - this._guessed.size >= FOLDERS ||
      this._files.length >= FILES
    );
  }

  private async _run(folder: string): Promise<void> {
    const work = this._listOne(folder);
    this._running.add(work);
    await work;
    this._running.delete(work);
  }

  private async _listOne(folder: string): Promise<void> {
    if (this._listed.has(folder)) {
      return;
    }
    this._listed.add(folder);
    // A search that begins meanwhile has lists of its own.
    const { _failed: failed, _files: files, _queue: queue } = this;
    try {
      const { content, type } = await this._contents.get(folder, {
        content: true,
        type: 'directory'
      });
      if (type !== 'directory' || !Array.isArray(content)) {
        return;
      }
      for (const one of content as Contents.IModel[]) {
        // The server may be set to list hidden files.
        if (one.name.startsWith('.')) {
          continue;
        }
        if (one.type !== 'directory') {
          files.push({
            path: one.path,
            name: one.name,
            text: `${one.name} ${one.path}`.toLowerCase()
          });
        } else if (!SKIPPED.has(one.name)) {
          queue.push(one.path);
        }
      }
    } catch (error) {
      // A server fails to list a folder in which a file is being written or deleted. One that the
      // user typed may not exist.
      console.debug(`Turnbook: ${folder} cannot be listed`, error);
      if (!this._guessed.has(folder)) {
        failed.push(folder);
      }
    }
  }

  /** What could not be listed, and is tried again. */
  private _failed: string[] = [];
  private _files: IFileEntry[] = [];
  /** What the user typed. */
  private _guessed = new Set<string>();
  private _listed = new Set<string>();
  /** Those of them that are to be listed. */
  private _named: string[] = [];
  private _queue: string[] = [];
  private _running = new Set<Promise<void>>();
  private _startedAt = -Infinity;
}
