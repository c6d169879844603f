import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import { DiffText } from './difftext';

/** A tooltip with the differences of two texts. */
export class DiffTip extends ReactWidget {
  constructor() {
    super();
    this.addClass('jp-Turnbook-changeTip');
    this.node.setAttribute('role', 'tooltip');
    this.node.dir = 'auto';
    this.hide();
  }

  /** Show the differences of two texts near an element; null hides them. */
  compare(diff: DiffTip.IDiff | null): void {
    this._diff = diff;
    this.setHidden(diff === null);
    if (diff) {
      const { bottom, left } = diff.anchor.getBoundingClientRect();
      const room = window.innerHeight - bottom;
      const style = this.node.style;
      style.left = `${Math.max(8, Math.min(left, window.innerWidth - 520))}px`;
      style.top = room > 200 ? `${bottom + 4}px` : 'auto';
      style.bottom = room > 200 ? 'auto' : `${room + 24}px`;
    }
    this.update();
  }

  protected override render(): JSX.Element {
    const diff = this._diff;
    return diff ? (
      <DiffText
        before={diff.before}
        after={diff.after}
        context={diff.context}
      />
    ) : (
      <></>
    );
  }

  private _diff: DiffTip.IDiff | null = null;
}

/**
 * The namespace for `DiffTip` statics.
 */
export namespace DiffTip {
  export interface IDiff {
    before: string;
    after: string;
    anchor: HTMLElement;
    /** How many characters around each change are shown; by default all. */
    context?: number;
  }
}
