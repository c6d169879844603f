/* global atob, ClipboardEvent, DataTransfer, File, performance, requestAnimationFrame, window */
// Measure images in a chat: `node attachments.mjs '<what to do, as JSON>'` prints one JSON object.

import { readFileSync } from 'node:fs';

import { call, job, launch, openChat, openLab } from './page.mjs';

const browser = await launch();

/** Paste images and wait until they are in the list; returns the milliseconds that it took. */
function paste(page, pictures) {
  return page.evaluate(async list => {
    const panel = window.jupyterapp.shell.currentWidget;
    const transfer = new DataTransfer();
    list.forEach((data, n) => {
      const bytes = Uint8Array.from(atob(data), one => one.charCodeAt(0));
      transfer.items.add(new File([bytes], `${n}.png`));
    });
    const count = () =>
      panel.node.querySelectorAll('.jp-Turnbook-attachment').length;
    const wanted = count() + list.length;
    const began = performance.now();
    panel.node.querySelector('textarea').dispatchEvent(
      new ClipboardEvent('paste', {
        clipboardData: transfer,
        bubbles: true,
        cancelable: true
      })
    );
    while (count() < wanted) {
      const refused = panel.node.querySelector('.jp-Turnbook-notice');
      if (refused) {
        throw new Error(refused.textContent);
      }
      await new Promise(resolve => requestAnimationFrame(resolve));
    }
    return performance.now() - began;
  }, pictures);
}

/** The milliseconds until the last cell of a file is seen in a view. */
async function opened(factory) {
  const page = await openLab(browser);
  const took = await page.evaluate(
    async ([path, view]) => {
      const { commands } = window.jupyterapp;
      const began = performance.now();
      const panel = await commands.execute(
        view === 'Notebook' ? 'docmanager:open' : 'turnbook:open',
        { path, factory: view }
      );
      await panel.revealed;
      const last = panel.content.widgets.length - 1;
      await panel.content.scrollToItem(last);
      const node = () => panel.content.widgets[last].node;
      while (!node().isConnected || !node().querySelector('.cm-content')) {
        await new Promise(resolve => requestAnimationFrame(resolve));
      }
      return performance.now() - began;
    },
    [job.full, factory]
  );
  await page.context().close();
  return took;
}

try {
  const result = { paste: [], with: [], without: [], chat: [], own: [] };
  const [large, ...small] = job.pictures.map(path =>
    readFileSync(path).toString('base64')
  );
  for (let round = 0; round < job.rounds; round++) {
    const page = await openLab(browser);
    await openChat(page, job.empty);
    // The first keys are slower, whatever is attached.
    await call(page, 'keys', 40);
    result.without.push(...(await call(page, 'keys', 40)).work);
    await paste(page, small);
    result.with.push(...(await call(page, 'keys', 40)).work);
    result.paste.push(await paste(page, [large]));
    await page.context().close();
    result.chat.push(await opened('Turnbook Chat'));
    result.own.push(await opened('Notebook'));
  }
  process.stdout.write(JSON.stringify(result));
} finally {
  await browser.close();
}
