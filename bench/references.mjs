/* global performance, requestAnimationFrame, window */
// Measure the list of references: `node references.mjs '<what to do, as JSON>'` prints one JSON object.

import { job, launch, openChat, openLab } from './page.mjs';

const browser = await launch();

/** Type a letter into the message; returns the milliseconds until its list is drawn. */
function type(page, letter) {
  return page.evaluate(async key => {
    const panel = window.jupyterapp.shell.currentWidget;
    const area = panel.node.querySelector('textarea');
    const { references } = panel.composer._options;
    area.focus();
    const before = references.groups;
    const began = performance.now();
    window.document.execCommand('insertText', false, key);
    // Cells and outputs are there at once; files and variables come from elsewhere.
    const isDrawn = () =>
      references.groups !== before &&
      references.groups.some(({ id }) => id === 'jupyterlab-turnbook:cells');
    while (!isDrawn()) {
      await new Promise(resolve => requestAnimationFrame(resolve));
    }
    await new Promise(resolve => requestAnimationFrame(resolve));
    return performance.now() - began;
  }, letter);
}

try {
  const result = { open: [], key: [] };
  for (let round = 0; round < job.rounds; round++) {
    const page = await openLab(browser);
    await page.evaluate(async paths => {
      for (const path of paths) {
        const panel = await window.jupyterapp.commands.execute(
          'docmanager:open',
          { path, kernelPreference: { shouldStart: false } }
        );
        await panel.context.ready;
      }
    }, job.notebooks);
    await openChat(page, job.chat);
    result.open.push(await type(page, '@'));
    for (const letter of 'value') {
      result.key.push(await type(page, letter));
    }
    await page.context().close();
  }
  process.stdout.write(JSON.stringify(result));
} finally {
  await browser.close();
}
