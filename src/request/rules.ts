/** Auto-apply: edits of the leading sections of a request that later requests get too. */
import type { IMessage } from '../base/message';
import type { SectionKind } from '../base/run';
import type { IBaseSection } from './model';
import { bodyHash, messageJSON } from './render';

/** What a rule does to a section. */
export type RuleEdit =
  { kind: 'message'; message: IMessage } | { kind: 'delete' };

/** An edit that is applied to later requests automatically. */
export interface IRule {
  id: string;
  /** The section that it was made on. */
  section: { id: string; kind: SectionKind; role: string; baseHash: string };
  edit: RuleEdit;
  /** Where it was made. */
  origin: { chatId: string; pair: string; at: number };
  /** Whether it applies to its own chat or to all chats. */
  scope: 'chat' | 'all';
  on: boolean;
}

/** A rule that matches a section, and whether the section is still what the rule was made on. */
export interface IRuleMatch {
  rule: IRule;
  fits: boolean;
}

/** Whether edits of a section can be applied to later requests. */
export function canAutoApply(section: { kind: SectionKind }): boolean {
  return section.kind === 'system' || section.kind === 'context';
}

/** The hash by which a rule recognises what it was made on. */
export function ruleHash(message: IMessage): string {
  let hash = hashes.get(message);
  if (hash === undefined) {
    hash = bodyHash(messageJSON(message));
    hashes.set(message, hash);
  }
  return hash;
}

const hashes = new WeakMap<IMessage, string>();

/** Find the rule for a section: by the same section of the same chat, else by its content. */
export function ruleFor(
  rules: readonly IRule[],
  section: IBaseSection,
  chatId: string
): IRuleMatch | null {
  if (!canAutoApply(section)) {
    return null;
  }
  const known = rules.filter(
    rule => rule.on && (rule.scope === 'all' || rule.origin.chatId === chatId)
  );
  if (!known.length) {
    return null;
  }
  const hash = ruleHash(section.message);
  const own = known.filter(
    rule => rule.origin.chatId === chatId && rule.section.id === section.id
  );
  const says = (rule: IRule) =>
    rule.section.baseHash === hash &&
    rule.section.kind === section.kind &&
    rule.section.role === section.message.role;
  const fitting = own.find(says) ?? known.find(says);
  if (fitting) {
    return { rule: fitting, fits: true };
  }
  return own.length ? { rule: own[0], fits: false } : null;
}
