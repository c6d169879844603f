import { trans } from '../base/words';
import type { ModelCatalog } from '../runs/catalog';
import type { ChatAbout } from './about';
import type { ChatEntry } from './entry';
import type { ChatFile } from './file';
import type { FileAnswer, IAskedModels, IFileAsk } from './fileask';
import type { Notice } from './notice';

/** Whether requests of a file may be sent: the user decides about a file from elsewhere. */
export class FilePermit {
  constructor(private _options: FilePermit.IOptions) {}

  /** Whether this file may send to these models; if not, the user was told why or declined. */
  async mayLeave(asked: IAskedModels): Promise<boolean> {
    const { entry, notice } = this._options;
    if (entry.unclaimed) {
      notice.say(
        trans.__(
          'Nothing was sent: first choose whether this file is the chat whose replies were never saved, or a copy.'
        )
      );
      return false;
    }
    return this._isAsking ? false : this._permitted(asked);
  }

  /** Ignore answers from now on. */
  dispose(): void {
    this._isDisposed = true;
  }

  /** Whether the user allows what the file requests; asks until that is clear. */
  private async _permitted(asked: IAskedModels): Promise<boolean> {
    const { about, catalog, ask } = this._options;
    const next = () => about.asksFor(asked);
    for (let asks = next(); asks; asks = next()) {
      const { localModel } = catalog;
      let answer: FileAnswer;
      this._isAsking = true;
      try {
        answer = await ask(asks, localModel);
      } finally {
        this._isAsking = false;
      }
      if (this._isDisposed || answer === null) {
        return false;
      }
      if (answer === 'local') {
        this._keepLocal(localModel);
        return false;
      }
      about.ensure();
      about.agree(asks.terms);
    }
    return true;
  }

  /**
   * Use the embedded model from now on. Nothing is sent: what fits into it is not what the user saw
   * when sending.
   */
  private _keepLocal(model: string | null): void {
    if (model === null) {
      return;
    }
    const { about, file, notice } = this._options;
    about.model = model;
    // A file that was no chat yet has no place for the answer before.
    about.ensure();
    file.autosave();
    notice.say(
      trans.__(
        'Nothing was sent. This chat uses %1 now; send again to use it.',
        model
      )
    );
  }

  /** Whether the user is being asked. */
  private _isAsking = false;
  private _isDisposed = false;
}

/**
 * The namespace for `FilePermit` statics.
 */
export namespace FilePermit {
  export interface IOptions {
    about: Pick<ChatAbout, 'asksFor' | 'ensure' | 'agree' | 'model'>;
    entry: Pick<ChatEntry, 'unclaimed'>;
    catalog: Pick<ModelCatalog, 'localModel'>;
    file: Pick<ChatFile, 'autosave'>;
    notice: Notice;
    /**
     * Asks the user about what a file from elsewhere requests; `local` is the embedded model, if
     * known.
     */
    ask: (asks: IFileAsk, local: string | null) => Promise<FileAnswer>;
  }
}
