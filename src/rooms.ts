/**
 * The plugins that are loaded with the first chat, or with the first command that needs them. Those
 * that are there from the start are in `index.ts`.
 */
import { attachMenuPlugin } from './bridge/attachmenu';
import { codeOutPlugin } from './bridge/codeplugin';
import { referringPlugin } from './bridge/referring';
import { sidebarPlugin } from './bridge/sidebar';
import { variablesPlugin } from './bridge/variables';
import { cellToolsPlugin } from './chat/cells/celltools';
import { commandsPlugin } from './chat/commands';
import { contentsPlugin } from './chat/contents';
import { firstStepsPlugin } from './chat/firststeps/plugin';
import { searchPlugin } from './chat/notebook/search';
import { journalNoticePlugin } from './chat/recovery/journalnotice';
import { severalPlugin } from './chat/several/plugin';
import { usagePlugin } from './chat/usage/plugin';
import { viewPlugin } from './chat/viewplugin';
import { comparePlugin } from './compare/plugin';
import { diagramsPlugin } from './render/plugin';
import { replayPlugin } from './replay/plugin';
import { requestPanelPlugin } from './requestpanel/plugin';

export default [
  diagramsPlugin,
  viewPlugin,
  commandsPlugin,
  severalPlugin,
  cellToolsPlugin,
  firstStepsPlugin,
  searchPlugin,
  contentsPlugin,
  usagePlugin,
  journalNoticePlugin,
  requestPanelPlugin,
  replayPlugin,
  comparePlugin,
  referringPlugin,
  attachMenuPlugin,
  sidebarPlugin,
  variablesPlugin,
  codeOutPlugin
];
