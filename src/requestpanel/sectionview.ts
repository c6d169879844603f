/**
 * What a section is called and how it is shown at first.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IMessage } from '../base/message';
import type { SectionKind } from '../base/run';
import type { ISection } from '../request/model';

/** From how many characters on a section is closed at first. */
export const LONG_SECTION = 600;

/** The views of an open section. */
export type SectionViewKind = 'leaves' | 'json';

/** A section's name: what it is, and who speaks if that is not the same. */
export function sectionName(
  section: Pick<ISection, 'kind' | 'message'>,
  trans: TranslationBundle
): string {
  const { kind, message } = section;
  const word = kindWord(kind, trans);
  return message.role === kind ? word : `${word} · ${message.role}`;
}

/** What a kind is called. */
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

/** Whether a message is its text and nothing more. */
export function isPlain(message: IMessage): boolean {
  return (
    typeof message.content === 'string' &&
    Object.keys(message).every(key => key === 'role' || key === 'content')
  );
}

/** Whether a section is open before the user said so. */
export function opensAtFirst(section: ISection): boolean {
  const { content } = section.message;
  return (
    !section.deleted &&
    isPlain(section.message) &&
    (content as string).length <= LONG_SECTION
  );
}

/** The end of a cell's id, as filters take it too. */
export function idTail(id: string): string {
  return id.slice(-4);
}
