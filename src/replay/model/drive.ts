import type { Contents } from '@jupyterlab/services';
import { ServerConnection } from '@jupyterlab/services';
import { PathExt } from '@jupyterlab/coreutils';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../../base/words';
import { REPLAY_EXTENSION } from './names';
import { clearedNotebook } from './projection';

/** The name of the drive. */
export const DRIVE = 'replay';

/** The name of all replays in JupyterLab's status bar, which shows the end of a path. */
const NAME = 'Replay';

/** The path at which a replay is opened. */
export function replayPath(key: string): string {
  return `${DRIVE}:${key}/${NAME}${REPLAY_EXTENSION}`;
}

/** The key of the replay at a path; null for a path of another drive. */
export function replayKeyOf(path: string): string | null {
  return path.startsWith(`${DRIVE}:`) && path.endsWith(REPLAY_EXTENSION)
    ? path
        .slice(DRIVE.length + 1, -REPLAY_EXTENSION.length)
        // Layouts of earlier versions have paths without a name.
        .replace(new RegExp(`/${NAME}$`), '')
    : null;
}

/**
 * A drive that stores nothing: every path is a notebook without cells, which a replay's view fills.
 *
 * A path without a replay is not an error, because JupyterLab would show a dialog for each tab that
 * it restores. Nothing can be written.
 */
export class ReplayDrive implements Contents.IDrive {
  readonly name = DRIVE;
  readonly serverSettings = ServerConnection.makeSettings();

  get fileChanged(): ISignal<this, Contents.IChangedArgs> {
    return this._fileChanged;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
  }

  async get(
    localPath: string,
    options?: Contents.IFetchOptions
  ): Promise<Contents.IModel> {
    const isNotebook = localPath.endsWith('.ipynb');
    const content = isNotebook ? clearedNotebook() : [];
    return {
      name: PathExt.basename(localPath),
      path: localPath,
      type: isNotebook ? 'notebook' : 'directory',
      format: 'json',
      mimetype: '',
      writable: false,
      created: EPOCH,
      last_modified: EPOCH,
      content: options?.content === false ? null : content
    };
  }

  async listCheckpoints(): Promise<Contents.ICheckpointModel[]> {
    return [];
  }

  getDownloadUrl(): Promise<string> {
    return this._refuse();
  }
  newUntitled(): Promise<Contents.IModel> {
    return this._refuse();
  }
  delete(): Promise<void> {
    return this._refuse();
  }
  rename(): Promise<Contents.IModel> {
    return this._refuse();
  }
  save(): Promise<Contents.IModel> {
    return this._refuse();
  }
  copy(): Promise<Contents.IModel> {
    return this._refuse();
  }
  createCheckpoint(): Promise<Contents.ICheckpointModel> {
    return this._refuse();
  }
  restoreCheckpoint(): Promise<void> {
    return this._refuse();
  }
  deleteCheckpoint(): Promise<void> {
    return this._refuse();
  }

  private async _refuse(): Promise<never> {
    throw new Error(
      trans.__(
        'A replay is read-only. Export a replay record to have it as a file.'
      )
    );
  }

  private _fileChanged = new Signal<this, Contents.IChangedArgs>(this);
  private _isDisposed = false;
}

const EPOCH = new Date(0).toISOString();
