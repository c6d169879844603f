/** Whether the bytes of a sent request are still what its chat sends. */
import type { ISharedNotebook } from '@jupyter/ydoc';
import { JSONExt, type PartialJSONValue } from '@lumino/coreutils';

import { isObject } from '../base/json';
import type { IMessage } from '../base/message';
import { trans } from '../base/words';
import { userMessage } from '../document/messages';
import type { Pair } from '../document/pair';
import { sentPairs } from './sentpairs';

/** Says that the bytes of a request are not to be sent again. */
export const changedSince = () =>
  trans.__(
    'What this message sends has changed since. Use Edit & Resend instead.'
  );

/** Whether a cell that a pair's request had is gone, or elsewhere. */
export function lacksSent(notebook: ISharedNotebook, pair: Pair): boolean {
  const order = notebook.cells.map(cell => cell.getId());
  const place = new Map(order.map((id, index) => [id, index]));
  return (pair.run?.context ?? []).some(([first, last, count]) => {
    const from = place.get(first);
    const to = place.get(last);
    return from === undefined || to === undefined || to - from + 1 < count;
  });
}

/**
 * Whether a body has a part that is kept out now, or another text of the user than its pair.
 *
 * @param now - The messages that the cells of the request give today.
 */
export function hasOther(
  notebook: ISharedNotebook,
  pair: Pair,
  body: string,
  now: readonly IMessage[]
): boolean {
  const parsed: unknown = JSON.parse(body);
  const messages =
    isObject(parsed) && Array.isArray(parsed.messages)
      ? (parsed.messages as IMessage[])
      : [];
  if (sentPairs(notebook, pair.id).some(({ text }) => text.isWithheld)) {
    return !isSame(messages, now);
  }
  if (pair.run?.edited || pair.messages) {
    // The text was not what was sent.
    return false;
  }
  const asked = messages.filter(({ role }) => role === 'user').pop();
  return !isSame(asked, userMessage(pair.source, pair.text.attachments));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSONExt.deepEqual(
    (a ?? null) as PartialJSONValue,
    (b ?? null) as PartialJSONValue
  );
}
