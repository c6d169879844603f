import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { expect } from './fixtures';
import { LOADING_MS } from './loading';
import { gated, type ScriptedProvider } from './provider';
import { expectValid } from './valid';

/** A chat in the page, by its accessible names. */
export class Chat {
  constructor(readonly page: IJupyterLabPageFixture) {}

  get panel(): Locator {
    return this.page.locator('.jp-Turnbook-chat:visible');
  }

  get message(): Locator {
    return this.panel.getByRole('textbox', { name: 'Message' });
  }

  get send(): Locator {
    return this.panel.getByRole('button', { name: 'Send', exact: true });
  }

  get stop(): Locator {
    return this.panel.getByRole('button', { name: 'Stop', exact: true });
  }

  get model(): Locator {
    return this.panel.getByRole('combobox', { name: 'Model' });
  }

  get pairs(): Locator {
    return this.panel.locator('[data-turnbook-pair]:visible');
  }

  /** The nth pair, from 0. */
  pair(n: number): Locator {
    return this.pairs.nth(n);
  }

  async expectState(n: number, state: string): Promise<void> {
    await expect(this.pair(n)).toHaveAttribute('data-turnbook-state', state);
  }

  /** Run a command; its result stays in the page. */
  async execute(
    command: string,
    args: Record<string, any> = {}
  ): Promise<void> {
    await this.page.evaluate(
      async ([id, options]) => {
        await window.jupyterapp.commands.execute(id, options);
      },
      [command, args] as const
    );
  }

  /** Run a command that ends only when its dialog is closed. */
  async begin(command: string): Promise<void> {
    await this.page.evaluate(id => {
      void window.jupyterapp.commands.execute(id);
    }, command);
  }

  /** Create a chat in a folder and wait until it can be used. */
  async create(folder: string): Promise<string> {
    await this.execute('turnbook:new-chat', { cwd: folder });
    await expect(this.message).toBeFocused();
    await this.atRest();
    return this.path();
  }

  /** Create a chat and wait for the reply to its first message. */
  async createAnswered(folder: string, text: string): Promise<string> {
    const file = await this.create(folder);
    await this.say(text);
    await this.expectState(0, 'succeeded');
    return file;
  }

  /** Create a chat and wait until the reply to its first message is saved. */
  async createSaved(folder: string, text: string): Promise<string> {
    const file = await this.createAnswered(folder, text);
    await this.saved(file, nb => nb.cells[0]?.outputs?.length === 1);
    return file;
  }

  /**
   * Wait until JupyterLab has read the file; shortly after showing it, JupyterLab clears the undo
   * history.
   */
  async atRest(): Promise<void> {
    await this.page.waitForFunction(() => {
      const { context } = window.jupyterapp.shell.currentWidget as any;
      return context.isReady && context.sessionContext.isReady;
    });
  }

  /** Reload the page; galata would wait for the launcher, but the chat comes back instead. */
  async reload(): Promise<void> {
    await this._layoutStored();
    await this.page.reload({ waitForIsReady: false } as object);
    await expect(this.message).toBeVisible({ timeout: LOADING_MS });
    // Until then JupyterLab may still activate the previous tab.
    await this.page.evaluate(async () => {
      await window.jupyterapp.restored;
    });
    // The file browser opens the file in the page's address, as the last thing that it restores.
    const restoring = this.page.locator('.jp-FileBrowser.jp-mod-restoring');
    await expect(restoring).toHaveCount(0);
    await this.atRest();
  }

  /** Wait until JupyterLab has stored which tab is in front, which it does with a delay. */
  private async _layoutStored(): Promise<void> {
    const inFront = () =>
      this.page.evaluate(async () => {
        const { serviceManager, shell } = window.jupyterapp;
        const { path } = (shell.currentWidget as any).context;
        const [, id = 'default'] =
          /\/workspaces\/([^/?]+)/.exec(location.pathname) ?? [];
        const { data } = await serviceManager.workspaces.fetch(id);
        const layout = data['layout-restorer:data'] as any;
        return `${layout?.main?.current ?? ''}`.endsWith(path);
      });
    await expect.poll(inFront).toBe(true);
  }

  /** Open a file with JupyterLab's default. */
  async open(path: string): Promise<void> {
    await this.execute('docmanager:open', { path });
    await expect(this.message).toBeVisible();
    await this.atRest();
  }

  /** The path of the current chat; empty while no document is in front. */
  path(): Promise<string> {
    return this.page.evaluate(
      () => (window.jupyterapp.shell.currentWidget as any)?.context?.path ?? ''
    );
  }

  /** Send the message by key, once that is possible. */
  async submit(): Promise<void> {
    // A reply looks complete shortly before the next message can be sent.
    await expect(this.send).toBeEnabled();
    await this.message.press('Enter');
  }

  /** Send a message by key and wait for its pair, which is returned. */
  async say(text: string): Promise<Locator> {
    await this.message.fill(text);
    await expect(this.send).toBeEnabled();
    // Other pairs may still be drawn, so counting them would not find it.
    const id = await this.page.evaluate<string>(
      () => (window.jupyterapp.shell.currentWidget as any).session.draft.pair
    );
    await this.submit();
    const pair = this.panel.locator(`[data-turnbook-pair="${id}"]`);
    await expect(pair).toBeVisible();
    return pair;
  }

