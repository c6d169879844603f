import type { Locator } from '@playwright/test';

import type { Chat } from './chat';
import { expect } from './fixtures';

/** A chat's filter bar, by the names that people see. */
export class Filtering {
  constructor(readonly chat: Chat) {}

  get input(): Locator {
    return this.chat.panel.getByRole('textbox', {
      name: 'Filter',
      exact: true
    });
  }

  get notice(): Locator {
    return this.chat.panel.locator('.jp-Turnbook-filter-notice');
  }

  get counter(): Locator {
    return this.chat.panel.getByRole('status', { name: 'Context' });
  }

  /** Replace what is written, key by key. */
  async write(text: string): Promise<void> {
    await this.input.click();
    await this.chat.page.keyboard.press('Control+A');
    await this.chat.page.keyboard.press('Delete');
    await this.chat.page.keyboard.type(text);
  }

  /** Add to the end of what is written at once, so that no half of it is ever in force. */
  async paste(text: string): Promise<void> {
    await this.input.click();
    await this.chat.page.keyboard.press('Control+End');
    await this.chat.page.keyboard.insertText(text);
  }

  /** Write a filter and leave for the cells. */
  async apply(text: string): Promise<void> {
    await this.write(text);
    await this.chat.page.keyboard.press('Escape');
    await expect(this.input).not.toBeFocused();
  }

  /** The ids of the cells on the screen, in order. */
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

  /** The ids of the cells that a command would be for. */
  chosen(): Promise<string[]> {
    return this.chat.page.evaluate(() =>
      (window.jupyterapp.shell.currentWidget as any).content.selectedCells.map(
        (cell: any) => cell.model.id
      )
    );
  }
}
