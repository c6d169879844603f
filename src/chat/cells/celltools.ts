import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { CommandToolbarButton, Toolbar } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { ContextMenu, type PanelLayout } from '@lumino/widgets';

import { CELL_MENU, CELL_TOOLBAR } from '../../ui/commands';
import type { IOpenChats } from '../openchats';
import { IChatTracker } from '../tokens';
import { PairCell } from './cell';
import type { ChatPanel } from '../panel';

/** How long it may take until an active pair gets the toolbar. */
const TOOLBAR_MS = 150;

/** Adds the toolbar and the context menu of cells. */
export const cellToolsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:cell-tools',
  description: 'The toolbar of the active pair and the context menu of cells.',
  autoStart: true,
  requires: [IChatTracker],
  activate: (app: JupyterFrontEnd, tracker: IOpenChats): void => {
    const { commands } = app;
    // A separate menu: the application's would also list the notebook's entries, which all match
    // these cells but cannot act on them.
    const menu = new ContextMenu({ commands });
    for (const [rank, command] of CELL_MENU.entries()) {
      menu.addItem({ command, selector: '.jp-Turnbook-notebook', rank });
    }
    tracker.widgetAdded.connect((_, panel) => {
      showToolbar(panel, commands);
      panel.content.node.addEventListener('contextmenu', event => {
        // With Shift the browser's own menu opens, as everywhere in JupyterLab.
        if (!event.shiftKey && menu.open(event)) {
          event.preventDefault();
          event.stopPropagation();
        }
      });
    });
  }
};

/** One toolbar for a chat, moved to the active pair: thousands would be slow. */
function showToolbar(panel: ChatPanel, commands: CommandRegistry): void {
  let toolbar: Toolbar | null = null;
  const move = () => {
    toolbar?.dispose();
    toolbar = null;
    if (panel.isDisposed) {
      return;
    }
    const cell = panel.content.activeCell;
    if (!(cell instanceof PairCell) || cell.isDisposed) {
      return;
    }
    toolbar = new Toolbar();
    toolbar.addClass('jp-Turnbook-cellToolbar');
    for (const id of CELL_TOOLBAR) {
      const caption = nameOf(id, commands);
      toolbar.addItem(
        id,
        new CommandToolbarButton({ commands, id, label: '', caption })
      );
    }
    const place = toolbar;
    void cell.ready.then(() => {
      if (!cell.isDisposed && !place.isDisposed) {
        (cell.layout as PanelLayout).insertWidget(0, place);
      }
    });
  };
  // Creating one takes a frame, and it cannot be clicked sooner.
  let idle = 0;
  panel.content.activeCellChanged.connect(() => {
    cancelIdleCallback(idle);
    idle = requestIdleCallback(move, { timeout: TOOLBAR_MS });
  });
  move();
}

/** A button's name: the command's label and its keys. The caption would be longer. */
function nameOf(id: string, commands: CommandRegistry): string {
  const keys = commands.keyBindings
    .find(({ command }) => command === id)
    ?.keys.map(CommandRegistry.formatKeystroke);
  return keys
    ? `${commands.label(id)} (${keys.join(', ')})`
    : commands.label(id);
}
