/** Plans the edits that turn one request into another. */
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import { sameJSON, valueAt } from './leaves';
import type { IEditedRequest, ISection } from './model';
import { checkOption } from './options';
import { checkMessage } from './problems';
import { messageJSON } from './render';
import { newId } from './sectionwriter';

/** A section of the target request; without an id it is new. */
export interface ITargetSection {
  id: string | null;
  message: IMessage;
}

/** The steps from one request to another. */
export interface IBecoming {
  /** Sections to remove. */
  remove: string[];
  /** Sections to add. */
  add: { id: string; message: IMessage }[];
  /** Sections to restore or to change. */
  change: { id: string; message: IMessage }[];
  /** The ids of all sections that are sent, in order. */
  order: string[];
  /** Options to set, or to remove (undefined). */
  options: [key: string, value: PartialJSONValue | undefined][];
}

/**
 * Plan how a request becomes one with these sections and options.
 *
 * Parts that are already the same are left alone, even where an edit waits to be confirmed. Options
 * missing from `frame` are removed, except those that `keep` accepts. Throws if there can be no
 * such request.
 */
export function planBecoming(
  now: IEditedRequest,
  target: readonly ITargetSection[],
  frame: PartialJSONObject,
  keep: (key: string) => boolean
): IBecoming {
  const known = new Map<string, ISection>();
  for (const section of now.sections) {
    if (section.conflict !== 'hidden') {
      known.set(section.id, section);
    }
  }
  const taken = new Set<string>();
  const plan: IBecoming = {
    remove: [],
    add: [],
    change: [],
    order: [],
    options: changedOptions(now.frame as PartialJSONObject, frame, keep)
  };
  const said = new Set(now.sections.map(one => messageJSON(one.message)));
  for (const { id, message } of target) {
    if (!said.has(messageJSON(message))) {
      checkMessage(message, id);
    }
    const section = id === null || taken.has(id) ? undefined : known.get(id);
    const name = section?.id ?? newId();
    taken.add(name);
    plan.order.push(name);
    if (!section) {
      plan.add.push({ id: name, message });
    } else if (section.deleted || !sameJSON(section.message, message)) {
      plan.change.push({ id: name, message });
    }
  }
  for (const { id, deleted } of known.values()) {
    if (!taken.has(id) && !deleted) {
      plan.remove.push(id);
    }
  }
  return plan;
}

function changedOptions(
  now: PartialJSONObject,
  frame: PartialJSONObject,
  keep: (key: string) => boolean
): IBecoming['options'] {
  const keys = [
    ...Object.keys(frame),
    ...Object.keys(now).filter(key => !Object.hasOwn(frame, key) && !keep(key))
  ];
  const changed = keys
    .filter(key => key !== 'messages')
    .map((key): [string, PartialJSONValue | undefined] => [
      key,
      valueAt(frame, [key])
    ])
    .filter(([key, value]) => !sameJSON(value, valueAt(now, [key])));
  for (const [key, value] of changed) {
    checkOption(key, value);
  }
  return changed;
}
