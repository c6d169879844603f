import { contentText } from '../model/projection';
import type { IMessage } from '../../base/message';
import { DiffTip } from '../../ui/difftip';

/** Shows what an edit changed, next to its chip. */
export class ChangeTip extends DiffTip {
  /** Show a message before and after its edit, near an element; null hides it. */
  display(
    change: { before: IMessage; after: IMessage; anchor: HTMLElement } | null
  ): void {
    this.compare(
      change && {
        before: messageText(change.before),
        after: messageText(change.after),
        anchor: change.anchor
      }
    );
  }
}

/** Everything in a message that can be edited, as text. */
function messageText(message: IMessage): string {
  const { role, content: _, ...rest } = message;
  const text = contentText(message);
  return Object.keys(rest).length
    ? `${role}: ${text}\n${JSON.stringify(rest, null, 2)}`
    : text;
}
