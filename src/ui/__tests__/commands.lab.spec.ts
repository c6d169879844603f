import { readFileSync } from 'fs';
import { join } from 'path';

import { nullTranslator } from '@jupyterlab/translation';

import { CommandIDs, commandLooks } from '../commands';
import { CELL_MENU, CELL_TOOLBAR, PAIR_MENU, REPLAY_MENU } from '../menus';

const read = (name: string) =>
  JSON.parse(readFileSync(join(__dirname, '../../../schema', name), 'utf8'));

describe('commands', () => {
  const ids: string[] = Object.values(CommandIDs);
  const looks = commandLooks(nullTranslator.load('jupyterlab_turnbook'));

  it('have one id and one name each', () => {
    expect(new Set(ids).size).toBe(ids.length);
    expect(Object.keys(looks).sort()).toEqual([...ids].sort());
    const labels = Object.values(looks).map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('exist for all key bindings in the settings', () => {
    const keys = read('commands.json')['jupyter.lab.shortcuts'];
    const called = keys.map(({ command }: { command: string }) => command);
    expect(called.filter((id: string) => !ids.includes(id))).toEqual([]);
  });

  it('have an icon where a toolbar shows no name', () => {
    const tools = read('chat.json')['jupyter.lab.toolbars']['Turnbook Chat'];
    const named = tools.filter(
      (tool: { command?: string; disabled?: boolean }) =>
        tool.command && !tool.disabled
    );
    for (const id of [
      ...named.map(({ command }: { command: string }) => command),
      ...CELL_TOOLBAR
    ]) {
      expect([id, looks[id as keyof typeof looks]?.icon]).toEqual([
        id,
        expect.anything()
      ]);
    }
  });

  it('are in a menu once', () => {
    const cell = [...PAIR_MENU, ...CELL_MENU].flat();
    for (const menu of [CELL_TOOLBAR, cell, REPLAY_MENU.flat()]) {
      expect(new Set(menu).size).toBe(menu.length);
    }
  });
});
