/** Reads comparisons again when a reply that they show has landed. */
import type { Contents } from '@jupyterlab/services';

import type { ChatPanel } from '../chat/panel';
import type { IOpenChats } from '../chat/openchats';
import type { IComparisons } from './start';

/** Read comparisons again whenever a reply in one of their chats has landed. */
export function followReplies({
  chats,
  comparisons,
  contents
}: IOptions): void {
  const follow = ({ context, session }: ChatPanel) => {
    session.landed.connect((_, pair) => {
      comparisons.forEach(({ content }) => {
        const shows = content.items.some(
          item =>
            contents.localPath(item.path) === context.localPath &&
            (item.pair ?? pair) === pair
        );
        if (shows) {
          void content.refresh();
        }
      });
    });
  };
  chats.forEach(follow);
  chats.widgetAdded.connect((_, chat) => follow(chat));
}

interface IOptions {
  chats: Pick<IOpenChats, 'forEach' | 'widgetAdded'>;
  comparisons: Pick<IComparisons, 'forEach'>;
  contents: Pick<Contents.IManager, 'localPath'>;
}
