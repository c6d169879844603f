/**
 * Pages that another process drives: commands come as lines of JSON, answers and news go back alike.
 */
import { createInterface } from 'readline';

import { Page, type News } from './page';

/** What a page is told to do. */
type Command = { id: number; page: number } & (
  | { do: 'new'; options: Omit<Page.IOptions, 'tell'> }
  | { do: 'open' | 'stop' | 'save' | 'kill' | 'draft' }
  | { do: 'send'; text: string; copies: number; models?: string[] }
  | { do: 'retry'; pair: string; now: boolean; sibling?: number }
  | { do: 'text'; pair: string }
);

const pages = new Map<number, Page>();

// Standard output is for the harness alone; Yjs warns of every cell that is made before it is in a document.
for (const name of ['debug', 'info', 'log', 'warn', 'error'] as const) {
  console[name] = (...args: unknown[]) => {
    if (process.env.TURNBOOK_FAULTS_LOG) {
      process.stderr.write(`${args.map(String).join(' ')}\n`);
    }
  };
}

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function act(command: Command): Promise<unknown> {
  if (command.do === 'new') {
    const tell = (news: News) => say({ page: command.page, ...news });
    pages.set(command.page, new Page({ ...command.options, tell }));
    return null;
  }
  const page = pages.get(command.page);
  if (!page) {
    // It is gone, as the tab of a user who closed it.
    return null;
  }
  switch (command.do) {
    case 'open':
      return page.open();
    case 'send':
      return page.send(command.text, command.copies, command.models);
    case 'stop':
      return page.stop();
    case 'retry':
      return page.retry(command.pair, command.now, command.sibling);
    case 'save':
      return page.save();
    case 'text':
      return page.text(command.pair);
    case 'draft':
      return page.draft;
    case 'kill':
      pages.delete(command.page);
      return page.kill();
  }
}

async function answer(line: string): Promise<void> {
  const command = JSON.parse(line) as Command;
  try {
    const value = await act(command);
    // Who gets the answer may look at once at what the page shows.
    pages.get(command.page)?.tellState();
    say({ id: command.id, value: value ?? null });
  } catch (error) {
    say({ id: command.id, error: String(error) });
  }
}

process.on('unhandledRejection', error => say({ broken: stackOf(error) }));
process.on('uncaughtException', error => say({ broken: stackOf(error) }));

function stackOf(error: unknown): string {
  return error instanceof Error ? String(error.stack) : String(error);
}

const lines = createInterface({ input: process.stdin });
lines.on('line', line => void answer(line));
lines.on('close', () => process.exit());
