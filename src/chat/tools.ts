import {
  CommandToolbarButton,
  type IToolbarWidgetRegistry
} from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import { FACTORY } from './openchats';
import { CommandIDs, type CommandID } from '../ui/commandids';

/**
 * Add the tools of a chat. Those in `schema/` are its order; a name there would not be translated.
 */
export function addTools(
  toolbars: IToolbarWidgetRegistry,
  commands: CommandRegistry,
  trans: TranslationBundle
): void {
  const tools: Record<string, [CommandID, string]> = {
    undo: [CommandIDs.undo, trans.__('Undo')],
    redo: [CommandIDs.redo, trans.__('Redo')],
    'add-system': [CommandIDs.addSystem, trans.__('System')],
    'add-note': [CommandIDs.addNote, trans.__('Note')],
    topics: [CommandIDs.topics, trans.__('Topics')],
    request: [CommandIDs.toggleRequest, trans.__('Request')],
    recovered: [CommandIDs.recoveredReplies, trans.__('Recovered')]
  };
  for (const [name, [id, label]] of Object.entries(tools)) {
    const args = { toolbar: true };
    toolbars.addFactory(
      FACTORY,
      name,
      () => new CommandToolbarButton({ commands, id, args, label })
    );
  }
}
