import type { ISharedNotebook } from '@jupyter/ydoc';

import { trans } from '../base/words';
import {
  missingFiles,
  withholdMissing,
  type IMissingFile
} from '../document/missingfiles';
import type { RequestDraft } from '../request/draft';
import { isSent } from '../request/model';
import type { ChatFile } from './file';
import type { Notice } from './notice';

/** Lets no request leave without a file of which the content is missing, unless the user agrees. */
export class MissingFiles {
  constructor(private _options: MissingFiles.IOptions) {}

  /** Whether a request may be sent as it is; asks the user if something is missing in it. */
  async agrees(draft: RequestDraft): Promise<boolean> {
    const { confirm, file, notebook, notice } = this._options;
    const missing = this._missing(draft);
    if (!missing.length) {
      return true;
    }
    const names = missing.map(({ name }) => name || trans.__('an attachment'));
    if (confirm && (await confirm(names))) {
      withholdMissing(notebook, missing);
      file.autosave();
      return true;
    }
    notice.say(
      trans.__(
        'Nothing was sent: the content of %1 is missing in this file. Attach it again, or send without it.',
        names.join(', ')
      )
    );
    return false;
  }

  private _missing({ request }: RequestDraft): IMissingFile[] {
    const { base, sections } = request;
    // Bytes of an earlier request have what was there then.
    if (base.source !== 'live') {
      return [];
    }
    const cells = sections.filter(isSent).map(({ cell }) => cell);
    const { notebook } = this._options;
    return missingFiles(notebook, new Set([...cells, base.pair]));
  }
}

/**
 * The namespace for `MissingFiles` statics.
 */
export namespace MissingFiles {
  export interface IOptions {
    file: Pick<ChatFile, 'autosave'>;
    notebook: ISharedNotebook;
    notice: Pick<Notice, 'say'>;
    /** Asks whether a message may be sent without files with these names. */
    confirm?: (names: readonly string[]) => Promise<boolean>;
  }
}
