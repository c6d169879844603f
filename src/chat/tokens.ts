import type { IWidgetTracker } from '@jupyterlab/apputils';
import { Token } from '@lumino/coreutils';

import type { ChatPanel } from './panel';

/**
 * The open chats.
 */
export interface IChatTracker extends IWidgetTracker<ChatPanel> {}

/** The token of the tracker. */
export const IChatTracker = new Token<IChatTracker>(
  'jupyterlab-turnbook:IChatTracker',
  'The open chats. They are not among the notebooks of INotebookTracker.'
);
