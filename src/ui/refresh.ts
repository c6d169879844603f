import type { CommandRegistry } from '@lumino/commands';

/** For how long changes are gathered; no longer than an eye takes for the same moment. */
const MOMENT_MS = 50;

const due = new WeakSet<CommandRegistry>();

/**
 * Have all buttons and menus ask again what they can do. That draws each of them anew, so any
 * number of changes in one moment ask once.
 */
export function refreshCommands(commands: CommandRegistry): void {
  if (due.has(commands)) {
    return;
  }
  due.add(commands);
  setTimeout(() => {
    due.delete(commands);
    commands.notifyCommandChanged();
  }, MOMENT_MS);
}
