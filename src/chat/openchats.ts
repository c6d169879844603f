import type { IWidgetTracker } from '@jupyterlab/apputils';

import type { ChatPanel } from './panel';

/** The tracker that `IChatTracker` provides, with all that Turnbook itself knows of a chat. */
export interface IOpenChats extends IWidgetTracker<ChatPanel> {}
