import { cellToolsPlugin } from './chat/celltools';
import { commandsPlugin } from './chat/commands';
import { creationPlugin } from './chat/creation';
import { journalNoticePlugin } from './chat/journalnotice';
import { chatPlugin, preludePlugin } from './chat/plugin';
import { searchPlugin } from './chat/search';
import { statusPlugin } from './chat/statusitem';
import { requestPanelPlugin } from './request/panel/plugin';
import { replayPlugin } from './replay/plugin';
import { servicesPlugin } from './runs/plugin';

export * from './chat/prelude';
export * from './tokens';

export default [
  servicesPlugin,
  preludePlugin,
  chatPlugin,
  commandsPlugin,
  cellToolsPlugin,
  creationPlugin,
  searchPlugin,
  statusPlugin,
  journalNoticePlugin,
  requestPanelPlugin,
  replayPlugin
];
