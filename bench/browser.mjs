// Measure chats in a browser: `node browser.mjs '<what to do, as JSON>'` prints one JSON object.
// Every opening has a page of its own, so that heaps and caches do not mix.

import { readFileSync } from 'node:fs';
import { fileURLToPath, URL } from 'node:url';
import { chromium } from '@playwright/test';

const TURNBOOK = 'Turnbook Chat';
const NOTEBOOK = 'Notebook';
const QUERIES = [
  'topic:ml/**',
  'zephyr',
  'star>=2',
  'last:20',
  'model:*mini -is:error',
  ''
];
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic'
];

const job = JSON.parse(process.argv[2]);
const helpers = readFileSync(
  fileURLToPath(new URL('inpage.js', import.meta.url)),
  'utf8'
);
const browser = await chromium.launch({
  executablePath: job.chromium ?? undefined,
  args: ARGS
});
let pages = 0;

/** JupyterLab in a fresh page, with nothing open. */
async function lab() {
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

/** The megabytes of JavaScript that are in use after a garbage collection. */
async function heap(cdp) {
  await cdp.send('HeapProfiler.collectGarbage');
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  return usedSize / 2 ** 20;
}

/** The milliseconds that the page's main thread has worked; waiting for a core does not count. */
async function work(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
}

const call = (page, name, ...args) =>
  page.evaluate(([fn, list]) => globalThis.bench[fn](...list), [name, args]);

async function opened(file, factory) {
  const page = await lab();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('HeapProfiler.enable');
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const empty = await heap(cdp);
  const began = await work(cdp);
  await call(page, 'open', file, factory);
  const cpu = (await work(cdp)) - began;
  const times = await call(page, 'settle', job.limit);
  const used = (await heap(cdp)) - empty;
  await cdp.detach();
  return { page, times: { ...times, cpu, heap: used } };
}

async function measure({ pairs, file }) {
  const say = text => process.stderr.write(`    ${pairs} pairs: ${text}\n`);
  say('opening in Turnbook');
  const chat = await opened(file, TURNBOOK);
  say('filters, keys');
  const keys = await call(chat.page, 'keys', job.keys);
  const filters = await call(chat.page, 'filter', QUERIES);
  const logic = await call(chat.page, 'logic', QUERIES, job.rounds);
  await chat.page.context().close();
  say('opening in JupyterLab’s own view');
  const own = await opened(file, NOTEBOOK);
  say('hiding cells there');
  await call(own.page, 'windowed');
  const masks = filters.map(({ visible }) => visible);
  const wanted = pairs > 1000 ? job.alternatives : masks.length;
  const hidden = await call(own.page, 'hide', masks.slice(0, wanted));
  await own.page.context().close();
  return {
    pairs,
    open: { turnbook: chat.times, notebook: own.times },
    filters: filters.map(({ visible, ...times }) => ({
      ...times,
      left: visible.filter(Boolean).length
    })),
    hidden,
    keys,
    logic
  };
}

try {
  const results = [];
  for (const size of job.sizes) {
    results.push(await measure(size));
  }
  process.stdout.write(JSON.stringify(results));
} finally {
  await browser.close();
}
