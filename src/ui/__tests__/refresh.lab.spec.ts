import { CommandRegistry } from '@lumino/commands';

import { refreshCommands } from '../refresh';

describe('refreshCommands', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('updates once for changes in quick succession, and again for later ones', () => {
    const commands = new CommandRegistry();
    const others = new CommandRegistry();
    const asked: CommandRegistry[] = [];
    for (const registry of [commands, others]) {
      registry.commandChanged.connect(sender => asked.push(sender));
    }
    refreshCommands(commands);
    refreshCommands(commands);
    refreshCommands(others);
    expect(asked).toEqual([]);
    jest.runAllTimers();
    expect(asked).toEqual([commands, others]);
    refreshCommands(commands);
    jest.runAllTimers();
    expect(asked).toEqual([commands, others, commands]);
  });
});