  /** Send a message, and wait until its reply has come as far as the gate. */
  async sayGated(
    provider: ScriptedProvider,
    text: string,
    ...[before, gate, after]: Parameters<typeof gated>
  ): Promise<void> {
    await provider.script(gated(before, gate, after));
    const pair = await this.say(text);
    await expect(pair).toContainText(before.trim());
  }

  /** The height of the text being written; below 30 px, a line would be cut off. */
  async textHeight(): Promise<number> {
    return (await this.message.boundingBox())?.height ?? 0;
  }

  /** Make a pair active in VIEW mode. */
  async choose(n: number): Promise<void> {
    await this.page.evaluate(index => {
      const panel = window.jupyterapp.shell.currentWidget as any;
      panel.content.activeCellIndex = index;
      panel.content.deselectAll();
      panel.enterView();
    }, n);
  }

  /** A button in the toolbar of a pair. */
  tool(n: number, name: RegExp): Locator {
    return this.pair(n)
      .locator('.jp-Turnbook-cellToolbar')
      .getByRole('button', { name });
  }

  /** Edit the active pair by key, once that is possible. */
  async editByKey(): Promise<void> {
    await this.page.waitForFunction(() =>
      window.jupyterapp.commands.isEnabled('turnbook:edit-and-resend')
    );
    await this.page.keyboard.press('e');
  }

  /** Edit the active pair by key, and send it again. */
  async resendByKey(pair: Locator, text: string): Promise<void> {
    await this.editByKey();
    const editor = pair.getByRole('textbox', { name: 'Edited text' });
    await editor.fill(text);
    await editor.press('Enter');
  }

  /** Go from the message to the last pair, and delete it by key. */
  async deleteLastByKey(): Promise<void> {
    await this.message.press('Escape');
    await this.page.keyboard.press('x');
    await this.page
      .locator('.jp-Dialog')
      .getByRole('button', { name: 'Delete' })
      .click();
  }

  /** Wait until the page has no unsaved changes. */
  async clean(): Promise<void> {
    await this.page.waitForFunction(
      () => !(window.jupyterapp.shell.currentWidget as any).context.model.dirty
    );
  }

  /** The saved notebook, once it meets a condition. */
  async saved(path: string, holds: (notebook: any) => boolean): Promise<any> {
    let notebook: any;
    try {
      await expect
        .poll(async () => {
          notebook = await this.page.evaluate(async file => {
            const { contents } = window.jupyterapp.serviceManager;
            try {
              // As a notebook, the server would take one that is being written for damaged,
              // and restore the older version.
              const { content } = await contents.get(file, {
                type: 'file',
                format: 'text',
                content: true
              });
              return JSON.parse(content);
            } catch (error) {
              // It cannot be read while it is being written.
              return String(error);
            }
          }, path);
          return typeof notebook === 'string'
            ? notebook
            : check(() => holds(withWholeTexts(notebook)));
        })
        .toBe(true);
    } catch (error) {
      const said = [
        (error as Error).message,
        `The page says: ${await this._facts()}`,
        `The file says: ${JSON.stringify(notebook).slice(0, 4000)}`
      ];
      throw new Error(said.join('\n'));
    }
    expectValid(notebook);
    return notebook;
  }

  /** The saved notebook, once its nth pair has this state. */
  savedInState(path: string, n: number, state: string): Promise<any> {
    return this.saved(
      path,
      nb => nb.cells[n]?.metadata.turnbook_run?.state === state
    );
  }

  /** What the page knows about the current chat, to explain why it was not saved. */
  private _facts(): Promise<string> {
    return this.page.evaluate(() => {
      const { context, session } = window.jupyterapp.shell.currentWidget as any;
      const cells: any[] = context.model.sharedModel.cells;
      return JSON.stringify({
        dialog: document.querySelector('.jp-Dialog')?.textContent ?? null,
        dirty: context.model.dirty,
        notice: session.notice,
        busy: session.busy,
        states: cells.map(cell => cell.getMetadata('turnbook_run')?.state)
      });
    });
  }
}

/** Whether something holds; a condition on a cell that is not there yet does not. */
function check(holds: () => boolean): boolean | string {
  try {
    return holds();
  } catch (error) {
    return String(error);
  }
}

/** A notebook as it is on disk, with multi-line texts joined. */
function withWholeTexts(notebook: any): any {
  const whole = (text: unknown) => (Array.isArray(text) ? text.join('') : text);
  for (const cell of notebook.cells) {
    cell.source = whole(cell.source);
    for (const output of cell.outputs ?? []) {
      if ('text' in output) {
        output.text = whole(output.text);
      }
      for (const [type, value] of Object.entries(output.data ?? {})) {
        output.data[type] = type.endsWith('json') ? value : whole(value);
      }
    }
  }
  return notebook;
}
