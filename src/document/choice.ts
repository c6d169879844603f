/** Which of several replies a pair says. */
import type { ISharedNotebook, YCodeCell, YNotebook } from '@jupyter/ydoc';

import { Pair } from './pair';
import { siblingsOf } from './siblings';
import { undoStep } from './undostep';
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
 * Follow the marks of choices when the user undoes or repeats one.
 *
 * Returns a function that ends this.
 */
export function followChoices(
  notebook: ISharedNotebook,
  changed: () => void
): () => void {
  const { undoManager } = notebook as Partial<YNotebook>;
  const follow = ({ changedParentTypes: types }: IPopped) => {
    let isOther = false;
    for (const pair of Pair.all(notebook)) {
      const metadata = (pair.cell as YCodeCell).ymodel.get('metadata');
      if (types.has(metadata)) {
        isOther = followChoice(notebook, pair) || isOther;
      }
    }
    if (isOther) {
      changed();
    }
  };
  undoManager?.on('stack-item-popped', follow);
  return () => undoManager?.off('stack-item-popped', follow);
}

interface IPopped {
  /** The shared types that the step changed. */
  changedParentTypes: Map<unknown, unknown>;
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
