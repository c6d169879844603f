import type { IOutput } from '@jupyterlab/nbformat';
import type { TranslationBundle } from '@jupyterlab/translation';

import { receivedReply } from '../../document/editedreply';
import { toggleSent } from '../../document/eye';
import type { Pair } from '../../document/pair';
import { replyPart } from '../../document/parts';
import { readReply } from '../../document/reply';
import { postingWords } from '../../session/pairactions';
import type { IEditedTexts } from './editedchip';
import type { IPairMarks } from './pairview';

/**
 * What the user did with the reply among a pair's outputs.
 *
 * @param obstacle - Why it cannot be changed now whether a part is sent; empty if it can.
 */
export function replyMarks(
  outputs: readonly IOutput[],
  obstacle: string,
  trans: TranslationBundle
): Pick<IPairMarks, 'eye' | 'isEdited'> {
  const part = replyPart(outputs);
  return {
    isEdited: readReply(outputs)?.edited ?? false,
    eye: part && {
      isSent: part.isSent,
      obstacle: part.canChange ? obstacle : trans.__('Another tool wrote it.')
    }
  };
}

/** Why it cannot be changed now what of a turn is sent; empty if it can. */
export function eyeObstacle(
  isLocked: boolean,
  isBusy: boolean,
  trans: TranslationBundle
): string {
  if (isLocked) {
    return trans.__('This cell came with a replay and is locked.');
  }
  return isBusy ? trans.__('The reply is in progress.') : '';
}

/** Why another reply cannot be chosen now; empty if one can. */
export function chooseObstacle(
  { isLocked, isEditing, isPosting }: Record<ObstacleTo, boolean>,
  trans: TranslationBundle
): string {
  return isPosting
    ? postingWords()
    : isEditing
      ? trans.__('This pair is being edited: save it or cancel first.')
      : eyeObstacle(isLocked, false, trans);
}

type ObstacleTo = 'isLocked' | 'isEditing' | 'isPosting';

/** What came and what is shown of an edited reply. */
export function editedTexts(pair: Pair): IEditedTexts {
  return {
    received: receivedReply(pair)?.reply ?? null,
    shown: pair.reply?.text ?? ''
  };
}

/**
 * Send a part of a pair from now on, or do not.
 *
 * @param place - The index of one of its outputs; by default, the reply.
 */
export function toggleEye(pair: Pair, place?: number): void {
  const { notebook } = pair.cell;
  const [reply] = replyPart(pair.parts)?.places ?? [];
  const chosen = place ?? reply;
  if (notebook && chosen !== undefined) {
    toggleSent(notebook, pair, chosen);
  }
}
