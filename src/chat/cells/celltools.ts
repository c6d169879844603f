import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator } from '@jupyterlab/translation';
import {
  addToolbarButtonClass,
  CommandToolbarButton,
  ellipsesIcon,
  ReactWidget,
  Toolbar,
  ToolbarButtonComponent
} from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { ContextMenu, type PanelLayout, type Widget } from '@lumino/widgets';
import { createElement } from 'react';

import { menuRenderer } from '../../filter/menurenderer';
import { type CommandID } from '../../ui/commandids';
import { commandLooks, type ICommandLook } from '../../ui/commands';
import {
  addGroups,
  CELL_MENU,
  CELL_TOOLBAR,
  PAIR_MENU,
  RARE
} from '../../ui/menus';
import type { IOpenChats } from '../openchats';
import { IChatTracker } from '../tokens';
import { PairCell } from './cell';
import type { ChatPanel } from '../panel';

type Looks = Record<CommandID, ICommandLook>;

/** How long it may take until an active pair gets the toolbar. */
const TOOLBAR_MS = 150;

/** Adds the toolbar and the context menu of cells. */
export const cellToolsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:cell-tools',
  description: 'The toolbar of the active pair and the context menu of cells.',
  autoStart: true,
  requires: [IChatTracker, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: IOpenChats,
    translator: ITranslator
  ): void => {
    const { commands } = app;
    const trans = translator.load('jupyterlab_turnbook');
    const looks = commandLooks(trans);
    tracker.widgetAdded.connect((_, panel) => {
      showToolbar(panel, commands, looks, trans.__('More actions'));
      panel.content.node.addEventListener('contextmenu', event => {
        // With Shift the browser's own menu opens, as everywhere in JupyterLab.
        if (!event.shiftKey && cellMenu(commands).open(event)) {
          event.preventDefault();
          event.stopPropagation();
        }
      });
    });
  }
};

/**
 * The context menu of a cell, with what applies to it now.
 *
 * It is separate from the application's, which would also list the notebook's entries; those all
 * match these cells but cannot act on them.
 */
function cellMenu(commands: CommandRegistry): ContextMenu {
  const menu = new ContextMenu({
    commands,
    renderer: menuRenderer,
    groupByTarget: false,
    sortBySelector: false
  });
  const groups = PAIR_MENU.map(group =>
    group.filter(id => !RARE.includes(id) || commands.isEnabled(id))
  );
  const rank = addGroups(menu, groups, '.jp-Turnbook-pair');
  addGroups(menu, CELL_MENU, '.jp-Turnbook-notebook', rank);
  return menu;
}

/** One toolbar for a chat, moved to the active pair: thousands would be slow. */
export function showToolbar(
  panel: Pick<ChatPanel, 'content' | 'isDisposed'>,
  commands: CommandRegistry,
  looks: Looks,
  more: string
): void {
  let toolbar: Toolbar | null = null;
  const move = () => {
    if (toolbar?.parent && toolbar.parent === panel.content.activeCell) {
      // It is there, and may have the focus.
      return;
    }
    const hadFocus = toolbar?.node.contains(document.activeElement);
    toolbar?.dispose();
    toolbar = null;
    if (panel.isDisposed) {
      return;
    }
    const cell = panel.content.activeCell;
    if (hadFocus) {
      // Otherwise the next key would begin at the top of the page.
      cell?.node.focus();
    }
    if (!(cell instanceof PairCell) || cell.isDisposed) {
      return;
    }
    toolbar = new Toolbar();
    toolbar.addClass('jp-Turnbook-cellToolbar');
    for (const id of CELL_TOOLBAR) {
      toolbar.addItem(id, new CellButton(id, commands, looks));
    }
    toolbar.addItem('more', moreButton(more));
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

/** A button that opens the context menu, for those who do not look for one. */
function moreButton(tooltip: string): Widget {
  const onClick = () => {
    const { left, bottom } = button.node.getBoundingClientRect();
    const init = { bubbles: true, clientX: left, clientY: bottom };
    button.node.dispatchEvent(
      new MouseEvent('contextmenu', { ...init, cancelable: true })
    );
  };
  // The widget that JupyterLab has for this says that it is not pressed, as if it could be.
  const content = { icon: ellipsesIcon, tooltip, onClick };
  const button = addToolbarButtonClass(
    ReactWidget.create(createElement(ToolbarButtonComponent, content))
  );
  return button;
}

/** A button whose name follows the command's state. */
class CellButton extends CommandToolbarButton {
  constructor(id: CommandID, commands: CommandRegistry, looks: Looks) {
    super({
      commands,
      id,
      label: '',
      get caption() {
        return nameOf(id, commands, looks);
      }
    });
    commands.commandChanged.connect(this.update, this);
  }
}

/**
 * A button's name: the command's label and its keys, and why it cannot be used. The caption would be
 * longer.
 */
function nameOf(
  id: CommandID,
  commands: CommandRegistry,
  looks: Looks
): string {
  const caption = commands.caption(id);
  const why =
    commands.isEnabled(id) || caption === looks[id].caption ? '' : caption;
  const name = labelOf(id, commands);
  return why ? `${name}: ${why}` : name;
}

function labelOf(id: CommandID, commands: CommandRegistry): string {
  const keys = commands.keyBindings
    .find(({ command }) => command === id)
    ?.keys.map(CommandRegistry.formatKeystroke);
  return keys
    ? `${commands.label(id)} (${keys.join(', ')})`
    : commands.label(id);
}
