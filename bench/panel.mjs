/* global document, performance, requestAnimationFrame, window */
// The Request panel in a browser: `node panel.mjs '<what to do, as JSON>'` prints what it took to
// open it, one figure for each time.

import { job, launch, openChat, openLab } from './page.mjs';

/** Open the panel and wait until its first section is painted; close it again. Milliseconds. */
async function open(rounds) {
  const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
  const { commands } = window.jupyterapp;
  const row = () => document.querySelector('[data-turnbook-row]');
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await commands.execute('turnbook:open-request-editor');
    while (!row()?.offsetHeight) {
      await frame();
    }
    await frame();
    times.push(performance.now() - began);
    if (round < rounds - 1) {
      await commands.execute('application:toggle-right-area');
      while (row()?.offsetHeight) {
        await frame();
      }
    }
  }
  return times;
}

const browser = await launch();
try {
  const page = await openLab(browser);
  await openChat(page, job.file);
  const opened = await page.evaluate(open, job.rounds);
  process.stdout.write(JSON.stringify(opened));
} finally {
  await browser.close();
}
