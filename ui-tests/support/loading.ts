import type { Page } from '@playwright/test';

/** How long a page may take to load, like any other navigation. */
export const LOADING_MS = 60_000;

/** Wait until JupyterLab has started; galata would give up after 15 seconds. */
export async function waitForStart(page: Page): Promise<void> {
  await page.waitForFunction(
    () => (window as any).jupyterapp !== undefined,
    undefined,
    { timeout: LOADING_MS }
  );
  await page.evaluate(async () => {
    await (window as any).jupyterapp.started;
  });
}

/** Wait until JupyterLab has restored what was open. */
export async function waitForRestored(page: Page): Promise<void> {
  await waitForStart(page);
  await page
    .locator('#jupyterlab-splash')
    .waitFor({ state: 'detached', timeout: LOADING_MS });
  await page.evaluate(async () => {
    await (window as any).jupyterapp.restored;
  });
}

/**
 * Have the messages of a page go with requests, which a test can route: the socket breaks when one is
 * sent on it. Until the page is loaded again.
 */
export async function breakSends(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (this: WebSocket, data) {
      if (String(data).startsWith('{"send":')) {
        this.close();
      } else {
        send.call(this, data);
      }
    };
  });
}
