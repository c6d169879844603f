import { PathExt } from '@jupyterlab/coreutils';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import {
  freezeFile,
  type IFileReader
} from '../chat/composer/files/serverfile';
import { bestMatches } from '../chat/composer/references/match';
import type {
  IReferenceItem,
  IReferenceProvider
} from '../chat/composer/references/providers';
import { FileIndex } from './fileindex';

/** How long a search waits for more folders before it shows what it has found. */
const PATIENCE_MS = 300;

/** Offers the files under the server's root. */
export class FileProvider implements IReferenceProvider {
  /**
   * @param accept - Freezes what another extension describes.
   */
  constructor(
    private _reader: IFileReader,
    readonly accept: IReferenceProvider['accept'] = undefined
  ) {
    this._index = new FileIndex(_reader.contents);
  }

  readonly id = 'jupyterlab-turnbook:files';

  get label(): string {
    return trans.__('Files');
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  async find(
    typed: string,
    limit: number,
    signal: AbortSignal
  ): Promise<IReferenceItem[]> {
    // As in Jupyter AI.
    const query = typed.replace(/^file:/, '');
    // With a name after it: what ends in `/` is a folder itself.
    const folder = PathExt.dirname(`${query}…`);
    const listing = this._index
      .list(folder ? [folder] : [], signal, query === '')
      .then(() => true);
    for (;;) {
      const isDone = await Promise.race([listing, later(false)]);
      const found = bestMatches(this._index.files, query, limit);
      if (isDone || signal.aborted) {
        return found.map(entry => this._item(entry));
      }
      if (found.length) {
        void Promise.race([listing, later(true)]).then(() => {
          if (!signal.aborted) {
            this._changed.emit();
          }
        });
        return found.map(entry => this._item(entry));
      }
    }
  }

  private _item({
    path,
    name
  }: {
    path: string;
    name: string;
  }): IReferenceItem {
    return {
      kind: 'file',
      label: name,
      ...(path === name ? {} : { detail: PathExt.dirname(path) }),
      freeze: async () => [(await freezeFile(path, this._reader)).file]
    };
  }

  private _changed = new Signal<this, void>(this);
  private _index: FileIndex;
}

function later<T>(value: T): Promise<T> {
  return new Promise(resolve => setTimeout(() => resolve(value), PATIENCE_MS));
}
