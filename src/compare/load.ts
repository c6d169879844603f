/** Loads the sides of a comparison: open chats as they are now, other files from the server. */
import type { Contents } from '@jupyterlab/services';

import { errorMessage } from '../base/errors';
import { trans } from '../base/words';
import type { IOpenChats } from '../chat/openchats';
import { chatTitle } from '../chat/chattitle';
import { ApiError, type TurnbookAPI } from '../runs/api';
import type { PriceOf } from '../session/prices';
import type { IItem } from './items';
import { CompareError, fileTitle, readSide, versionsBeside } from './read';
import type { ISide } from './side';

/** Larger files are not read, in bytes. */
const LARGEST = 64_000_000;

/** A side, or why there is none. */
export type Loaded =
  | {
      side: ISide;
      /** All versions of its pair; none if it is no version. */
      versions: readonly IItem[];
    }
  | { problem: string };

export interface ILoadOptions {
  tracker: Pick<IOpenChats, 'find'>;
  contents: Pick<Contents.IManager, 'get' | 'localPath'>;
  api: Pick<TurnbookAPI, 'getRequest'>;
  priceOf: PriceOf;
}

/** Load all sides; one that cannot be read does not keep the others from it. */
export async function loadSides(
  items: readonly IItem[],
  options: ILoadOptions
): Promise<Loaded[]> {
  const files = new Map<string, ReturnType<typeof readFile>>();
  return Promise.all(
    items.map(async item => {
      const { path } = item;
      try {
        let file = files.get(path);
        if (!file) {
          file = readFile(path, options);
          files.set(path, file);
        }
        const { title, notebook } = await file;
        const { priceOf, api } = options;
        const side = await readSide(item, {
          title,
          notebook,
          priceOf,
          getRequest: runId => pastRequest(runId, api)
        });
        return { side, versions: versionsBeside(item, notebook) };
      } catch (error) {
        return {
          problem:
            error instanceof CompareError
              ? error.message
              : trans.__('%1 cannot be read: %2', path, errorMessage(error))
        };
      }
    })
  );
}

async function readFile(
  path: string,
  { tracker, contents }: ILoadOptions
): Promise<{ title: string; notebook: unknown }> {
  const local = contents.localPath(path);
  const open = tracker.find(({ context }) => context.localPath === local);
  if (open?.model) {
    await open.context.ready;
    return { title: chatTitle(open), notebook: open.model.toJSON() };
  }
  const { size } = await contents.get(path, { content: false });
  if (size !== undefined && size > LARGEST) {
    throw new CompareError(
      trans.__(
        '%1 is too large to be compared: it has %2 MB, and at most %3 MB are read.',
        path,
        Math.ceil(size / 1e6),
        LARGEST / 1e6
      )
    );
  }
  // Read as a notebook, the server would restore the older version of a file that is being
  // written.
  const file = await contents.get(path, {
    type: 'file',
    format: 'text',
    content: true
  });
  return {
    title: fileTitle(path),
    notebook: JSON.parse(String(file.content)) as unknown
  };
}

async function pastRequest(
  runId: string,
  api: ILoadOptions['api']
): Promise<Uint8Array | null> {
  try {
    return await api.getRequest(runId);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      return null;
    }
    throw error;
  }
}
