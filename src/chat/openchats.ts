import type { IWidgetTracker } from '@jupyterlab/apputils';

import type { ChatPanel } from './panel';

/** The tracker that `IChatTracker` provides, with Turnbook's own type of panel. */
export interface IOpenChats extends IWidgetTracker<ChatPanel> {}

/** The name of the chats' widget factory, as *Open With* shows it. */
export const FACTORY = 'Turnbook Chat';
