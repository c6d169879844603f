import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';

import { CommandIDs } from '../commandids';
import { Late, OPEN } from '../late';

const ID = CommandIDs.tour;

function host() {
  const commands = new CommandRegistry();
  const ran: string[] = [];
  const palette: string[] = [];
  let plugins: JupyterFrontEndPlugin<unknown>[] = [];
  let failures = 0;
  let loads = 0;
  const plugin: JupyterFrontEndPlugin<unknown> = {
    id: 'jupyterlab-turnbook:test',
    activate: () => {
      commands.addCommand(ID, {
        label: 'Real',
        execute: ({ by }) => {
          ran.push(`real, by ${by}`);
          return 'done';
        }
      });
    }
  };
  const late = new Late({
    app: {
      commands,
      started: Promise.resolve(),
      registerPlugins: (list: JupyterFrontEndPlugin<unknown>[]) => {
        plugins = list;
      },
      activatePlugin: async (id: string) => {
        await plugins.find(one => one.id === id)!.activate(null as never);
      }
    } as unknown as JupyterFrontEnd,
    plugins: async () => {
      loads++;
      if (failures-- > 0) {
        throw new Error('no connection');
      }
      return { default: [plugin] };
    },
    palette: {
      addItem: ({ command }: { command: string }) => {
        palette.push(command);
        return {
          isDisposed: false,
          dispose: () => palette.splice(palette.indexOf(command), 1)
        };
      }
    } as never,
    trans: nullTranslator.load('test')
  });
  return {
    commands,
    late,
    palette,
    ran,
    fail: () => {
      failures = 1;
    },
    get loads() {
      return loads;
    }
  };
}

describe('Late', () => {
  it('stands in for a command, then runs the real one, and loads once', async () => {
    const it = host();
    const { commands, late, palette, ran } = it;
    late.addCommand(ID, { label: 'Tour' });
    expect(commands.label(ID)).toBe('Tour');
    expect(palette).toEqual([ID]);
    expect(await commands.execute(ID, { by: 'key' })).toBe('done');
    expect(ran).toEqual(['real, by key']);
    expect(commands.label(ID)).toBe('Real');
    expect(palette).toEqual([]);
    await late.load();
    expect(it.loads).toBe(1);
  });

  it('names all other commands, which need a chat', async () => {
    const { commands, late } = host();
    late.addCommand(ID, { label: 'Tour' });
    await Promise.resolve();
    expect(commands.label(CommandIDs.send)).not.toBe('');
    expect(commands.isEnabled(CommandIDs.send)).toBe(false);
    expect(commands.isEnabled(ID)).toBe(true);
    await late.load();
    expect(commands.hasCommand(CommandIDs.send)).toBe(false);
  });

  it('stands in for nothing once it has begun to load', async () => {
    // A page whose address names a chat loads it before the last plugin has started.
    const { commands, late, palette } = host();
    const loading = late.load();
    await Promise.resolve();
    await loading;
    late.addCommand(ID, { label: 'Tour' });
    late.addCommand(CommandIDs.localModels, { label: 'Local Models…' });
    expect(commands.label(ID)).toBe('Real');
    expect(commands.hasCommand(CommandIDs.localModels)).toBe(false);
    expect(palette).toEqual([]);
  });

  it('has buttons drawn again that were drawn while it loaded', async () => {
    const { commands, late } = host();
    late.addCommand(ID, { label: 'Tour' });
    const drawn: string[] = [];
    const redrawn = new Promise<void>(resolve => {
      commands.commandChanged.connect((_, { type }) => {
        if (type === 'many-changed') {
          drawn.push(commands.label(ID));
          resolve();
        }
      });
    });
    expect(late.isLoaded).toBe(false);
    await late.load();
    expect(late.isLoaded).toBe(true);
    await redrawn;
    expect(drawn).toEqual(['Real']);
  });

  it('tries again after a failure', async () => {
    const it = host();
    it.late.addCommand(ID, { label: 'Tour' });
    it.fail();
    await expect(it.late.load()).rejects.toThrow('no connection');
    expect(it.commands.label(ID)).toBe('Tour');
    await it.late.load();
    expect(it.commands.label(ID)).toBe('Real');
    expect(it.loads).toBe(2);
  });

  it('keeps a restored tab and a command when nothing can be loaded', async () => {
    const it = host();
    const { commands, late, ran } = it;
    commands.addCommand('docmanager:open', {
      execute: ({ path }) => {
        ran.push(`open ${path}`);
        return null;
      }
    });
    late.addCommand(ID, { label: 'Tour' });
    it.fail();
    // JupyterLab forgets a tab whose command rejects.
    expect(await commands.execute(OPEN, { path: 'a', factory: 'b' })).toBe(
      null
    );
    expect(ran).toEqual(['open a']);
    it.fail();
    expect(await commands.execute(ID)).toBe(null);
    const [told] = Notification.manager.notifications.slice(-1);
    expect(told.message).toContain('no connection');
    expect(await commands.execute(ID, { by: 'hand' })).toBe('done');
  });

  it('opens files once everything is there', async () => {
    const { commands, late, ran } = host();
    commands.addCommand('docmanager:open', {
      execute: ({ path }) => {
        ran.push(`open ${path}`);
        return 'panel';
      }
    });
    late.addCommand(ID, { label: 'Tour' });
    const opened = commands.execute(OPEN, { path: 'a', factory: 'b' });
    expect(await opened).toBe('panel');
    expect(ran).toEqual(['open a']);
    expect(commands.label(ID)).toBe('Real');
  });
});
