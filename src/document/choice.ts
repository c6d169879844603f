/** Which of several replies a pair says. */
import type { ISharedNotebook, YCodeCell, YNotebook } from '@jupyter/ydoc';

import { followEdit, type IEditNote } from './editedreply';
import { KEYS } from './metadata';
import { Pair } from './pair';
import { siblingsOf } from './siblings';
import { noteOf, undoStep, type IPopped } from './undostep';
import { swapIn } from './versions';

/**
 * Let a pair say another of its replies, as one step of undo; returns whether it does.
 *
 * The step changes a mark only. What the pair says follows it outside the undo stack
 * (`FollowedSteps`), since a reply may land between the step and its undoing, and must not be undone.
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

/** Lets pairs follow the steps of choosing and editing that the user undoes or repeats. */
export class FollowedSteps {
  constructor(private _options: FollowedSteps.IOptions) {
    this._undoManager?.on('stack-item-popped', this._onPopped);
  }

  /** Follow what was held. */
  catchUp(): void {
    const held = this._held;
    this._held = [];
    held.forEach(({ pair, follow }) => this._follow(pair, follow));
  }

  dispose(): void {
    this._undoManager?.off('stack-item-popped', this._onPopped);
  }

  private _onPopped = (popped: IPopped): void => {
    const { notebook } = this._options;
    const note = noteOf(notebook, popped) as IEditNote | undefined;
    if (note) {
      this._follow(note.pair, pair => followEdit(pair, note, popped.type));
    }
    for (const { cell, id } of Pair.all(notebook)) {
      const metadata = (cell as YCodeCell).ymodel.get('metadata');
      const events = popped.changedParentTypes.get(metadata) ?? [];
      if (events.some(({ keys }) => keys.has(KEYS.choice))) {
        this._follow(id, followChoice);
      }
    }
  };

  private _follow(id: string, follow: (pair: Pair) => boolean): void {
    const { changed, isHeld, notebook } = this._options;
    if (isHeld(id)) {
      this._held.push({ pair: id, follow });
      return;
    }
    const pair = Pair.find(notebook, id);
    if (pair && follow(pair)) {
      changed(pair);
    }
  }

  private get _undoManager(): YNotebook['undoManager'] | undefined {
    return (this._options.notebook as Partial<YNotebook>).undoManager;
  }

  private _held: { pair: string; follow: (pair: Pair) => boolean }[] = [];
}

/**
 * The namespace for `FollowedSteps` statics.
 */
export namespace FollowedSteps {
  export interface IOptions {
    notebook: ISharedNotebook;
    /** Called with a pair that has followed a step. */
    changed: (pair: Pair) => void;
    /** Whether a pair must stay as it is for now. */
    isHeld: (pair: string) => boolean;
  }
}

function followChoice(pair: Pair): boolean {
  const { choice, run } = pair;
  if (!choice || choice.group !== run?.group) {
    return false;
  }
  const wanted = siblingsOf(pair).find(({ index }) => index === choice.sibling);
  if (!wanted || wanted.place === null) {
    return false;
  }
  swapIn(pair.cell.notebook!, pair, wanted.place, wanted.info);
  return true;
}
