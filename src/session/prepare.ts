import type { ISharedNotebook } from '@jupyter/ydoc';
import { UUID } from '@lumino/coreutils';

import type { INewRun } from '../base/run';
import type { ContextModel } from '../context/contextmodel';
import { idRanges } from '../context/gather';
import type { IRunInfo } from '../document/metadata';
import type { RequestDraft } from '../request/draft';
import { countsForEvents } from '../request/facts';
import { isSent, type IEditedRequest } from '../request/model';
import { notableOptions } from '../request/options';
import { sendMarks } from '../request/trace';

/** A request with everything that is known before it is placed in the document. */
export interface IPrepared extends Pick<INewRun, 'draft'> {
  /** The run metadata of its pair. */
  info: IRunInfo;
  provider: string;
  body: string;
  /** The request as it is sent. */
  edited: IEditedRequest;
}

/** Prepare the bytes and the metadata of a request. */
export function prepare(
  draft: RequestDraft,
  notebook: ISharedNotebook,
  context: Pick<ContextModel, 'tokensOf'>
): IPrepared {
  const { base, frame, body, hash, sections } = draft.request;
  const now = Date.now();
  const order = notebook.cells.map(cell => cell.getId());
  const sent = sections
    .filter(isSent)
    .flatMap(({ cell }) => (cell && cell !== base.pair ? [cell] : []));
  const options = notableOptions(frame);
  return {
    provider: base.provider,
    body,
    edited: draft.request,
    draft: countsForEvents(draft),
    info: {
      state: 'sending',
      model: `${base.provider}/${String(frame.model)}`,
      ...(Object.keys(options).length ? { options } : {}),
      createdAt: now,
      updatedAt: now,
      runId: UUID.uuid4(),
      attempt: 1,
      context: idRanges([...new Set(sent)], order),
      requestHash: hash,
      ...sendMarks(draft, message => context.tokensOf(message))
    }
  };
}
