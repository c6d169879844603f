import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import { Fold, isLong, lineCount } from './fold';

/** A part of a pair that can be folded. */
export type FoldedPart = 'message' | 'reply';

/** The folds of a pair, which only long parts have. */
export class PairFolds {
  constructor(private _options: PairFolds.IOptions) {}

  /** Whether a part can be folded. */
  get canFold(): boolean {
    return this._folds.size > 0;
  }

  /**
   * Fold what is long and was not read yet.
   *
   * @param isRead - Whether its reply streams, or streamed, before the user's eyes.
   */
  show(texts: Record<FoldedPart, string>, isRead: boolean): void {
    for (const part of ['message', 'reply'] as const) {
      const text = texts[part];
      let fold = this._folds.get(part);
      if (!isLong(text)) {
        fold?.dispose();
        this._folds.delete(part);
        continue;
      }
      if (!fold) {
        const node = this._options.node(part);
        fold = new Fold(node, this._options.trans);
        fold.isFolded = !isRead;
        this._folds.set(part, fold);
        this._options.insert(fold, node);
      }
      fold.lines = lineCount(text);
    }
  }

  /** Show all of a part; without one, of both. */
  unfold(part?: FoldedPart): void {
    for (const [name, fold] of this._folds) {
      if (part === undefined || name === part) {
        fold.isFolded = false;
      }
    }
  }

  /** Unfold what is folded; if nothing is, fold both parts. */
  toggle(): void {
    const folds = [...this._folds.values()];
    const isFolded = !folds.some(fold => fold.isFolded);
    folds.forEach(fold => {
      fold.isFolded = isFolded;
    });
  }

  private _folds = new Map<FoldedPart, Fold>();
}

/**
 * The namespace for `PairFolds` statics.
 */
export namespace PairFolds {
  export interface IOptions {
    trans: TranslationBundle;
    /** The element of a part. */
    node(part: FoldedPart): HTMLElement;
    /** Insert a widget below an element of the cell. */
    insert(widget: Widget, below: HTMLElement): void;
  }
}
