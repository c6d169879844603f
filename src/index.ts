import { askingPlugin } from './bridge/asking';
import { attachMenuPlugin } from './bridge/attachmenu';
import {
  codeActionsPlugin,
  codeOutPlugin,
  originPlugin
} from './bridge/codeplugin';
import { referringPlugin } from './bridge/referring';
import { sidebarPlugin } from './bridge/sidebar';
import { variablesPlugin } from './bridge/variables';
import { cellToolsPlugin } from './chat/cells/celltools';
import { commandsPlugin } from './chat/commands';
import { contentsPlugin } from './chat/contents';
import { creationPlugin } from './chat/creation';
import { firstStepsPlugin } from './chat/firststeps/plugin';
import { journalNoticePlugin } from './chat/recovery/journalnotice';
import { chatPlugin, preludePlugin, referencesPlugin } from './chat/plugin';
import { searchPlugin } from './chat/notebook/search';
import { severalPlugin } from './chat/several/plugin';
import { statusPlugin } from './chat/recovery/statusitem';
import { diagramsPlugin } from './render/plugin';
import { requestPanelPlugin } from './requestpanel/plugin';
import { replayPlugin } from './replay/plugin';
import { comparePlugin } from './compare/plugin';
import { servicesPlugin } from './providers/plugin';
import { supportPlugin } from './chat/support';
import { usagePlugin } from './chat/usage/plugin';

export * from './bridge/codeaction';
export * from './chat/cells/prelude';
export * from './chat/composer/references/providers';
export * from './chat/tokens';
export type { IAttachment } from './document/attachments';
export {
  referenceAttachment,
  type IReference,
  type ReferenceKind
} from './document/references';
export * from './runs/tokens';

export default [
  servicesPlugin,
  supportPlugin,
  preludePlugin,
  referencesPlugin,
  diagramsPlugin,
  chatPlugin,
  commandsPlugin,
  severalPlugin,
  cellToolsPlugin,
  creationPlugin,
  firstStepsPlugin,
  searchPlugin,
  contentsPlugin,
  statusPlugin,
  usagePlugin,
  journalNoticePlugin,
  requestPanelPlugin,
  replayPlugin,
  comparePlugin,
  referringPlugin,
  askingPlugin,
  attachMenuPlugin,
  sidebarPlugin,
  variablesPlugin,
  codeActionsPlugin,
  codeOutPlugin,
  originPlugin
];
