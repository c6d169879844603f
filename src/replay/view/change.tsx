import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import { DiffText } from '../../ui/difftext';
import { contentText } from '../model/projection';
import type { IMessage } from '../../base/message';

/** Shows what an edit changed, next to its chip. */
export class ChangeTip extends ReactWidget {
  constructor() {
    super();
    this.addClass('jp-Turnbook-changeTip');
    this.node.setAttribute('role', 'tooltip');
    this.node.dir = 'auto';
    this.hide();
  }

  /** Show a message before and after its edit, near an element; null hides it. */
  display(
    change: { before: IMessage; after: IMessage; anchor: HTMLElement } | null
  ): void {
    this._change = change;
    this.setHidden(change === null);
    if (change) {
      const { bottom, left } = change.anchor.getBoundingClientRect();
      const room = window.innerHeight - bottom;
      const style = this.node.style;
      style.left = `${Math.max(8, Math.min(left, window.innerWidth - 520))}px`;
      style.top = room > 200 ? `${bottom + 4}px` : 'auto';
      style.bottom = room > 200 ? 'auto' : `${room + 24}px`;
    }
    this.update();
  }

  protected override render(): JSX.Element {
    const change = this._change;
    return change ? (
      <DiffText
        before={messageText(change.before)}
        after={messageText(change.after)}
      />
    ) : (
      <></>
    );
  }

  private _change: { before: IMessage; after: IMessage } | null = null;
}

/** Everything in a message that can be edited, as text. */
function messageText(message: IMessage): string {
  const { role, content: _, ...rest } = message;
  const text = contentText(message);
  return Object.keys(rest).length
    ? `${role}: ${text}\n${JSON.stringify(rest, null, 2)}`
    : text;
}
