/** Copying what was said. */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { errorMessage } from '../base/errors';
import { pairMarkdown } from '../document/pairmarkdown';
import { readRounds } from '../document/rounds';
import { pastVersion } from '../document/siblings';
import { copyText } from '../ui/clipboard';
import { PairCell } from './cells/cell';
import { chosenCells } from './pairactions';
import type { ChatPanel } from './panel';

/** How long the confirmation is shown. */
const COPIED_MS = 2000;

/** The message that the active cell shows; null if there is none. */
export function shownMessage(panel: ChatPanel): string | null {
  const cell = panel.content.activeCell;
  if (cell instanceof PairCell) {
    return shown(cell).user || null;
  }
  return cell?.model.sharedModel.getSource() || null;
}

/** The reply that the active cell shows; null if there is none. */
export function shownReply(panel: ChatPanel): string | null {
  const cell = panel.content.activeCell;
  return (cell instanceof PairCell && shown(cell).reply) || null;
}

/** Copy the active cell's message as it was written. */
export function copyMessage(
  panel: ChatPanel,
  trans: TranslationBundle
): Promise<void> {
  return copy(shownMessage(panel), trans.__('Message copied'), trans);
}

/** Copy the active cell's reply as the model wrote it. */
export function copyReply(
  panel: ChatPanel,
  trans: TranslationBundle
): Promise<void> {
  return copy(shownReply(panel), trans.__('Reply copied'), trans);
}

/** Copy the selected pairs as Markdown, with who said what. */
export function copyAsMarkdown(
  panel: ChatPanel,
  trans: TranslationBundle
): Promise<void> {
  const cells = chosenCells(panel).filter(cell => cell instanceof PairCell);
  const text = cells
    .map(cell => {
      const { user, rounds, reply, model } = shown(cell);
      const names = {
        user: trans.__('You'),
        tools: trans.__('Tool calls'),
        model: model || trans.__('Reply')
      };
      return pairMarkdown({ user, rounds, reply, names });
    })
    .join('\n\n');
  return copy(
    text,
    trans._n(
      'Pair copied as Markdown',
      '%1 pairs copied as Markdown',
      cells.length
    ),
    trans
  );
}

/** What a pair shows: the current version, or the earlier one that the user looks at. */
export function shown(cell: PairCell) {
  const { pair, shownVersion } = cell;
  const version =
    shownVersion === null ? null : pastVersion(pair, shownVersion);
  if (version) {
    const { source: user, reply, model, tools = [] } = version;
    return { user, rounds: readRounds(tools), reply, model };
  }
  return {
    user: pair.source,
    rounds: pair.rounds,
    reply: cell.reply,
    model: pair.run?.model ?? ''
  };
}

async function copy(
  text: string | null,
  done: string,
  trans: TranslationBundle
): Promise<void> {
  if (!text) {
    return;
  }
  try {
    await copyText(text);
  } catch (error) {
    Notification.error(
      trans.__(
        'Not copied: %1. Select the text and copy it with the keyboard.',
        errorMessage(error).replace(/\.$/, '')
      ),
      { autoClose: false }
    );
    return;
  }
  // A confirmation is not worth keeping in the list of notifications.
  const id = Notification.emit(done, 'success', { autoClose: false });
  setTimeout(() => Notification.dismiss(id), COPIED_MS);
}
