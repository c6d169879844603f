import { PathExt } from '@jupyterlab/coreutils';

import { trans } from '../base/words';
import { bestMatches } from '../chat/composer/references/match';
import type {
  IReferenceItem,
  IReferenceProvider
} from '../chat/composer/references/providers';
import type { IChatPanel } from '../chat/tokens';
import type { IAttachment } from '../document/attachments';
import { Pair } from '../document/pair';
import { pairMarkdown } from '../document/pairmarkdown';
import { referenceAttachment } from '../document/references';
import { CellIndex, readAll, type ICellEntry } from './cellindex';
import { cutMiddle } from './cuttext';

/** How long a pair may be, in characters. */
const LIMIT = 200_000;

/** Offers the earlier messages of the chat, the last first. */
export function pairProvider(): IReferenceProvider {
  const indices = new WeakMap<IChatPanel, CellIndex>();
  return {
    id: 'jupyterlab-turnbook:pairs',
    get label() {
      return trans.__('Earlier messages of this chat');
    },
    find: async (query, limit, signal, chat) => {
      const index = indices.get(chat) ?? new CellIndex(chat);
      indices.set(chat, index);
      await readAll([index], signal);
      return bestMatches(lastFirst(index.entries), query, limit).map(
        (entry): IReferenceItem => ({
          kind: 'pair',
          label: entry.line,
          freeze: async () => {
            const found = frozenPair(chat, entry.id);
            if (!found) {
              throw new Error(
                trans.__('the message is not in this chat any more.')
              );
            }
            return [found];
          }
        })
      );
    }
  };
}

function* lastFirst(entries: readonly ICellEntry[]): Iterable<ICellEntry> {
  for (let n = entries.length - 1; n >= 0; n--) {
    if (
      entries[n].panel.model?.cells.get(entries[n].number - 1)?.type === 'code'
    ) {
      yield entries[n];
    }
  }
}

/** A message and its reply, as they are now; null if they are gone. */
export function frozenPair(chat: IChatPanel, id: string): IAttachment | null {
  const { cells } = chat.model!.sharedModel;
  const number = cells.findIndex(cell => cell.getId() === id) + 1;
  const pair = number ? Pair.of(cells[number - 1]) : null;
  if (!pair) {
    return null;
  }
  const { user, rounds, reply } = pair.text;
  const { path, localPath } = chat.context;
  const text = pairMarkdown({
    user,
    rounds,
    reply,
    // They are sent, so they are not translated.
    names: { user: 'User', tools: 'Tools', model: 'Assistant' }
  });
  return referenceAttachment(
    {
      kind: 'pair',
      path,
      name: `${PathExt.basename(localPath)} · cell ${number}`,
      cellId: id,
      at: Date.now(),
      language: 'markdown'
    },
    cutMiddle(text, LIMIT)
  );
}
