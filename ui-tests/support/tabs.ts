import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { BrowserContext, Page } from '@playwright/test';

import { Chat } from './chat';

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
  await page.waitForFunction(
    () =>
      (window as any).jupyterapp?.shell?.restored &&
      document.querySelector('#jupyterlab-splash') === null
  );
  await page.evaluate(async () => {
    await (window as any).jupyterapp.restored;
  });
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
