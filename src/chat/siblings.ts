/** Several replies to one message: choosing, comparing and combining them. */
import { PathExt } from '@jupyterlab/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import type { IAttachment } from '../document/attachments';
import { readSibling } from '../document/siblingmark';
import { Pair } from '../document/pair';
import { referenceAttachment, type IReference } from '../document/references';
import { siblingsOf } from '../document/siblings';
import { splitId } from '../runs/models';
import { postingWords } from '../session/pairactions';
import type { PairCell } from './cells/cell';
import type { ISiblingRequest } from './cells/pairsiblings';
import { activePair, editingWords } from './pairactions';
import type { ChatPanel } from './panel';
import type { IChatPanel } from './tokens';

/** Do what the user wants with one of several replies. */
export function actOnSibling(
  panel: ChatPanel,
  cell: PairCell,
  { index, action }: ISiblingRequest
): void {
  const { session } = panel;
  const pair = cell.model.id;
  if (action === 'choose') {
    choose(panel, cell, index);
  } else if (action === 'stop') {
    void session.actions.stop({ pair, sibling: index });
  } else if (action === 'retry') {
    void session.retry(pair, index);
  } else if (action === 'stop-retry') {
    void session.stopAutoRetry(pair, index);
  }
}

/** Why no reply of the active pair can be chosen now; null if one can. */
export function chooseObstacle(
  panel: ChatPanel,
  trans: TranslationBundle
): string | null {
  const cell = activePair(panel);
  if (!cell || !siblingsOf(cell.pair).length) {
    return trans.__('Choose a pair with several replies.');
  }
  if (panel.session.posting === cell.model.id) {
    return postingWords();
  }
  return cell.isEditing ? editingWords(cell, trans) : null;
}

/**
 * Choose a reply of the active pair.
 *
 * @param number - Which one, from 1; by default, the one that has the focus, else the next.
 */
export function chooseActive(panel: ChatPanel, number?: number): void {
  const cell = activePair(panel);
  if (!cell) {
    return;
  }
  const siblings = siblingsOf(cell.pair);
  const chosen = siblings.findIndex(({ place }) => place === null);
  const next = siblings[(chosen + 1) % siblings.length];
  const wanted =
    number === undefined
      ? (cell.currentSibling ?? next?.index)
      : siblings[number - 1]?.index;
  if (wanted !== undefined) {
    choose(panel, cell, wanted);
  }
}

function choose(panel: ChatPanel, cell: PairCell, index: number): void {
  if (!cell.isEditing) {
    panel.session.choose(cell.model.id, index);
    cell.node
      .querySelector(`[data-turnbook-sibling="${index}"]`)
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}

/** The command that compares replies; another plugin may have it. */
const COMPARE = 'turnbook:compare';

/** Show the differences between the replies to a pair. */
export async function compareReplies(
  commands: CommandRegistry,
  panel: ChatPanel,
  cell: PairCell,
  trans: TranslationBundle
): Promise<void> {
  if (commands.hasCommand(COMPARE)) {
    const siblings = siblingsOf(cell.pair).map(({ index }) => index);
    await commands.execute(COMPARE, { pair: cell.model.id, siblings });
  } else {
    panel.session.notice = trans.__('Comparing replies is not installed.');
  }
}

/** The several replies to a message, each as it is now; none if it has a single one. */
export function frozenReplies(
  chat: IChatPanel,
  id: string
): (IAttachment & { reference: IReference })[] {
  const { sharedModel } = chat.model!;
  const number = sharedModel.cells.findIndex(cell => cell.getId() === id) + 1;
  const pair = Pair.find(sharedModel, id);
  const { path, localPath } = chat.context;
  return (pair ? siblingsOf(pair) : []).flatMap(({ info, slot }, place) => {
    const text = slot.reply?.text ?? '';
    const { name } = splitId(info.model);
    const reference: IReference = {
      kind: 'pair',
      path,
      name: `${PathExt.basename(localPath)} · cell ${number} · reply ${place + 1} · ${name}`,
      cellId: id,
      ...readSibling(info),
      at: Date.now(),
      language: 'markdown'
    };
    return text ? [referenceAttachment(reference, text)] : [];
  });
}

/** Put the replies of the active pair into the composer; nothing is sent. */
export function combineReplies(
  panel: ChatPanel,
  trans: TranslationBundle
): void {
  const cell = activePair(panel);
  if (!cell) {
    return;
  }
  const found = frozenReplies(panel, cell.model.id);
  if (!found.length) {
    panel.session.notice = trans.__('There are no replies to combine yet.');
    return;
  }
  const { composer, session } = panel;
  const { draft } = session;
  if (!draft.text.trim() && !composer.isLocked) {
    draft.text = trans.__(
      'Combine these replies to one message into a single one. Keep what they agree on, and say where they differ.'
    );
  }
  composer.take((attaching, isLocked) => attaching.take(found, isLocked));
}
