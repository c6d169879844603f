/** Clears replays whose source was cancelled, deleted or closed. */
import type { Contents } from '@jupyterlab/services';

import { isUntitled } from '../../chat/chattitle';
import type { ChatPanel } from '../../chat/panel';
import { chatName } from '../../request/name';
import type { ReplayManager } from './manager';

/** Clear the replays of a chat when their turns are cancelled or deleted, or the chat is closed. */
export function watchChat(
  chat: ChatPanel,
  manager: ReplayManager,
  isOpenElsewhere: (chatId: string) => boolean
): void {
  const { session } = chat;
  const idOf = () => session.info?.chatId ?? chat.context.path;
  let chatId = idOf();
  const shared = chat.model!.sharedModel;
  const pairs = () => new Set(shared.cells.map(cell => cell.getId()));
  let seen = pairs();

  const onCells = () => {
    // A refused message moves from the cells back into the composer.
    queueMicrotask(() => {
      if (chat.isDisposed) {
        return;
      }
      const now = pairs();
      for (const { key, origin } of manager.list(idOf())) {
        const { pair } = origin;
        if (seen.has(pair) && !now.has(pair) && session.draft.pair !== pair) {
          manager.clear(key, 'pair-deleted');
        }
      }
      seen = now;
    });
  };
  shared.changed.connect((_, change) => {
    if (change.cellsChange) {
      onCells();
    }
  });
  session.changed.connect(() => {
    const now = idOf();
    if (now !== chatId) {
      manager.adopt(chatId, now);
      chatId = now;
    }
  });
  session.review.canceled.connect((_, { pair }) =>
    manager.clear(manager.keyOf({ chatId: idOf(), pair }), 'cancelled')
  );
  session.requests.parity.changed.connect((_, pair) =>
    manager.look(idOf(), pair)
  );
  session.landed.connect((_, pair) => manager.look(idOf(), pair));
  manager.look(chatId);
  chat.disposed.connect(() => {
    if (!isOpenElsewhere(chatId)) {
      manager.clearChat(chatId, 'chat-closed');
    }
  });
}

/** Clear the replays of files that are deleted, and follow those that are renamed. */
export function watchFiles(
  contents: Contents.IManager,
  manager: ReplayManager
): void {
  contents.fileChanged.connect((_, { type, oldValue, newValue }) => {
    const path = oldValue?.path;
    if (path === undefined) {
      return;
    }
    for (const { key, origin } of manager.list()) {
      const isIn = origin.path === path || origin.path.startsWith(`${path}/`);
      if (isIn && type === 'delete') {
        manager.clear(key, 'file-deleted');
      } else if (isIn && type === 'rename' && newValue?.path !== undefined) {
        const next = newValue.path + origin.path.slice(path.length);
        // The title of a file without a name is its first message.
        const name = isUntitled(next) ? origin.name : chatName(next);
        manager.move(key, next, name);
      }
    }
  });
}
