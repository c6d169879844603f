/** What a provider would reject in a request. */
import { trans } from '../base/words';
import type { IMessage } from '../base/message';
import { isObject } from '../base/json';
import { RequestError } from './errors';
import type {
  IEditedRequest,
  IRequestProblem,
  ISection,
  LeafPath
} from './model';

/** The roles that a message can have. */
export const ROLES = [
  'system',
  'developer',
  'user',
  'assistant',
  'tool',
  'function'
] as const;

/** Throw if a message is invalid in any request. */
export function checkMessage(
  message: unknown,
  section: string | null = null
): asserts message is IMessage {
  if (!isObject(message)) {
    throw new RequestError(
      'wrong-message',
      trans.__('A message must be an object with a role.'),
      [],
      section
    );
  }
  checkRole(message.role, section);
  const { content } = message;
  const isContent =
    content === undefined ||
    content === null ||
    typeof content === 'string' ||
    (Array.isArray(content) && content.every(isObject));
  if (!isContent) {
    throw new RequestError(
      'wrong-message',
      trans.__('The content must be a text, a list of parts or null.'),
      ['content'],
      section
    );
  }
  const calls = message.tool_calls;
  if (calls !== undefined && !(Array.isArray(calls) && calls.every(isObject))) {
    throw new RequestError(
      'wrong-message',
      trans.__('tool_calls must be a list of objects.'),
      ['tool_calls'],
      section
    );
  }
}

/** Throw if a role is invalid. */
export function checkRole(role: unknown, section: string | null = null): void {
  if (!ROLES.includes(role as (typeof ROLES)[number])) {
    throw new RequestError(
      'wrong-role',
      trans.__('The role must be one of %1.', ROLES.join(', ')),
      ['role'],
      section
    );
  }
}

/** Why Send would refuse a request; null if it would not. */
export function refusal(
  request: Pick<IEditedRequest, 'frame' | 'problems'>
): Pick<IRequestProblem, 'section' | 'path' | 'message'> | null {
  const { model } = request.frame;
  if (typeof model !== 'string' || !model) {
    const message = trans.__(
      'Choose a model first, or add a provider in the model menu.'
    );
    return { section: null, path: ['model'], message };
  }
  return request.problems.find(({ fatal }) => fatal) ?? null;
}

/** The problems of the sections that are sent, in order. */
export function sectionProblems(
  sections: readonly ISection[]
): IRequestProblem[] {
  if (!sections.length) {
    const message = trans.__(
      'A request needs at least one message: restore a section or add one.'
    );
    return [{ section: null, path: ['messages'], message, fatal: true }];
  }
  const problems: IRequestProblem[] = [];
  let asked = new Set<unknown>();
  for (const section of sections) {
    const { message } = section;
    problems.push(...messageProblems(section));
    if (message.tool_calls) {
      asked = new Set(message.tool_calls.map(({ id }) => id));
    } else if (message.role !== 'tool') {
      asked = new Set();
    } else if (!asked.has(message.tool_call_id)) {
      problems.push({
        section: section.id,
        path: ['tool_call_id'],
        message: trans.__(
          'No earlier message calls this tool; most providers reject that.'
        ),
        fatal: false
      });
    }
  }
  return problems;
}

function messageProblems(section: ISection): IRequestProblem[] {
  const { message, kind, edited, added } = section;
  // An unedited message in the document was already sent like this.
  const fatal = edited || added || kind === 'user';
  const problem = (path: LeafPath, words: string): IRequestProblem[] => [
    { section: section.id, path, message: words, fatal }
  ];
  if (!ROLES.includes(message.role as (typeof ROLES)[number])) {
    return problem(
      ['role'],
      trans.__('“%1” is not a known role.', message.role)
    );
  }
  const isEmpty =
    typeof message.content === 'string'
      ? !message.content.trim()
      : !message.content?.length;
  if (message.role === 'tool') {
    return typeof message.tool_call_id === 'string' && message.tool_call_id
      ? []
      : problem(
          ['tool_call_id'],
          trans.__('A tool’s result needs the id of its call.')
        );
  }
  return isEmpty && !message.tool_calls?.length && !message.function_call
    ? problem(
        ['content'],
        trans.__(
          'This message is empty: write something, or delete the section.'
        )
      )
    : [];
}
