import type { Locator } from '@playwright/test';

import type { Chat } from './chat';
import { expect } from './fixtures';

/** A chat's filter bar, by its accessible names. */
export class Filtering {
  constructor(readonly chat: Chat) {}

  get input(): Locator {
    return this.chat.panel.getByRole('textbox', {
      name: 'Filter',
      exact: true,
      includeHidden: true
    });
  }

  get notice(): Locator {
    return this.chat.panel.locator('.jp-Turnbook-filter-notice');
  }

  /** The context of the next message: what is shown, and `X / Y`. */
  get context(): Locator {
    return this.chat.panel.getByRole('status', { name: 'Context' });
  }

  /** `X / Y`. */
  get counter(): Locator {
    return this.context.locator('.jp-Turnbook-counter-value');
  }

  /** The line about new pairs that the filter does not match. */
  get newPairs(): Locator {
    return this.chat.panel.locator('.jp-Turnbook-newPairs');
  }

  /** The button in the toolbar that shows the bar. */
  get button(): Locator {
    return this.chat.panel.getByRole('button', { name: 'Filter', exact: true });
  }

  /** Show the bar, which is folded away while it is empty, and focus it. */
  async open(): Promise<void> {
    await this.chat.execute('turnbook:focus-filter');
    await expect(this.input).toBeFocused();
  }

  /** Replace the text, key by key. */
  async write(text: string): Promise<void> {
    await this.open();
    await this.chat.page.keyboard.press('Control+A');
    await this.chat.page.keyboard.press('Delete');
    await this.chat.page.keyboard.type(text);
  }

  /** Append text at once, so that no part of it is ever in force alone. */
  async paste(text: string): Promise<void> {
    await this.open();
    await this.chat.page.keyboard.press('Control+End');
    await this.chat.page.keyboard.insertText(text);
  }

  /** Write a filter and move to the cells. */
  async apply(text: string): Promise<void> {
    await this.write(text);
    await this.chat.page.keyboard.press('Escape');
    await expect(this.input).not.toBeFocused();
  }

  /** The ids of the visible cells, in order. */
  shown(): Promise<string[]> {
    return this.chat.page.evaluate(() =>
      (window.jupyterapp.shell.currentWidget as any).content.widgets
        .filter((cell: any) => cell.node.offsetHeight > 0)
        .map((cell: any) => cell.model.id)
    );
  }

  async expectShown(ids: string[]): Promise<void> {
    await expect.poll(() => this.shown()).toEqual(ids);
  }

  /** The id of the active cell. */
  active(): Promise<string> {
    return this.chat.page.evaluate(
      () =>
        (window.jupyterapp.shell.currentWidget as any).content.activeCell.model
          .id
    );
  }

  /** The ids of the cells that a command would act on. */
  chosen(): Promise<string[]> {
    return this.chat.page.evaluate(() =>
      (window.jupyterapp.shell.currentWidget as any).content.selectedCells.map(
        (cell: any) => cell.model.id
      )
    );
  }
}
