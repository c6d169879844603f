import { PathExt } from '@jupyterlab/coreutils';

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

/** How long a search waits for folders before it shows what is known. */
const PATIENCE_MS = 1500;

/** Offers the files under the server's root. */
export function fileProvider(reader: IFileReader): IReferenceProvider {
  const index = new FileIndex(reader.contents);
  return {
    id: 'jupyterlab-turnbook:files',
    get label() {
      return trans.__('Files');
    },
    find: async (query, limit, signal) => {
      const folder = query.includes('/') ? PathExt.dirname(query) : null;
      await Promise.race([
        index.list(folder === null ? [] : [folder], signal),
        new Promise(resolve => setTimeout(resolve, PATIENCE_MS))
      ]);
      return bestMatches(index.files, query, limit).map(
        ({ path, name }): IReferenceItem => ({
          kind: 'file',
          label: name,
          ...(path === name ? {} : { detail: PathExt.dirname(path) }),
          freeze: async () => [await freezeFile(path, reader)]
        })
      );
    }
  };
}
