import type { ChatSession } from '../session/session';
import { applySnapshot, renderFromSnapshot } from '../request/snapshot/apply';
import { captureSnapshot } from '../request/snapshot/capture';
import type { ISnapshot } from '../request/snapshot/model';
import { checkSnapshot } from '../request/snapshot/validate';
import type { PanelState } from './panelstate';

/**
 * Apply the text of the snapshot to the prompt; return an error message, or null.
 *
 * A snapshot that cannot be rendered or sent changes nothing: the last valid request stays.
 */
export function applyBuffer(
  chat: {
    session: Pick<ChatSession, 'tell'> & {
      review: Pick<ChatSession['review'], 'reviewed'>;
    };
  },
  state: Pick<PanelState, 'snapshot' | 'applied'>
): string | null {
  const { session } = chat;
  const draft = session.review.reviewed;
  const text = state.snapshot?.text;
  if (!draft || text === undefined) {
    return null;
  }
  const [place] = checkSnapshot(text);
  if (place) {
    return place.message;
  }
  const snapshot = JSON.parse(text) as ISnapshot;
  const rendered = renderFromSnapshot(draft, snapshot);
  if (!rendered.ok) {
    session.tell('fallback', draft, { reason: rendered.error.code });
    return rendered.error.message;
  }
  applySnapshot(draft, snapshot);
  if (draft.request.hash !== rendered.request.hash) {
    session.tell('parity-mismatch', draft, {
      otherHash: rendered.request.hash,
      where: 'snapshot'
    });
  }
  draft.takeVersion('apply');
  session.tell('apply', draft);
  const now = JSON.stringify(captureSnapshot(draft.request), null, 2);
  state.snapshot = { text: now, base: now };
  state.applied = draft.request;
  return null;
}
