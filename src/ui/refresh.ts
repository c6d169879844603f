import type { CommandRegistry } from '@lumino/commands';

/** How long changes are collected; short enough to look immediate. */
const MOMENT_MS = 50;

const due = new WeakSet<CommandRegistry>();

/**
 * Make all buttons and menus update their state. That redraws each of them, so changes in quick
 * succession are handled once.
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
