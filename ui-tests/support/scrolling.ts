import type { Locator } from '@playwright/test';

import type { Chat } from './chat';
import { expect } from './fixtures';
import type { ScriptedProvider, Step } from './provider';

/** A number of short paragraphs with names. */
export const paragraphs = (count: number, name = 'line'): string =>
  Array.from({ length: count }, (_, n) => `${name} ${n}\n\n`).join('');

/** The end of a reply. */
export const end: Step[] = [{ finish: 'stop' }, { done: true }];

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

/** Scroll with the wheel, as a user does, and wait until that has come to its end. */
export async function wheel(chat: Chat, by: number): Promise<void> {
  const before = await scrollTop(chat);
  const isThere = by < 0 ? before === 0 : (await below(chat)) < 1;
  await scroller(chat).hover();
  await chat.page.mouse.wheel(0, by);
  if (!isThere) {
    await expect.poll(() => scrollTop(chat)).not.toBe(before);
  }
  await scroller(chat).evaluate(async node => {
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
    // Smooth scrolling moves in every frame.
    for (let last = NaN; last !== node.scrollTop;) {
      last = node.scrollTop;
      await frame();
      await frame();
    }
  });
}

/** Send a message, and wait for a reply that does not fit; it ends when the gate opens. */
export async function sayAtLength(
  chat: Chat,
  provider: ScriptedProvider,
  text: string,
  gate: string
): Promise<void> {
  await provider.script({
    steps: [{ delta: paragraphs(60) }, { wait: gate }, ...end]
  });
  const pair = await chat.say(text);
  await expect(pair).toContainText('line 59');
}
