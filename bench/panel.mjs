/* global document, performance, requestAnimationFrame, window */
// The Request panel in a browser: `node panel.mjs '<what to do, as JSON>'` prints what it took to
// open it, one figure for each time, and the frames of scrolling through a long request.

import { job, launch, openChat, openLab, traced } from './page.mjs';

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

/** Put a list of as many rows as the panel has over its own, all of them in the page. */
function layPlainList(sections) {
  const list = document.querySelector('.jp-Turnbook-VirtualList');
  const row = [...list.querySelectorAll('[data-turnbook-section]')].at(-1);
  const plain = document.createElement('div');
  plain.className = 'plain-list';
  plain.style.cssText = `height: ${list.clientHeight}px; overflow-y: auto;`;
  plain.append(...Array.from({ length: sections }, () => row.cloneNode(true)));
  list.replaceWith(plain);
}

/** Scroll to the end, faster than any wheel; the time between frames, in milliseconds. */
async function scroll([selector, step]) {
  const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
  const list = document.querySelector(selector);
  list.scrollTop = 0;
  await frame();
  const times = [];
  let before = await frame();
  while (list.scrollTop + list.clientHeight < list.scrollHeight - 1) {
    list.scrollTop += step;
    const now = await frame();
    times.push(now - before);
    before = now;
  }
  return times;
}

const browser = await launch();
try {
  const page = await openLab(browser);
  await openChat(page, job.file);
  const opened = await page.evaluate(open, job.rounds);
  await openChat(page, job.long);
  await page.evaluate(open, 1);
  await page.waitForTimeout(2000);
  const row = page.locator('.jp-Turnbook-VirtualList [aria-setsize]').first();
  const sections = Number(await row.getAttribute('aria-setsize'));
  const own = ['.jp-Turnbook-VirtualList', job.step];
  const frames = await page.evaluate(scroll, own);
  const { work } = await traced(page, () => page.evaluate(scroll, own));
  await page.evaluate(layPlainList, sections);
  await page.waitForTimeout(2000);
  const plain = await page.evaluate(scroll, ['.plain-list', job.step]);
  process.stdout.write(
    JSON.stringify({ opened, frames, work, plain, sections })
  );
} finally {
  await browser.close();
}
