import {
  codeActionsPlugin,
  codeOutPlugin,
  originPlugin
} from './bridge/codeplugin';
import { cellToolsPlugin } from './chat/cells/celltools';
import { commandsPlugin } from './chat/commands';
import { contentsPlugin } from './chat/contents';
import { creationPlugin } from './chat/creation';
import { firstStepsPlugin } from './chat/firststeps/plugin';
import { journalNoticePlugin } from './chat/recovery/journalnotice';
import { chatPlugin, preludePlugin } from './chat/plugin';
import { searchPlugin } from './chat/notebook/search';
import { statusPlugin } from './chat/recovery/statusitem';
import { diagramsPlugin } from './render/plugin';
import { requestPanelPlugin } from './requestpanel/plugin';
import { replayPlugin } from './replay/plugin';
import { servicesPlugin } from './providers/plugin';
import { supportPlugin } from './chat/support';

export * from './bridge/codeaction';
export * from './chat/cells/prelude';
export * from './chat/tokens';
export * from './runs/tokens';

export default [
  servicesPlugin,
  supportPlugin,
  preludePlugin,
  diagramsPlugin,
  chatPlugin,
  commandsPlugin,
  cellToolsPlugin,
  creationPlugin,
  firstStepsPlugin,
  searchPlugin,
  contentsPlugin,
  statusPlugin,
  journalNoticePlugin,
  requestPanelPlugin,
  replayPlugin,
  codeActionsPlugin,
  codeOutPlugin,
  originPlugin
];
