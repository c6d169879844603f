/**
 * From a snapshot back to the request.
 */
import type { PartialJSONObject } from '@lumino/coreutils';

import { trans } from '../../base/words';
import { errorMessage } from '../../base/errors';
import { RequestDraft } from '../draft';
import { RequestError } from '../errors';
import type { IEditedRequest } from '../model';
import { refusal } from '../problems';
import { sectionsOf } from './capture';
import { isPruned, type ISnapshot } from './model';

/**
 * Turn the request into what a snapshot describes, as one undo step.
 *
 * Throws a `RequestError` and changes nothing if the snapshot cannot be rendered.
 */
export function applySnapshot(draft: RequestDraft, snapshot: ISnapshot): void {
  const { provider } = draft.base;
  if (snapshot.endpoint.provider !== provider) {
    throw new RequestError(
      'wrong-snapshot',
      trans.__(
        'The provider is %1; another one is chosen with the model menu.',
        provider
      ),
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

/** The result of rendering a snapshot: a request, or an error and the last valid request. */
export type Rendered =
  | { ok: true; request: IEditedRequest }
  | { ok: false; error: RequestError; last: IEditedRequest };

/**
 * Render a snapshot without changing its draft.
 *
 * Fails for a snapshot that Send would refuse.
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
    const message = errorMessage(error);
    const failure = new RequestError('render-failed', message);
    return { ok: false, error: failure, last };
  } finally {
    trial.dispose();
  }
}
