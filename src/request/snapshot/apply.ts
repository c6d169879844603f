/**
 * From a snapshot back to the request.
 */
import type { PartialJSONObject } from '@lumino/coreutils';

import { errorWords } from '../../base/errors';
import { RequestDraft } from '../draft';
import { RequestError } from '../errors';
import type { IEditedRequest } from '../model';
import { refusal } from '../problems';
import { sectionsOf } from './capture';
import { isPruned, type ISnapshot } from './model';

/**
 * Make the request what a snapshot says, as one step to undo.
 *
 * Throws a `RequestError` and changes nothing when the snapshot cannot be rendered.
 */
export function applySnapshot(draft: RequestDraft, snapshot: ISnapshot): void {
  const { provider } = draft.base;
  if (snapshot.endpoint.provider !== provider) {
    throw new RequestError(
      'wrong-snapshot',
      `The provider is ${provider}; another one is chosen with the model menu.`,
      ['endpoint', 'provider']
    );
  }
  const target = sectionsOf(snapshot);
  const frame: PartialJSONObject = {
    model: snapshot.endpoint.model,
    ...snapshot.requestOptions
  };
  draft.become(target, frame, isPruned);
}

/** What rendering a snapshot gave: a request, or why there is none and the last good one. */
export type Rendered =
  | { ok: true; request: IEditedRequest }
  | { ok: false; error: RequestError; last: IEditedRequest };

/**
 * Render a snapshot without changing the draft that it belongs to.
 *
 * One that Send would refuse cannot be rendered.
 */
export function renderFromSnapshot(
  draft: RequestDraft,
  snapshot: ISnapshot
): Rendered {
  const last = draft.request;
  const trial = new RequestDraft({
    base: draft.base,
    state: draft.encode(),
    autoApply: draft.autoApply
  });
  try {
    applySnapshot(trial, snapshot);
    const { request } = trial;
    const wrong = refusal(request);
    if (wrong) {
      const { message, path, section } = wrong;
      throw new RequestError('wrong-snapshot', message, path, section);
    }
    return { ok: true, request };
  } catch (error) {
    if (error instanceof RequestError) {
      return { ok: false, error, last };
    }
    console.error('Turnbook: the snapshot cannot be rendered', error);
    const message = errorWords(error);
    const failure = new RequestError('render-failed', message);
    return { ok: false, error: failure, last };
  } finally {
    trial.dispose();
  }
}
