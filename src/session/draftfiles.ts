import { isObject } from '../base/json';
import type { IRequestStorage } from '../base/storage';
import { isAttachable } from '../document/attachable';
import type { IAttachment } from '../document/attachments';
import { readReference } from '../document/references';

const PREFIX = 'turnbook:attachments:';

/**
 * Stores what is attached to messages that have not reached the server, in the browser's database.
 *
 * The files of a message are under the id of the cell that it becomes, each under its own key: adding
 * one does not write the others again.
 */
export class DraftFiles {
  constructor(private _storage: IRequestStorage) {}

  /** Resolves when everything is stored; rejects if something could not be. */
  get kept(): Promise<void> {
    return this._work;
  }

  /** Store the files of a message. */
  keep(pair: string, files: readonly IAttachment[]): Promise<void> {
    const before = this._known.get(pair) ?? [];
    const now = files.map(({ sha256 }) => sha256);
    this._known.set(pair, now);
    return this._do(async () => {
      for (const file of files) {
        if (!before.includes(file.sha256)) {
          await this._storage.set(keyOf(pair, file.sha256), file);
        }
      }
      if (now.length) {
        await this._storage.set(PREFIX + pair, now);
      } else {
        await this._storage.del(PREFIX + pair);
      }
      for (const gone of before.filter(hash => !now.includes(hash))) {
        await this._storage.del(keyOf(pair, gone));
      }
    });
  }

  /** The stored files of a message. */
  async read(pair: string): Promise<IAttachment[]> {
    const list = await this._storage.get(PREFIX + pair);
    const hashes = Array.isArray(list) ? list.map(String) : [];
    const files = await Promise.all(
      hashes.map(hash => this._storage.get(keyOf(pair, hash)))
    );
    const found = files.map(readFile).filter(isAttachable);
    this._known.set(
      pair,
      found.map(({ sha256 }) => sha256)
    );
    return found;
  }

  /** Delete the files of a message that the server has, or that has another id now. */
  async drop(pair: string): Promise<void> {
    await this.kept.catch(() => undefined);
    if (!this._known.has(pair)) {
      await this.read(pair);
    }
    await this.keep(pair, []);
    this._known.delete(pair);
  }

  private _do(work: () => Promise<void>): Promise<void> {
    this._work = this._work.catch(() => undefined).then(work);
    return this._work;
  }

  /** The hashes of the files that are stored for a message, or will be. */
  private _known = new Map<string, readonly string[]>();
  private _work: Promise<void> = Promise.resolve();
}

function keyOf(pair: string, hash: string): string {
  return `${PREFIX}${pair}:${hash}`;
}

/** A stored file; a reference that cannot be read is left out. */
function readFile(value: unknown): unknown {
  return isObject(value) && value.reference
    ? { ...value, reference: readReference(value.reference) }
    : value;
}
