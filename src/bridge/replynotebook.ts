import { PairCell } from '../chat/cells/cell';
import { shown } from '../chat/copying';
import { chosenCells } from '../chat/pairactions';
import type { ChatPanel } from '../chat/panel';
import { originMetadata } from '../document/origin';
import { pastVersion } from '../document/siblings';
import { codeTexts } from './codetexts';
import type { INewCell } from './notebookedit';
import type { NotebookTarget } from './notebooktarget';
import { quoted } from './origins';
import { notebookLanguage, replyCells } from './replycells';

/** The selected pairs that have a reply. */
export function repliedPairs(panel: ChatPanel): PairCell[] {
  return chosenCells(panel).filter(
    (cell): cell is PairCell => cell instanceof PairCell && cell.reply !== ''
  );
}

/**
 * Make a notebook of the replies of the selected pairs, and open it. Of several pairs it has the
 * messages too, as quotes.
 */
export async function repliesToNotebook(
  panel: ChatPanel,
  target: NotebookTarget
): Promise<void> {
  const pairs = repliedPairs(panel);
  const replies = pairs.map(cell => shown(cell).reply);
  const language = notebookLanguage(
    replies.flatMap(codeTexts),
    target.languages
  );
  const chatId = panel.session.info?.chatId ?? '';
  const cells = pairs.flatMap((cell, index): INewCell[] => {
    const from = {
      chatId,
      pair: cell.model.id,
      run: runOf(cell)
    };
    const { user } = shown(cell);
    const message = quoted(user);
    const made = replyCells(replies[index], language);
    return [
      ...(pairs.length > 1 && user.trim()
        ? [{ type: 'markdown' as const, source: message }]
        : []),
      ...made
    ].map(({ type, source }) => ({
      cell_type: type,
      source,
      metadata: originMetadata(source, from)
    }));
  });
  await target.createOf(cells, language, panel.context.path);
}

/** The run of the reply that a pair shows. */
function runOf({ pair, shownVersion }: PairCell): string {
  const version =
    shownVersion === null ? null : pastVersion(pair, shownVersion);
  return (version ? version.runId : pair.reply?.runId) ?? '';
}
