/** Which of several replies a pair says. */
import type { ISharedNotebook, YCodeCell, YNotebook } from '@jupyter/ydoc';

import { rewriteReply, type IEditNote } from './editedreply';
import { Pair } from './pair';
import { siblingsOf } from './siblings';
import { noteOf, undoStep, type IPopped } from './undostep';
import { swapIn } from './versions';

/**
 * Let a pair say another of its replies, as one step of undo; returns whether it does.
 *
 * The step changes a mark only. What the pair says follows it outside the undo stack
 * (`followChoices`), since a reply may land between the step and its undoing, and must not be undone.
 */
export function chooseReply(
  notebook: ISharedNotebook,
  pair: Pair,
  index: number
): boolean {
  const { group, sibling } = pair.run ?? {};
  const wanted = siblingsOf(pair).find(one => one.index === index);
  if (!wanted || wanted.place === null || !group) {
    return false;
  }
  const { choice } = pair;
  if (choice?.group !== group || choice.sibling !== sibling) {
    // What undoing returns to.
    const before = { group, sibling: sibling! };
    notebook.transact(() => pair.setChoice(before), false);
  }
  undoStep(notebook, () => pair.setChoice({ group, sibling: index }));
  swapIn(notebook, pair, wanted.place, wanted.info);
  return true;
}

/**
 * Follow the marks of choices, and of edits among several replies, when the user undoes or repeats one.
 *
 * Returns a function that ends this.
 */
export function followChoices(
  notebook: ISharedNotebook,
  changed: (pair: Pair) => void
): () => void {
  const { undoManager } = notebook as Partial<YNotebook>;
  const follow = (popped: IPopped) => {
    const { changedParentTypes: types, type } = popped;
    const edit = noteOf(notebook, popped) as IEditNote | undefined;
    const edited = edit && followEdit(notebook, edit, type);
    if (edited) {
      changed(edited);
    }
    for (const pair of Pair.all(notebook)) {
      const metadata = (pair.cell as YCodeCell).ymodel.get('metadata');
      if (types.has(metadata)) {
        if (followChoice(notebook, pair)) {
          changed(pair);
        }
      }
    }
  };
  undoManager?.on('stack-item-popped', follow);
  return () => undoManager?.off('stack-item-popped', follow);
}

function followEdit(
  notebook: ISharedNotebook,
  { pair: id, runId, before, after }: IEditNote,
  type: IPopped['type']
): Pair | null {
  const pair = Pair.find(notebook, id);
  const [from, to] = type === 'undo' ? [after, before] : [before, after];
  const isSame = pair?.reply?.runId === runId && pair.reply.text === from;
  return isSame && rewriteReply(notebook, pair, to) ? pair : null;
}

function followChoice(notebook: ISharedNotebook, pair: Pair): boolean {
  const { choice, run } = pair;
  if (!choice || choice.group !== run?.group) {
    return false;
  }
  const wanted = siblingsOf(pair).find(({ index }) => index === choice.sibling);
  if (!wanted || wanted.place === null) {
    return false;
  }
  swapIn(notebook, pair, wanted.place, wanted.info);
  return true;
}
