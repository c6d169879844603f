import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { BrowserContext, Page } from '@playwright/test';

import { Chat } from './chat';
import { expect } from './fixtures';
import { waitForRestored } from './loading';

/** Another tab on the same server, with JupyterLab ready in it. */
export async function otherLab(
  context: BrowserContext,
  workspace = 'second'
): Promise<Chat> {
  return inWorkspace(await context.newPage(), workspace);
}

async function inWorkspace(page: Page, workspace: string): Promise<Chat> {
  // In the first tab's workspace, JupyterLab would switch to another one.
  await page.goto(`lab/workspaces/${workspace}?reset`);
  await waitForRestored(page);
  return new Chat(page as unknown as IJupyterLabPageFixture);
}

/** Another tab with a chat open in it. */
export async function otherTab(
  context: BrowserContext,
  path: string,
  workspace?: string
): Promise<Chat> {
  const chat = await otherLab(context, workspace);
  await chat.open(path);
  return chat;
}

/** A chat of one pair that is open in two tabs. */
export async function twoTabs(
  page: IJupyterLabPageFixture,
  context: BrowserContext,
  folder: string
): Promise<{ a: Chat; b: Chat; file: string }> {
  const a = new Chat(page);
  const file = await a.createSaved(folder, 'One');
  const b = await otherTab(context, file);
  await b.expectState(0, 'succeeded');
  return { a, b, file };
}

/** A chat of one pair that is open in two tabs, with the same message being written in both. */
export async function twoTabsWithDraft(
  page: IJupyterLabPageFixture,
  context: BrowserContext,
  folder: string,
  draft: string
): Promise<{ a: Chat; b: Chat; file: string }> {
  const a = new Chat(page);
  const file = await a.createSaved(folder, 'One');
  await a.message.fill(draft);
  await expect
    .poll(() => page.evaluate(() => JSON.stringify(localStorage)))
    .toContain(draft);
  const b = await otherTab(context, file);
  await expect(b.message).toHaveValue(draft);
  return { a, b, file };
}

/** A duplicate of a tab, with a copy of its session storage, and with a chat open in it. */
export async function copyTab(
  context: BrowserContext,
  tab: IJupyterLabPageFixture,
  path: string
): Promise<Chat> {
  const opened = context.waitForEvent('page');
  await tab.evaluate(() => {
    window.open('about:blank');
  });
  const chat = await inWorkspace(await opened, 'copy');
  await chat.open(path);
  return chat;
}
