/** A pair as Markdown, for other documents: who said what. */
import { roundText, type IToolRound } from './rounds';

/** What is copied of a pair. */
export interface ISaidPair {
  user: string;
  rounds: readonly IToolRound[];
  reply: string;
  /** The names of who said it. */
  names: { user: string; tools: string; model: string };
}

/** A pair as Markdown; what is empty is left out. */
export function pairMarkdown({
  user,
  rounds,
  reply,
  names
}: ISaidPair): string {
  const said: [string, string][] = [
    [names.user, user],
    ...rounds.map((round): [string, string] => [
      names.tools,
      fenced(roundText(round))
    ]),
    [names.model, reply]
  ];
  return said
    .filter(([, text]) => text.trim())
    .map(([name, text]) => `**${name}:**\n\n${withClosedFence(text.trimEnd())}`)
    .join('\n\n');
}

/**
 * Close a code block that a text leaves open: it would swallow what follows. In lists and quotes
 * they end by themselves.
 */
export function withClosedFence(text: string): string {
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const [, fence = '', rest = ''] =
      /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line.replace(/\r$/, '')) ?? [];
    if (open === null) {
      // What follows backticks is inline code if it has backticks itself.
      open = fence && !(fence[0] === '`' && rest.includes('`')) ? fence : null;
    } else if (
      fence[0] === open[0] &&
      fence.length >= open.length &&
      !rest.trim()
    ) {
      open = null;
    }
  }
  return open === null ? text : `${text}\n${open}`;
}

/** A text as a code block, with a fence that is longer than any in it. */
export function fenced(text: string, language = ''): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map(run => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}
