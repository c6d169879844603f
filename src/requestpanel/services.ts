import type { ChatPanel } from '../chat/panel';
import type { TurnbookAPI } from '../runs/api';
import type { RequestDraft } from '../request/draft';
import { renderRequest } from '../request/render';
import type { IReplays } from './slots';

/** The services that the panel uses. */
export interface IPanelServices {
  api: Pick<TurnbookAPI, 'getRun' | 'getRequest'>;
  /** The replay feature; null if it is not available. */
  replays: IReplays | null;
  /** The names of the models of a chat's provider. */
  models(chat: ChatPanel): string[];
}

/** The body of a draft before its edits. */
export function originalBody(draft: RequestDraft): string {
  const { raw, frame, sections } = draft.base;
  return (
    raw?.body ??
    renderRequest(
      frame,
      sections.map(({ message }) => message)
    )
  );
}
