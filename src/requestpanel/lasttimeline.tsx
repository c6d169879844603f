import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { shortCount } from '../document/usage';
import { sameBeginning } from '../request/lasttime';
import { isSent, type IEditedRequest } from '../request/model';
import { countedOptions } from '../request/shownoptions';
import type { ChatSession } from '../session/session';

/** Where a request begins to differ from the last one to its model. */
export interface ILastTimeLine {
  /** The first section that is read anew; null if none is. */
  before: string | null;
  words: string;
}

/**
 * Compare a request that was not sent yet with the last one to its model.
 *
 * Null if there is no such request, or as long as it is being read.
 */
export function lastTimeLine(
  session: Pick<ChatSession, 'context' | 'lastTime'>,
  request: IEditedRequest,
  trans: TranslationBundle
): ILastTimeLine | null {
  const { context, lastTime } = session;
  const last = request.base.source === 'live' ? lastTime.of(request) : null;
  if (!last) {
    return null;
  }
  const { messages, option } = sameBeginning(last, request);
  const sent = request.sections.filter(isSent);
  if (messages === sent.length) {
    return { before: null, words: trans.__('All of it is as last time.') };
  }
  const tokens = request.messages
    .slice(0, messages)
    .reduce(
      (sum, one) => sum + context.tokensOf(one),
      context.count(countedOptions(request.frame))
    );
  const words =
    option !== null
      ? trans.__(
          'Nothing is as last time, since “%1” differs; all tokens are read anew.',
          option
        )
      : messages === 0
        ? trans.__('Nothing is as last time; all tokens are read anew.')
        : trans.__(
            '%1 tokens as last time; from here on they are read anew.',
            shortCount(tokens)
          );
  return { before: sent[messages].id, words };
}

/** A line between sections. */
export function LastTimeLine({ words }: { words: string }): JSX.Element {
  return (
    <div className="jp-Turnbook-lastTime" role="note">
      {words}
    </div>
  );
}
