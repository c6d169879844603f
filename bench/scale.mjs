// Measure chats in a browser: `node scale.mjs '<what to do, as JSON>'` prints one JSON object.
// Every opening has a page of its own, so that heaps and caches do not mix.

import { call, job, launch, openLab } from './page.mjs';

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

const browser = await launch();

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

async function opened(file, factory) {
  const page = await openLab(browser);
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
