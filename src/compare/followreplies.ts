/** Reads comparisons again when a reply that they show has landed. */
import type { Contents } from '@jupyterlab/services';

import type { ChatPanel } from '../chat/panel';
import type { IOpenChats } from '../chat/openchats';
import type { IItem } from './items';
import type { IComparisons } from './start';

/** Read comparisons again whenever a reply in one of their chats has landed, here or in another page. */
export function followReplies({
  chats,
  comparisons,
  contents
}: IOptions): void {
  const follow = ({ context, session }: ChatPanel) => {
    const refresh = (concerns: (item: IItem) => boolean) =>
      comparisons.forEach(({ content }) => {
        const shows = content.items.some(
          item =>
            contents.localPath(item.path) === context.localPath &&
            concerns(item)
        );
        if (shows) {
          void content.refresh();
        }
      });
    session.landed.connect((_, pair) =>
      refresh(item => (item.pair ?? pair) === pair)
    );
    // What another page landed is in the file.
    session.reread.connect(() => refresh(() => true));
  };
  chats.forEach(follow);
  chats.widgetAdded.connect((_, chat) => follow(chat));
}

interface IOptions {
  chats: Pick<IOpenChats, 'forEach' | 'widgetAdded'>;
  comparisons: Pick<IComparisons, 'forEach'>;
  contents: Pick<Contents.IManager, 'localPath'>;
}
