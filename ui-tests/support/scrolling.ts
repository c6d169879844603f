import type { Locator } from '@playwright/test';

import type { Chat } from './chat';
import { expect } from './fixtures';

/** The scrolling element of a chat. */
export const scroller = (chat: Chat): Locator =>
  chat.panel.locator('.jp-WindowedPanel-outer');

/** How far the end of the chat is below the visible part. */
export const below = (chat: Chat): Promise<number> =>
  scroller(chat).evaluate(
    node => node.scrollHeight - node.scrollTop - node.clientHeight
  );

/** The scroll position of a chat. */
export const scrollTop = (chat: Chat): Promise<number> =>
  scroller(chat).evaluate(node => node.scrollTop);

/** Scroll with the wheel, as a user does. */
export async function wheel(chat: Chat, by: number): Promise<void> {
  const before = await scrollTop(chat);
  await scroller(chat).hover();
  await chat.page.mouse.wheel(0, by);
  await expect.poll(() => scrollTop(chat)).not.toBe(before);
}
