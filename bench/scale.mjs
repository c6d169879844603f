// Measure chats in a browser: `node scale.mjs '<what to do, as JSON>'` prints one JSON object.
// Every opening has a page of its own, so that heaps and caches do not mix.

import { setTimeout as wait } from 'node:timers/promises';
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

/** A key comes so often; nobody types faster. */
const KEY_MS = 40;
/** How many saves there are at least, and how many keys they must meet. */
const SAVES = 3;
const KEYS = 20;

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

/** Press a key every `KEY_MS` until told to stop; the clock waits for no answer of the page. */
async function typing(page, stopped) {
  const cdp = await page.context().newCDPSession(page);
  const key = { key: 'k', code: 'KeyK', windowsVirtualKeyCode: 75 };
  const sent = [];
  const began = Date.now();
  for (let n = 1; !stopped(); n++) {
    sent.push(
      cdp.send('Input.dispatchKeyEvent', {
        type: 'keyDown',
        text: 'k',
        ...key
      }),
      cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key })
    );
    await wait(began + n * KEY_MS - Date.now());
  }
  await Promise.all(sent);
  await cdp.detach();
}

/**
 * Type while the file is saved, which has one new reply: the times of the keys that met the save, and
 * what it took. Short saves are repeated until they met some keys.
 */
async function saveAndType(page) {
  await call(page, 'focusPlace');
  await call(page, 'watchKeys');
  const saves = [];
  let keys = [];
  while (saves.length < SAVES || (keys.length < KEYS && saves.length < 20)) {
    let isOver = false;
    const keyboard = typing(page, () => isOver);
    // What the page works off when one begins to type is over.
    await wait(5 * KEY_MS);
    const save = await call(page, 'save');
    isOver = true;
    await keyboard;
    saves.push(save);
    keys = keys.concat(await call(page, 'keyTimes', save));
  }
  return { saves, keys };
}

/** Only whether and when it opens. */
async function open({ pairs, file }) {
  process.stderr.write(`    ${pairs} pairs: opening in Turnbook\n`);
  const { page, times } = await opened(file, TURNBOOK);
  await page.context().close();
  return { pairs, times };
}

async function measure({ pairs, file }) {
  const say = text => process.stderr.write(`    ${pairs} pairs: ${text}\n`);
  const openings = { turnbook: [], notebook: [] };
  // By turns, so that what else the machine does meets both.
  for (let round = 1; round < job.openings; round++) {
    say(`opening in both views, ${round}`);
    for (const [side, factory] of [
      ['notebook', NOTEBOOK],
      ['turnbook', TURNBOOK]
    ]) {
      const { page, times } = await opened(file, factory);
      openings[side].push(times);
      await page.context().close();
    }
  }
  say('opening in Turnbook');
  const chat = await opened(file, TURNBOOK);
  openings.turnbook.push(chat.times);
  say('filters, keys');
  const keys = await call(chat.page, 'keys', job.keys);
  const filters = await call(chat.page, 'filter', QUERIES);
  const logic = await call(chat.page, 'logic', QUERIES, job.rounds);
  say('saving');
  const save = await saveAndType(chat.page);
  await chat.page.context().close();
  say('opening in JupyterLab’s own view');
  const own = await opened(file, NOTEBOOK);
  openings.notebook.push(own.times);
  say('saving there');
  const ownSave = await saveAndType(own.page);
  say('hiding cells there');
  await call(own.page, 'windowed');
  const masks = filters.map(({ visible }) => visible);
  const wanted = pairs > 1000 ? job.alternatives : masks.length;
  const hidden = await call(own.page, 'hide', masks.slice(0, wanted));
  await own.page.context().close();
  return {
    pairs,
    open: openings,
    filters: filters.map(({ visible, ...times }) => ({
      ...times,
      left: visible.filter(Boolean).length
    })),
    hidden,
    keys,
    logic,
    save: { turnbook: save, notebook: ownSave }
  };
}

try {
  const results = [];
  for (const size of job.sizes) {
    results.push(await measure(size));
  }
  const longest = job.longest ? await open(job.longest) : null;
  process.stdout.write(JSON.stringify({ results, longest }));
} finally {
  await browser.close();
}
