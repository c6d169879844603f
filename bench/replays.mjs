/* global document, performance, requestAnimationFrame, window */
// Measure replays in a browser: `node replays.mjs '<what to do, as JSON>'` prints one JSON list.

import { job, launch, openChat, openLab } from './page.mjs';

const browser = await launch();

const median = list => [...list].sort((a, b) => a - b)[list.length >> 1];

/** The megabytes of JavaScript that are in use after a garbage collection. */
async function heap(cdp) {
  await cdp.send('HeapProfiler.collectGarbage');
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  return usedSize / 2 ** 20;
}

/** Replay the message being written and wait until its first cell is painted; milliseconds. */
function replay(page) {
  return page.evaluate(async () => {
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
    const { commands, shell } = window.jupyterapp;
    const began = performance.now();
    await commands.execute('turnbook:replay', { pair: 'live' });
    while (!shell.currentWidget?.content?.widgets?.[0]?.inputArea) {
      await frame();
    }
    await frame();
    return performance.now() - began;
  });
}

async function measure({ sections, file }) {
  const page = await openLab(browser);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('HeapProfiler.enable');
  await openChat(page, file);
  // What a first look at the request makes is not the replay's.
  await page.evaluate(() => {
    void window.jupyterapp.shell.currentWidget.session.requests.live.request;
  });
  const before = await heap(cdp);
  const times = [];
  let used = 0;
  for (let round = 0; round < job.rounds; round++) {
    times.push(await replay(page));
    if (round === 0) {
      used = (await heap(cdp)) - before;
    }
    if (round < job.rounds - 1) {
      await page.evaluate(() => window.jupyterapp.shell.currentWidget.close());
      await page.waitForFunction(
        () => !!window.jupyterapp.shell.currentWidget?.session
      );
    }
  }
  const rebuild = await page.evaluate(async () => {
    const { shell } = window.jupyterapp;
    const view = shell.currentWidget;
    const chat = [...shell.widgets('main')].find(({ session }) => session);
    const { digest } = view.view.built.replay.record;
    const began = performance.now();
    chat.session.draft.text = 'Another message';
    while (view.view.built.replay.record.digest === digest) {
      await new Promise(resolve => requestAnimationFrame(resolve));
    }
    return performance.now() - began;
  });
  const more = page.getByRole('button', { name: /^View replayed prompt/ });
  let all = null;
  if (await more.count()) {
    all = await page.evaluate(async count => {
      const { content } = window.jupyterapp.shell.currentWidget;
      const began = performance.now();
      document.querySelector('.jp-Turnbook-replayMore button').click();
      const wanted = 1 + (count - 2) / 2 + 1;
      while (content.widgets.length < wanted) {
        await new Promise(resolve => requestAnimationFrame(resolve));
      }
      await new Promise(resolve => requestAnimationFrame(resolve));
      return performance.now() - began;
    }, sections);
  }
  await page.context().close();
  return { sections, open: median(times), rebuild, all, heap: used };
}

try {
  const results = [];
  for (const size of job.sizes) {
    process.stderr.write(`    ${size.sections} sections\n`);
    results.push(await measure(size));
  }
  process.stdout.write(JSON.stringify(results));
} finally {
  await browser.close();
}
