import type { Locator } from '@playwright/test';

import type { Chat } from './chat';
import { expect } from './fixtures';

/** The document search in a chat. */
export class Searching {
  constructor(readonly chat: Chat) {}

  get overlay(): Locator {
    return this.chat.page.locator('.jp-DocumentSearch-overlay');
  }

  get counter(): Locator {
    return this.overlay.locator('.jp-DocumentSearch-index-counter');
  }

  /** Search for a text. */
  async find(text: string): Promise<void> {
    await this.chat.page.keyboard.press('Control+F');
    await this.overlay.getByPlaceholder('Find').fill(text);
  }

  /** Turn an option of the search on or off. */
  async toggle(name: string): Promise<void> {
    await this.overlay.getByTitle(name).click();
    await this.overlay.getByPlaceholder('Find').click();
  }

  /** Wait until exactly these texts are highlighted, in any order. */
  async expectAll(texts: string[]): Promise<void> {
    await expect
      .poll(() => this._highlighted('turnbook-match'))
      .toEqual([...texts].sort());
  }

  /** Wait until the current match is this text, inside an element and in view. */
  async expectCurrent(text: string, inside: Locator): Promise<void> {
    await expect.poll(() => this._current(inside)).toEqual([text]);
  }

  /** Whether the current match is this text, inside an element and in view, now. */
  async isSeen(text: string, inside: Locator): Promise<boolean> {
    const [found, ...others] = await this._current(inside);
    return found === text && others.length === 0;
  }

  /** The current matches; null for those that are outside of an element or out of view. */
  private _current(inside: Locator): Promise<(string | null)[]> {
    return inside.evaluate(node => {
      const view = node.closest('.jp-WindowedPanel-outer')!;
      const bounds = view.getBoundingClientRect();
      return [...(CSS.highlights.get('turnbook-current-match') ?? [])].map(
        (found: any) => {
          const range = document.createRange();
          range.setStart(found.startContainer, found.startOffset);
          range.setEnd(found.endContainer, found.endOffset);
          const { top, bottom, height } = range.getBoundingClientRect();
          const isSeen =
            height > 0 && top >= bounds.top && bottom <= bounds.bottom;
          return node.contains(found.startContainer) && isSeen
            ? range.toString()
            : null;
        }
      );
    });
  }

  private _highlighted(name: string): Promise<string[]> {
    return this.chat.page.evaluate(
      name =>
        [...(CSS.highlights.get(name) ?? [])]
          .map((found: any) => {
            const range = document.createRange();
            range.setStart(found.startContainer, found.startOffset);
            range.setEnd(found.endContainer, found.endOffset);
            return range.toString();
          })
          .sort(),
      name
    );
  }
}
