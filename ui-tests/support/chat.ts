import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { expect } from './fixtures';
import { expectValid } from './valid';

/** A chat in the page, by the names that people see. */
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

  /** The pair with a number, from 0. */
  pair(n: number): Locator {
    return this.pairs.nth(n);
  }

  async expectState(n: number, state: string): Promise<void> {
    await expect(this.pair(n)).toHaveAttribute('data-turnbook-state', state);
  }

  /** Run a command; what it returns stays in the page. */
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

  /** Make a new chat in a folder and wait until one can write in it. */
  async create(folder: string): Promise<string> {
    await this.execute('turnbook:new-chat', { cwd: folder });
    await expect(this.message).toBeFocused();
    await this.atRest();
    return this.path();
  }

  /** Wait until JupyterLab has read the file; a little after it shows, it forgets the steps of undo. */
  async atRest(): Promise<void> {
    await this.page.waitForFunction(() => {
      const { context } = window.jupyterapp.shell.currentWidget as any;
      return context.isReady && context.sessionContext.isReady;
    });
  }

  /** Reload the page; galata would wait for the launcher, but the chat is what comes back. */
  async reload(): Promise<void> {
    await this.page.reload({ waitForIsReady: false } as object);
    await expect(this.message).toBeVisible({ timeout: 30_000 });
    // Until then JupyterLab may still put the tab of before in front.
    await this.page.evaluate(async () => {
      await window.jupyterapp.restored;
    });
  }

  /** Open a file as JupyterLab would by itself. */
  async open(path: string): Promise<void> {
    await this.execute('docmanager:open', { path });
    await expect(this.message).toBeVisible();
    await this.atRest();
  }

  /** The path of the chat that is in front. */
  path(): Promise<string> {
    return this.page.evaluate(
      () => (window.jupyterapp.shell.currentWidget as any).context.path
    );
  }

  /** Send a message by key and wait until its pair is there. */
  async say(text: string): Promise<void> {
    const before = await this.pairs.count();
    await this.message.fill(text);
    // A reply shows as complete a little before the next message can go.
    await expect(this.send).toBeEnabled();
    await this.message.press('Enter');
    await expect(this.pairs).toHaveCount(before + 1);
  }

  /** The height of the text being written: less than 30 px would cut a line of it. */
  async textHeight(): Promise<number> {
    return (await this.message.boundingBox())?.height ?? 0;
  }

  /** Edit the active pair by key, once the chat lets it. */
  async editByKey(): Promise<void> {
    await this.page.waitForFunction(() =>
      window.jupyterapp.commands.isEnabled('turnbook:edit-and-resend')
    );
    await this.page.keyboard.press('e');
  }

  /** Wait until the page has no changes that its file lacks. */
  async clean(): Promise<void> {
    await this.page.waitForFunction(
      () => !(window.jupyterapp.shell.currentWidget as any).context.model.dirty
    );
  }

  /** The saved notebook, once it holds what is asked for. */
  async saved(path: string, holds: (notebook: any) => boolean): Promise<any> {
    let notebook: any;
    try {
      await expect
        .poll(async () => {
          notebook = await this.page.evaluate(async file => {
            const { contents } = window.jupyterapp.serviceManager;
            try {
              // As a notebook the server would take one that is being written for a damaged one,
              // and put the older version back in its place.
              const { content } = await contents.get(file, {
                type: 'file',
                format: 'text',
                content: true
              });
              return JSON.parse(content);
            } catch (error) {
              // While it is being written, it cannot be read.
              return String(error);
            }
          }, path);
          return typeof notebook === 'string'
            ? notebook
            : holds(withWholeTexts(notebook));
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

  /** What the page knows of the chat in front, for somebody who wonders why it was not saved. */
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

/** A notebook as it is on disk, with the texts put together that stand there line by line. */
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
