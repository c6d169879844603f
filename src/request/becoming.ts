/**
 * What has to change for a request to become another one.
 */
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import { sameJSON, valueAt } from './leaves';
import type { IEditedRequest, ISection } from './model';
import { checkOption } from './options';
import { checkMessage } from './problems';
import { messageJSON } from './render';
import { newId } from './sectionwriter';

/** A section that a request shall have; without an id it is a new one. */
export interface ITargetSection {
  id: string | null;
  message: IMessage;
}

/** The steps from a request to another. */
export interface IBecoming {
  /** The sections to leave out. */
  remove: string[];
  /** The sections to add. */
  add: { id: string; message: IMessage }[];
  /** The sections to take in again or to change. */
  change: { id: string; message: IMessage }[];
  /** The ids of all sections that are sent, in order. */
  order: string[];
  /** The options to set, or to take away. */
  options: [key: string, value: PartialJSONValue | undefined][];
}

/**
 * Plan how a request becomes one with these sections and options.
 *
 * What is the same already is left alone, also where an edit waits to be confirmed. Options
 * that `frame` does not tell go, unless `keep` says otherwise. Throws when it cannot be.
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
