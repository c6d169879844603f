import { PathExt } from '@jupyterlab/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { shortTitle } from '../document/title';
import { chatName } from '../request/name';
import type { ChatSettings } from '../session/settings';
import type { ChatPanel } from './panel';

/** The names of files that nobody has named yet. */
const UNTITLED = /^Untitled\d*\.chat(-Copy\d*)?\.ipynb$/;

/** Those of chats that were started from a replay of such a file. */
const REPLAYED = /^Untitled\d*(-replay\d*)+\.chat(-Copy\d*)?\.ipynb$/;

/** Whether a chat's file has the name that it was made with. */
export function isUntitled(path: string): boolean {
  return UNTITLED.test(PathExt.basename(path));
}

/** The first message of a chat, as a title; empty if there is none. */
export function firstMessage(panel: ChatPanel): string {
  const first = panel.session.context.records.find(
    ({ kind, isSpare, user }) => kind === 'pair' && !isSpare && user.trim()
  );
  return first ? shortTitle(first.user) : '';
}

/** What an open chat is called: the title of its tab, without a file's extension. */
export function chatTitle({ context, title }: ChatPanel): string {
  const { localPath } = context;
  return title.label === PathExt.basename(localPath)
    ? chatName(localPath)
    : title.label;
}

/** Title a chat's tab by its first message until its file has a name of its own. */
export function titleTab(
  panel: ChatPanel,
  settings: ChatSettings,
  trans: TranslationBundle
): void {
  const { context, session, title } = panel;
  // JupyterLab would rename the file when the title changes.
  Signal.disconnectBetween(title, panel);
  const show = () => {
    if (panel.isDisposed) {
      return;
    }
    const name = PathExt.basename(context.localPath);
    const isReplayed = REPLAYED.test(name);
    const first =
      settings.current.chatTitle === 'first-message' &&
      (isReplayed || isUntitled(name))
        ? firstMessage(panel)
        : '';
    title.label =
      first && isReplayed
        ? trans.__('%1 (from a replay)', first)
        : first || name;
  };
  context.pathChanged.connect(show);
  session.context.changed.connect(show);
  settings.changed.connect(show);
  panel.disposed.connect(() => settings.changed.disconnect(show));
  void context.ready.then(show);
}
