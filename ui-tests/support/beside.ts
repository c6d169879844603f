import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { Chat } from './chat';
import { expect } from './fixtures';

/** A notebook in the page, and the chat about it. */
export class Beside {
  constructor(readonly page: IJupyterLabPageFixture) {
    this.chat = new Chat(page);
  }

  readonly chat: Chat;

  /** The panel of the notebook. */
  get notebook(): Locator {
    return this.page.locator(
      '.jp-NotebookPanel:not(.jp-Turnbook-chat):visible'
    );
  }

  /** The button of the notebook's toolbar that opens the chat. */
  get button(): Locator {
    return this.notebook.getByRole('button', { name: 'Chat', exact: true });
  }

  /** The same button by what it says of the notebook: whether it has a chat. */
  says(words: string): Locator {
    return this.notebook.getByTitle(words, { exact: true });
  }

  /** A button of the active cell's toolbar. */
  tool(name: string): Locator {
    return this.notebook.locator(`jp-button[data-command="${name}"]`);
  }

  /** What is attached to the message. */
  get chips(): Locator {
    return this.chat.panel
      .getByRole('list', { name: 'Attachments' })
      .getByRole('listitem');
  }

  /** Write a notebook with these cells, and open it, with a kernel if it is to run. */
  async prepare(
    path: string,
    cells: readonly object[],
    kernel = false
  ): Promise<void> {
    await this.write(path, cells);
    await this.open(path, kernel);
  }

  /** Write a notebook with these cells. */
  async write(path: string, cells: readonly object[]): Promise<void> {
    const content = {
      cells: cells.map((cell, n) => ({ id: `cell-${n}`, ...cell })),
      metadata: {
        kernelspec: {
          name: 'python3',
          display_name: 'Python 3 (ipykernel)',
          language: 'python'
        },
        language_info: { name: 'python' }
      },
      nbformat: 4,
      nbformat_minor: 5
    };
    await this.page.evaluate(
      async ([file, notebook]) => {
        const { contents } = window.jupyterapp.serviceManager;
        await contents.save(file, {
          type: 'notebook',
          format: 'json',
          content: notebook
        });
      },
      [path, content] as const
    );
  }

  /** Open a notebook, with a kernel if it is to run. */
  async open(path: string, kernel = false): Promise<void> {
    await this.chat.execute('docmanager:open', {
      path,
      factory: 'Notebook',
      ...(kernel ? {} : { kernelPreference: { shouldStart: false } })
    });
    await this.chat.atRest();
    if (kernel) {
      await this.idle(path);
    }
  }

  /** Wait until the kernel of a notebook has nothing to do. */
  async idle(path: string): Promise<void> {
    await this.page.waitForFunction(file => {
      const panel = [...window.jupyterapp.shell.widgets('main')].find(
        widget => (widget as any).context?.path === file
      ) as any;
      return panel?.sessionContext.session?.kernel?.status === 'idle';
    }, path);
  }

  /** Run all cells of the current notebook. */
  async run(path: string): Promise<void> {
    await this.chat.execute('notebook:run-all-cells');
    await this.idle(path);
  }

  /** Select cells of the notebook in front. */
  async select(first: number, last = first): Promise<void> {
    await this.page.evaluate(
      ([from, to]) => {
        const { content } = window.jupyterapp.shell.currentWidget as any;
        content.deselectAll();
        content.activeCellIndex = from;
        if (to !== from) {
          content.extendContiguousSelectionTo(to);
        }
        content.activate();
      },
      [first, last]
    );
  }

  /** Put a document in front. */
  async activate(path: string): Promise<void> {
    await this.page.evaluate(file => {
      const { shell } = window.jupyterapp;
      for (const widget of shell.widgets('main')) {
        if ((widget as any).context?.path === file) {
          shell.activateById(widget.id);
        }
      }
    }, path);
    await expect.poll(() => this.chat.path()).toBe(path);
  }
}

/** A code cell. */
export function code(source: string, outputs: readonly object[] = []): object {
  return {
    cell_type: 'code',
    execution_count: null,
    metadata: {},
    outputs,
    source
  };
}
