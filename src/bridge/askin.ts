import type { ChatPanel } from '../chat/panel';
import type { IAsked } from './asked';

/**
 * Put what the user asks about into the message of a chat, and focus it.
 *
 * Nothing is sent, and a message being written keeps its text.
 */
export function ask(panel: ChatPanel, { attachments, question }: IAsked): void {
  const { draft } = panel.session;
  if (question && !draft.text.trim() && !panel.composer.isLocked) {
    draft.text = question;
  }
  panel.attach(attachments);
}
