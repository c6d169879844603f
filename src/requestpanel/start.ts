import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator } from '@jupyterlab/translation';
import { Token } from '@lumino/coreutils';

import type { IOpenChats } from '../chat/openchats';
import { IChatTracker } from '../chat/tokens';
import { ChatSettings, SETTINGS } from '../session/settings';
import { refreshCommands } from '../ui/refresh';
import { RequestPanel } from './requestpanel';

/** The Request panel, and whether it is enabled. */
export interface IRequestPanel {
  readonly panel: RequestPanel;
  isOn(): boolean;
}

/** The token of the Request panel. */
export const IRequestPanel = new Token<IRequestPanel>(
  'jupyterlab-turnbook:IRequestPanel',
  'The Request panel, and whether it is enabled.'
);

/** Places the Request panel, so that a layout can have it open. */
export const panelPlacePlugin: JupyterFrontEndPlugin<IRequestPanel> = {
  id: 'jupyterlab-turnbook:request-place',
  description: 'The place of the Request panel in the right sidebar.',
  autoStart: true,
  requires: [IChatTracker, ITranslator],
  optional: [ILayoutRestorer, ISettingRegistry],
  provides: IRequestPanel,
  activate: (
    app: JupyterFrontEnd,
    tracker: IOpenChats,
    translator: ITranslator,
    restorer: ILayoutRestorer | null,
    registry: ISettingRegistry | null
  ): IRequestPanel => {
    const trans = translator.load('jupyterlab_turnbook');
    const settings = new ChatSettings();
    if (registry) {
      settings.load(registry.load(SETTINGS));
    }
    const isOn = () => settings.current['requestEditor.enabled'];
    const panel = new RequestPanel({ tracker, trans });
    restorer?.add(panel, panel.id);

    const place = () => {
      if (isOn() && !panel.isAttached) {
        app.shell.add(panel, 'right', { rank: 900, type: 'Turnbook' });
      } else if (!isOn() && panel.isAttached) {
        panel.parent = null;
      }
      refreshCommands(app.commands);
    };
    settings.changed.connect(place);
    place();
    return { panel, isOn };
  }
};
