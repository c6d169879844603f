/**
 * The plugins that are there when the page starts. Those of open chats are in `rooms.ts`.
 */
import { askingPlugin } from './bridge/asking';
import { codeActionsPlugin } from './bridge/codeactionsplugin';
import { originPlugin } from './bridge/showorigin';
import { creationPlugin } from './chat/creation';
import { helpMenuPlugin } from './chat/firststeps/helpmenu';
import { chatPlugin, preludePlugin, referencesPlugin } from './chat/plugin';
import { statusPlugin } from './chat/recovery/statusitem';
import { supportPlugin } from './chat/support';
import { comparisonsPlugin } from './compare/start';
import { servicesPlugin } from './providers/plugin';
import { replayPanelsPlugin } from './replay/start';
import { panelPlacePlugin } from './requestpanel/start';
import { rerunPlugin } from './rerun/plugin';
import { addressPlugin, latePlugin } from './start';

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
  latePlugin,
  servicesPlugin,
  supportPlugin,
  preludePlugin,
  referencesPlugin,
  codeActionsPlugin,
  chatPlugin,
  addressPlugin,
  creationPlugin,
  helpMenuPlugin,
  statusPlugin,
  panelPlacePlugin,
  replayPanelsPlugin,
  comparisonsPlugin,
  rerunPlugin,
  askingPlugin,
  originPlugin
];
