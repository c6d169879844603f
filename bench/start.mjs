// Load a page that opens a file: `node start.mjs '<what to do, as JSON>'` prints when one can write in
// it, in seconds, and for a chat the compressed bytes that are loaded before and with it.

import { gzipSync } from 'node:zlib';
import { job, launch } from './page.mjs';

const PLACE = job.turnbook
  ? '.jp-Turnbook-chat textarea'
  : '.jp-Notebook .cm-content';

const browser = await launch();

async function newPage() {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(120_000);
  return page;
}

/** Seconds from the navigation until one can write, and frames come without delay. */
async function usable() {
  const page = await newPage();
  await page.goto(`${job.base}/lab/tree/${job.file}`);
  const ms = await page.evaluate(async place => {
    const { performance, requestAnimationFrame } = globalThis;
    let before = performance.now();
    for (let smooth = 0; smooth < 3;) {
      await new Promise(resolve => requestAnimationFrame(resolve));
      const now = performance.now();
      const seen = globalThis.document.querySelector(place)?.checkVisibility();
      smooth = seen && now - before <= 100 ? smooth + 1 : 0;
      before = now;
    }
    return performance.now();
  }, PLACE);
  const told = await page.locator('#jupyter-config-data').textContent();
  if (told.includes('"jupyterlab-turnbook"') !== job.turnbook) {
    throw new Error('The wrong side has Turnbook');
  }
  await page.context().close();
  return ms / 1000;
}

/** The compressed bytes of Turnbook in a page without and then with a chat. */
async function weights() {
  const page = await newPage();
  const bodies = [];
  page.on('response', response => {
    if (response.url().includes('/jupyterlab-turnbook/static/')) {
      bodies.push(response.body());
    }
  });
  const weigh = async () => {
    const all = await Promise.all(bodies.splice(0));
    return all.reduce((sum, body) => sum + gzipSync(body).length, 0);
  };
  await page.goto(`${job.base}/lab`);
  await page.waitForFunction('window.jupyterapp?.restored.then(() => true)');
  const start = await weigh();
  await page.evaluate(
    path =>
      globalThis.jupyterapp.commands.execute('turnbook:open', {
        path,
        factory: 'Turnbook Chat'
      }),
    job.file
  );
  await page.waitForSelector(PLACE);
  return { start, later: await weigh() };
}

try {
  const result = { usable: await usable() };
  if (job.turnbook) {
    Object.assign(result, await weights());
  }
  process.stdout.write(JSON.stringify(result));
} finally {
  await browser.close();
}
