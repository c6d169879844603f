/**
 * What remains of a sent request's edits: how many there were and, while its bytes are stored,
 * which.
 */
import type { PartialJSONObject } from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import type { IEditMark, ITrimMark } from '../document/metadata';
import type { ITargetSection } from './becoming';
import { RequestDraft } from './draft';
import { RequestError } from './errors';
import type { IBaseSection, IEditCounts, IRequestBase } from './model';
import { messageJSON } from './render';

/** The mark that an edited request leaves on its pair; undefined if nothing was edited. */
export function editMark(counts: IEditCounts): IEditMark | undefined {
  const { edited, moved, deleted, added, options } = counts;
  const mark = { sections: edited + moved, deleted, added, options };
  return Object.values(mark).some(count => count > 0) ? mark : undefined;
}

/** What a pair records about its request: whether it was edited and trimmed. */
export function sendMarks(
  draft: RequestDraft,
  tokensOf: (message: IMessage) => number
): { edited?: IEditMark; trimmed?: ITrimMark } {
  const edited = editMark(draft.counts);
  const { base, messages } = draft.request;
  const tokens = () => messages.reduce((sum, one) => sum + tokensOf(one), 0);
  return {
    ...(edited ? { edited } : {}),
    ...(base.trimmed > 0
      ? { trimmed: { pairs: base.trimmed, tokens: Math.round(tokens()) } }
      : {})
  };
}

/**
 * A draft of what the cells said whose edits lead to what was sent.
 *
 * @param said - The request before edits, as far as it is known.
 * @param sent - The request as its bytes have it.
 * @param before - The draft whose versions this one continues.
 * @returns null if edits of `said` cannot explain the bytes, for example because cells changed.
 */
export function retrace(
  said: IRequestBase,
  sent: IRequestBase,
  before?: RequestDraft
): RequestDraft | null {
  const { source, expected, edited } = sent;
  const base = { ...said, source, expected, edited };
  const draft = new RequestDraft({ base, before });
  try {
    draft.become(matchSections(said, sent), sent.frame as PartialJSONObject);
  } catch (error) {
    draft.dispose();
    if (error instanceof RequestError) {
      return null;
    }
    throw error;
  }
  // What was sent is the starting point here, not an undo step.
  draft.undoManager.clear();
  if (draft.request.body === sent.raw?.body && explains(draft, edited)) {
    return draft;
  }
  draft.dispose();
  return null;
}

/** Fewer deletions are accepted: cells that were deleted as a whole are not in `said`. */
function explains(draft: RequestDraft, mark?: IEditMark): boolean {
  const found = editMark(draft.counts);
  return (
    mark !== undefined &&
    found !== undefined &&
    found.sections === mark.sections &&
    found.added === mark.added &&
    found.options === mark.options &&
    found.deleted <= mark.deleted
  );
}

/**
 * Match each sent message to a section of what was said: one with the same content, else the same
 * id, else the next unmatched one of its role.
 */
export function matchSections(
  said: IRequestBase,
  sent: IRequestBase
): ITargetSection[] {
  const left = said.sections.map(({ id, message }) => ({
    id,
    role: message.role,
    json: messageJSON(message)
  }));
  const ids: (string | null)[] = sent.sections.map(() => null);
  const match = (
    test: (one: (typeof left)[number], section: IBaseSection) => boolean
  ) =>
    sent.sections.forEach((section, n) => {
      const place = ids[n] ? -1 : left.findIndex(one => test(one, section));
      if (place !== -1) {
        ids[n] = left.splice(place, 1)[0].id;
      }
    });
  match(({ json }, { message }) => json === messageJSON(message));
  match(({ id }, section) => id === section.id);
  match(({ role }, { message }) => role === message.role);
  return sent.sections.map(({ message }, n) => ({ id: ids[n], message }));
}
