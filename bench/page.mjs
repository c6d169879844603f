// What the measurements in a browser share: the job, the browser, a fresh page with JupyterLab.

import { readFileSync } from 'node:fs';
import { fileURLToPath, URL } from 'node:url';
import { chromium } from '@playwright/test';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic'
];

const helpers = readFileSync(
  fileURLToPath(new URL('inpage.js', import.meta.url)),
  'utf8'
);
let pages = 0;

/** What this process was told to do. */
export const job = JSON.parse(process.argv[2]);

/** Start the browser. */
export function launch() {
  return chromium.launch({
    executablePath: job.chromium ?? undefined,
    args: ARGS
  });
}

/** JupyterLab in a fresh page, with nothing open. */
export async function openLab(browser) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 }
  });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.addInitScript(helpers);
  await page.goto(`${job.base}/lab/workspaces/bench${pages++}?reset`);
  await page.waitForFunction('window.jupyterapp?.restored.then(() => true)');
  // An ordinary notebook asks for a kernel; that is not what is measured.
  await page.addLocatorHandler(page.locator('.jp-Dialog'), async () => {
    await page.locator('.jp-Dialog .jp-mod-reject').first().click();
  });
  return page;
}

/** Open a chat and write a message in it, without sending it. */
export function openChat(page, file) {
  return page.evaluate(async path => {
    const { commands } = globalThis.jupyterapp;
    const factory = 'Turnbook Chat';
    const panel = await commands.execute('turnbook:open', { path, factory });
    await panel.revealed;
    await panel.session.ready;
    panel.session.draft.text = 'The message of this request';
    const { shell } = globalThis.jupyterapp;
    while (
      shell.currentWidget !== panel ||
      !panel.node.querySelector('textarea')
    ) {
      await new Promise(resolve => globalThis.requestAnimationFrame(resolve));
    }
  }, file);
}

/** Call a function of `inpage.js`. */
export function call(page, name, ...args) {
  return page.evaluate(
    ([fn, list]) => globalThis.bench[fn](...list),
    [name, args]
  );
}

/** What it takes the page's main thread: its longest task in ms, as time that passed and as work. */
export async function traced(page, act) {
  const cdp = await page.context().newCDPSession(page);
  const events = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  await cdp.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'blink.user_timing'] }
  });
  await page.evaluate(() => globalThis.performance.mark('bench'));
  const result = await act();
  const over = new Promise(resolve =>
    cdp.once('Tracing.tracingComplete', resolve)
  );
  await cdp.send('Tracing.end');
  await over;
  await cdp.detach();
  const { pid, tid } = events.find(({ name }) => name === 'bench');
  const tasks = events.filter(
    event =>
      event.pid === pid &&
      event.tid === tid &&
      event.ph === 'X' &&
      event.name.endsWith('RunTask')
  );
  return {
    ...result,
    longest: Math.max(...tasks.map(({ dur }) => dur)) / 1000,
    work: Math.max(...tasks.map(({ tdur }) => tdur ?? 0)) / 1000
  };
}
