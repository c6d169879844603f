/**
 * What is loaded when it is first needed: the plugins of open chats and of everything around them.
 */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Notification, type ICommandPalette } from '@jupyterlab/apputils';
import { PageConfig } from '@jupyterlab/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import { Token, type ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { DisposableSet } from '@lumino/disposable';

import { errorMessage } from '../base/errors';
import { commandLooks } from './commands';
import { viewOf } from './door';
import { refreshCommands } from './refresh';

/** The command that opens a file with a factory of Turnbook, once its plugins are there. */
export const OPEN = 'turnbook:open';

/** Loads the plugins that are not there from the start. */
export interface ILate {
  /** Load and activate them, once; rejects if they cannot be loaded. */
  load(): Promise<void>;

  /** Whether all of them are there. */
  readonly isLoaded: boolean;

  /**
   * Add a command that one of them will add. Until then, running it loads them and runs theirs.
   *
   * @param look - What the command is like until then. It is in the palette, too.
   */
  addCommand(
    id: string,
    look: Omit<CommandRegistry.ICommandOptions, 'execute'>
  ): void;
}

/** The token of what is loaded late. */
export const ILate = new Token<ILate>(
  'jupyterlab-turnbook:ILate',
  'Loads the plugins that are needed once a chat is open.'
);

/** Loads plugins, and stands in for their commands until then. */
export class Late implements ILate {
  constructor(private _options: Late.IOptions) {
    const { commands, started } = _options.app;
    commands.addCommand(OPEN, {
      execute: async ({ path, factory }: ReadonlyPartialJSONObject) => {
        // Otherwise the tab says what is wrong: a layout that is restored keeps it.
        await this.load().catch(() => undefined);
        const args = { path, factory };
        return viewOf(await commands.execute('docmanager:open', args)).catch(
          () => null
        );
      }
    });
    void started.then(() => this._nameCommands());
  }

  load(): Promise<void> {
    this._loading ??= this._load().catch(error => {
      // The connection may come back.
      this._loading = null;
      throw error;
    });
    return this._loading;
  }

  get isLoaded(): boolean {
    return this._isLoaded;
  }

  addCommand(
    id: string,
    look: Omit<CommandRegistry.ICommandOptions, 'execute'>
  ): void {
    if (this._standIns.isDisposed) {
      // A page whose address names a chat loads them before all that starts with it has started.
      return;
    }
    const { palette, trans } = this._options;
    this._standIn(id, look);
    const category = trans.__('Turnbook');
    const item = palette?.addItem({ command: id, category });
    if (item) {
      this._standIns.add(item);
    }
  }

  private _standIn(
    id: string,
    look: Omit<CommandRegistry.ICommandOptions, 'execute'>
  ): void {
    const { app, trans } = this._options;
    const { commands } = app;
    const execute = async (args: ReadonlyPartialJSONObject) => {
      try {
        await this.load();
      } catch (error) {
        Notification.error(
          trans.__(
            'Turnbook could not be loaded (%1). Check the connection to the server and try again.',
            errorMessage(error)
          )
        );
        return null;
      }
      return commands.execute(id, args);
    };
    this._standIns.add(commands.addCommand(id, { ...look, execute }));
  }

  /** All other commands need an open chat; menus and the list of shortcuts show their names. */
  private _nameCommands(): void {
    if (this._standIns.isDisposed) {
      return;
    }
    const { app, trans } = this._options;
    for (const [id, look] of Object.entries(commandLooks(trans))) {
      if (!app.commands.hasCommand(id)) {
        this._standIn(id, { ...look, isEnabled: () => false });
      }
    }
  }

  private async _load(): Promise<void> {
    const { app, plugins } = this._options;
    const { default: all } = await plugins();
    const wanted = all.filter(({ id }) => !PageConfig.Extension.isDisabled(id));
    this._standIns.dispose();
    app.registerPlugins(wanted);
    await Promise.all(
      wanted.map(({ id }) =>
        app.activatePlugin(id).catch(error => {
          console.error(`Turnbook: ${id} could not be activated`, error);
        })
      )
    );
    this._isLoaded = true;
    // Buttons that were drawn before their command was there are drawn again.
    refreshCommands(app.commands);
  }

  private _isLoaded = false;
  private _loading: Promise<void> | null = null;
  private _standIns = new DisposableSet();
}

/**
 * The namespace for `Late` statics.
 */
export namespace Late {
  export interface IOptions {
    app: Pick<
      JupyterFrontEnd,
      'activatePlugin' | 'commands' | 'registerPlugins' | 'started'
    >;
    /** Loads the list of plugins. */
    plugins: () => Promise<{ default: JupyterFrontEndPlugin<unknown>[] }>;
    palette: ICommandPalette | null;
    trans: TranslationBundle;
  }
}
