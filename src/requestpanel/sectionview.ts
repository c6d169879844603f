/** The names of sections and how they are shown at first. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IMessage } from '../base/message';
import type { SectionKind } from '../base/run';
import { REASONING_FIELDS } from '../document/reasoning';
import type { ISection } from '../request/model';

/** Sections with at least this many characters are closed at first. */
export const LONG_SECTION = 600;

/** The views of an open section. */
export type SectionViewKind = 'leaves' | 'json';

/** A section's name: its kind, and its role if that differs. */
export function sectionName(
  section: Pick<ISection, 'kind' | 'message'>,
  trans: TranslationBundle
): string {
  const { kind, message } = section;
  const word = kindWord(kind, trans);
  return message.role === kind ? word : `${word} · ${message.role}`;
}

/** The name of a kind. */
export function kindWord(kind: SectionKind, trans: TranslationBundle): string {
  switch (kind) {
    case 'system':
      return trans.__('system');
    case 'context':
      return trans.__('context');
    case 'history':
      return trans.__('history');
    case 'tool':
      return trans.__('tool');
    case 'user':
      return trans.__('user');
  }
}

/** Whether a message is nothing but its text. */
export function isPlain(message: IMessage): boolean {
  return (
    typeof message.content === 'string' &&
    Object.keys(message).every(key => key === 'role' || key === 'content')
  );
}

/** The keys of a message that have reasoning, which is shown apart from the rest. */
export function reasoningFields(message: IMessage): string[] {
  return REASONING_FIELDS.filter(field => {
    const value = Object.hasOwn(message, field) ? message[field] : undefined;
    return typeof value === 'string' || Array.isArray(value);
  });
}

/** A message without its reasoning; the same object each time, so that it can be counted once. */
export function withoutReasoning(message: IMessage): IMessage {
  const fields = reasoningFields(message);
  if (!fields.length) {
    return message;
  }
  let rest = rests.get(message);
  if (!rest) {
    const entries = Object.entries(message);
    rest = Object.fromEntries(
      entries.filter(([key]) => !fields.includes(key))
    ) as IMessage;
    rests.set(message, rest);
  }
  return rest;
}

const rests = new WeakMap<IMessage, IMessage>();

/** Whether a section is open by default. */
export function opensAtFirst(section: ISection): boolean {
  const { content } = section.message;
  return (
    !section.deleted &&
    isPlain(withoutReasoning(section.message)) &&
    (content as string).length <= LONG_SECTION
  );
}

/** The end of a cell's id, as filters accept it too. */
export function idTail(id: string): string {
  return id.slice(-4);
}
