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
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
    area.focus();
    const before = references.groups;
    const began = performance.now();
    window.document.execCommand('insertText', false, key);
    // Cells are found in the page; files and variables come from elsewhere.
    const isDrawn = () =>
      references.groups !== before &&
      references.groups.some(({ id }) => id === 'jupyterlab-turnbook:cells');
    while (!isDrawn()) {
      if (performance.now() - began > 30_000) {
        throw new Error(`No cell was found after ${key}.`);
      }
      await frame();
    }
    await frame();
    return performance.now() - began;
  }, letter);
}

/**
 * Open notebooks behind the chat, as a restored layout has them: JupyterLab draws the cells of a
 * notebook in front for many seconds, and that is not what is measured.
 */
async function openBehind(page, notebooks) {
  await page.evaluate(async paths => {
    for (const path of paths) {
      const panel = await window.jupyterapp.commands.execute(
        'docmanager:open',
        {
          path,
          options: { activate: false },
          kernelPreference: { shouldStart: false, canStart: false }
        }
      );
      await panel.context.ready;
    }
  }, notebooks);
}

try {
  const result = { open: [], first: [], key: [] };
  for (let round = 0; round < job.rounds; round++) {
    const page = await openLab(browser);
    await openChat(page, job.chat);
    await openBehind(page, job.notebooks);
    // There is a message before it.
    result.open.push(await type(page, ' @'));
    const [first, ...others] = 'value';
    result.first.push(await type(page, first));
    for (const letter of others) {
      result.key.push(await type(page, letter));
    }
    await page.context().close();
  }
  process.stdout.write(JSON.stringify(result));
} finally {
  await browser.close();
}
