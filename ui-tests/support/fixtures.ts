import {
  expect,
  galata,
  test as lab,
  type IJupyterLabPageFixture
} from '@jupyterlab/galata';
import type { Page } from '@playwright/test';

import { LOADING_MS, waitForStart } from './loading';
import {
  endRuns,
  forgetProviders,
  killServer,
  port,
  ScriptedProvider,
  servers,
  startServer,
  type IServers
} from './provider';

export { expect };

/** Most tests check the result of a single attempt. Those of resumption use the defaults. */
const SETTINGS = {
  ...galata.DEFAULT_SETTINGS,
  'jupyterlab-turnbook:chat': { autoRetry: false }
};

/**
 * galata's `test` with the scripted provider of the running project, reset before each test. Each
 * worker has its own servers.
 *
 * The tests of a worker share one page, because loading it takes longer than most tests; each
 * starts with only the launcher open. It may be reloaded, and other tabs are closed at the end. A test
 * that changes settings, routes requests, or needs a page without a past has `@fresh` in its title and
 * gets its own.
 */
export const test = lab.extend<
  {
    page: IJupyterLabPageFixture;
    provider: ScriptedProvider;
    servers: IServers;
    /** A Jupyter server that a test may kill; it is restarted after the test. */
    mortal: { kill(): Promise<void>; start(): Promise<void> };
  },
  { shared: { page: IJupyterLabPageFixture | null } }
>({
  shared: [
    async ({}, use) => {
      const shared = { page: null as IJupyterLabPageFixture | null };
      await use(shared);
      await close(shared.page);
    },
    { scope: 'worker' }
  ],
  page: [
    async (
      { baseURL, browser, mockSettings, shared, tmpPath, viewport },
      use,
      info
    ) => {
      const open = async (url: string) => {
        const { page } = await galata.newPage({
          autoGoto: false,
          baseURL: baseURL!,
          browser,
          mockSettings,
          // A mock of what runs on the server fails its test when the server is killed.
          mockKernels: false,
          mockSessions: false,
          mockTerminals: false,
          waitForApplication
        });
        Object.assign(page, { waitForAppStarted: () => waitForStart(page) });
        // Polling fills the 250 entries that a browser keeps.
        await page.addInitScript(() => {
          performance.setResourceTimingBufferSize(10_000);
        });
        await page.goto(`${url}?reset`);
        return page;
      };
      if (info.tags.includes('@fresh') || mockSettings !== SETTINGS) {
        const page = await open(`tree/${tmpPath}`);
        await use(page);
        await close(page);
        return;
      }
      const page = (shared.page ??= keepsNoRoutes(await open('')));
      await page.setViewportSize(viewport!);
      await goTo(page, tmpPath);
      await use(page);
      await tidy(page);
    },
    // Loading a page does not count as part of its test.
    { scope: 'test', timeout: 2 * LOADING_MS }
  ],
  context: async ({ page }, use) => {
    await use(page.context());
  },
  baseURL: async ({}, use, info) => {
    const { name } = info.project;
    await use(`http://127.0.0.1:${port(name, info.parallelIndex)}`);
  },
  mockSettings: async ({}, use) => {
    await use(SETTINGS);
  },
  servers: async ({}, use, info) => {
    const own = servers(info.project.name, info.parallelIndex);
    await forgetProviders(own);
    await use(own);
  },
  mortal: async ({ servers, shared }, use) => {
    // It would complain of the lost connection in the middle of a later test.
    await close(shared.page);
    shared.page = null;
    let dead = false;
    const start = async () => {
      dead = false;
      await startServer(servers);
    };
    await use({
      kill: async () => {
        dead = true;
        await killServer(servers);
      },
      start
    });
    if (dead) {
      await start();
    }
  },
  provider: async ({ servers }, use) => {
    const provider = new ScriptedProvider(servers.control);
    await endRuns(servers);
    await provider.reset();
    await use(provider);
    await provider.reset();
  }
});

/** A route would affect later tests. */
function keepsNoRoutes(page: IJupyterLabPageFixture): IJupyterLabPageFixture {
  page.route = () => {
    throw new Error('A test that routes requests says @fresh in its title.');
  };
  return page;
}

/** Wait until JupyterLab shows its launcher. */
async function waitForApplication(page: Page): Promise<void> {
  const timeout = LOADING_MS;
  await page
    .locator('#jupyterlab-splash')
    .waitFor({ state: 'detached', timeout });
  await expect(
    // Its name depends on the language.
    page.getByRole('main').locator('[role="tab"][data-id^="launcher-"]')
  ).toHaveAttribute('aria-selected', 'true', { timeout });
}

/** Close a page; a pending request of its mocks must not fail the test. */
async function close(page: Page | null): Promise<void> {
  if (!page) {
    return;
  }
  if (!page.isClosed()) {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
  // Also if the test closed its page itself: other tabs would stay.
  await page.context().close();
}

/** Restore a page to its state after loading, with only the launcher open. */
async function tidy(page: IJupyterLabPageFixture): Promise<void> {
  const [, ...otherTabs] = page.context().pages();
  for (const tab of otherTabs) {
    await tab.close();
  }
  while (await page.locator('.jp-Dialog').count()) {
    await page.keyboard.press('Escape');
  }
  await page.evaluate(async () => {
    const { commands, shell } = window.jupyterapp;
    // A chat may be in the sidebar, beside JupyterLab's own panels.
    const aside = [...shell.widgets('right')].filter(one => 'context' in one);
    const opened = [...shell.widgets('main'), ...aside];
    await commands.execute('launcher:create', { cwd: '' });
    for (const widget of opened) {
      const { context } = widget as any;
      // Do not interrupt a file that is being written; with jupyter-collaboration, the server writes it.
      if (!context?.model?.collaborative) {
        await context?.save();
      }
      widget.dispose();
    }
    (shell as any).collapseRight();
    if ((shell as any).leftCollapsed) {
      (shell as any).expandLeft();
    }
    // The next test's chats start with the server's model.
    localStorage.removeItem('turnbook:models');
    await commands.execute('apputils:dismiss-notification', {});
  });
  // The test's folder is about to be deleted.
  await goTo(page, '/');
}

/** Have the file browser show a folder. */
async function goTo(page: Page, folder: string): Promise<void> {
  await page.evaluate(async path => {
    const { commands } = window.jupyterapp;
    const args = { path, dontShowBrowser: true };
    await commands.execute('filebrowser:go-to-path', args);
  }, folder);
}
