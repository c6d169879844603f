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
