/* global performance, requestAnimationFrame, window */
// Open a chat whose reply is under way: `node reopen.mjs '<what to do, as JSON>'` prints the
// milliseconds from the document's being read, when the page connects, until it shows what has come.

import { job, launch, openLab } from './page.mjs';

const browser = await launch();

/** Open the chat and wait until its last pair says this. */
function open(page, words) {
  return page.evaluate(
    async ([path, text]) => {
      const { commands } = window.jupyterapp;
      const factory = 'Turnbook Chat';
      const panel = await commands.execute('turnbook:open', { path, factory });
      await panel.context.ready;
      const began = performance.now();
      while (!panel.content.widgets.at(-1)?.node.textContent.includes(text)) {
        await new Promise(resolve => requestAnimationFrame(resolve));
      }
      return performance.now() - began;
    },
    [job.file, words]
  );
}

try {
  const first = await openLab(browser);
  await open(first, job.before);
  await first.evaluate(async path => {
    const { commands } = window.jupyterapp;
    const { session } = await commands.execute('docmanager:open', { path });
    await session.ready;
    session.draft.text = 'Go on';
    await session.send();
  }, job.file);
  await open(first, job.arrived);
  await first.context().close();
  const times = [];
  for (let round = 0; round < job.rounds; round++) {
    const page = await openLab(browser);
    times.push(await open(page, job.arrived));
    await page.context().close();
  }
  process.stdout.write(JSON.stringify(times));
} finally {
  await browser.close();
}
