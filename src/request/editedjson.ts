import type { PartialJSONValue } from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import { isObject } from '../base/json';
import { sameJSON, valueAt } from './leaves';
import { itemsOf, membersOf } from './scan';

/**
 * An edited message as text. What is not edited keeps its exact text, since a signature may depend
 * on it.
 *
 * @param json - The text of the message before the edits.
 */
export function editedJSON(
  json: string,
  before: IMessage,
  after: IMessage
): string {
  let text = written.get(after);
  if (text === undefined) {
    text = rewrite(json, before as PartialJSONValue, after as PartialJSONValue);
    written.set(after, text);
  }
  return text;
}

const written = new WeakMap<IMessage, string>();

function rewrite(
  json: string,
  before: PartialJSONValue,
  after: PartialJSONValue
): string {
  if (sameJSON(before, after)) {
    return json;
  }
  if (isObject(before) && isObject(after)) {
    // Of duplicate keys, the last one counts.
    const exact = new Map(membersOf(json).map(one => [one.key, one.json]));
    const members = Object.entries(after).flatMap(([key, value]) => {
      const was = valueAt(before, [key]);
      const known = exact.get(key);
      return value === undefined
        ? []
        : [
            `${JSON.stringify(key)}:${
              was === undefined || known === undefined
                ? JSON.stringify(value)
                : rewrite(known, was, value)
            }`
          ];
    });
    return `{${members.join(',')}}`;
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const exact = itemsOf(json);
    const items = after.map((item, n) => {
      // An item that was only moved is the same object.
      const was = typeof item === 'object' ? before.indexOf(item) : -1;
      const place = was === -1 ? n : was;
      return place < before.length
        ? rewrite(exact[place], before[place], item)
        : JSON.stringify(item);
    });
    return `[${items.join(',')}]`;
  }
  return JSON.stringify(after);
}
