/** The requests of several replies to one message. */
import { UUID } from '@lumino/coreutils';

import { trans } from '../base/words';
import type { INewRun } from '../base/run';
import type { IRunInfo } from '../document/metadata';
import type { ISiblingMark } from '../document/siblingmark';
import { withModel } from '../request/othermodel';
import { bodyHash, splitModel } from '../request/render';
import type { IPrepared } from './prepare';

/** One of the requests that are sent together. */
export interface IAsked {
  provider: string;
  body: string;
  info: IRunInfo;
}

/** The requests that go out with the first one, as the API wants them. */
export function siblingRuns(asked: readonly IAsked[]): Partial<INewRun> {
  const siblings = asked.map(({ provider, body, info }) => ({
    id: info.runId,
    sibling: info.sibling ?? 0,
    provider,
    body,
    requestHash: info.requestHash
  }));
  return siblings.length ? { siblings } : {};
}

/**
 * The requests to several models: the bytes of one, in which only the model is another.
 *
 * @param models - With repeats, in order; none for a single request as it is.
 * @param first - The place of the first among the replies to its message; null for a single one.
 */
export function askedModels(
  { provider, body, info }: IPrepared,
  models: readonly string[],
  first: ISiblingMark | null
): IAsked[] {
  const own = { provider, body, info };
  if (!models.length) {
    return [own];
  }
  return models.map((id, number) => {
    const { provider, model } = splitModel(id);
    const text = withModel(body, model);
    if (text === null) {
      throw new Error(trans.__('the request names no model.'));
    }
    return {
      provider,
      body: text,
      info: {
        ...info,
        model: id,
        requestHash: bodyHash(text),
        ...(number ? { runId: UUID.uuid4() } : {}),
        ...(first
          ? { group: first.group, sibling: first.sibling + number }
          : {})
      }
    };
  });
}
