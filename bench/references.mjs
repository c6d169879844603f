/* global MessageChannel, performance, requestAnimationFrame, window */
// Measure the list of references: `node references.mjs '<what to do, as JSON>'` prints one JSON object.
//
// A time is from a real key press, as the browser dates it, until the frame that shows its result is
// painted: what the page was busy with counts too. Other groups than that of cells may come later.

import { job, launch, openChat, openLab } from './page.mjs';

const browser = await launch();

/** Press a key; returns the milliseconds until a function of the page says that its result is shown. */
async function press(page, key, isShown) {
  await page.evaluate(source => {
    // The function is sent as text.
    const shown = window.eval(`(${source})`);
    window.pressed = new Promise((resolve, reject) => {
      let began;
      window.addEventListener('keydown', event => (began = event.timeStamp), {
        capture: true,
        once: true
      });
      const look = () =>
        requestAnimationFrame(() => {
          if (shown()) {
            // This frame shows it; a task follows when the frame is painted.
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => resolve(performance.now() - began);
            port2.postMessage(null);
          } else if (performance.now() - began > 30_000) {
            reject(new Error('The key was pressed, and nothing is shown.'));
          } else {
            look();
          }
        });
      // After the page's own listeners, so that this looks after they have drawn.
      window.addEventListener('input', look, { once: true });
    });
    const { composer, content } = window.jupyterapp.shell.currentWidget;
    window.before =
      composer?._options.references.groups ??
      content.activeCell.node.querySelector('.cm-line').textContent;
  }, String(isShown));
  await page.keyboard.press(key);
  return page.evaluate(() => window.pressed);
}

/** Whether the list has what was found for the last key, with cells. */
function isListed() {
  const { composer } = window.jupyterapp.shell.currentWidget;
  const { references } = composer._options;
  const { groups } = references;
  // A look at the whole page would itself take as long as a frame.
  const drawn = composer.node.querySelectorAll(
    '.jp-Turnbook-references-option'
  );
  return (
    groups !== window.before &&
    groups.some(({ id }) => id === 'jupyterlab-turnbook:cells') &&
    references.items.length === drawn.length &&
    references.items.every(({ label }, n) =>
      drawn[n].textContent.startsWith(label)
    )
  );
}

/** Whether the letter is in the cell. */
function isTyped() {
  const { content } = window.jupyterapp.shell.currentWidget;
  const { node, model } = content.activeCell;
  const line = node.querySelector('.cm-line').textContent;
  return (
    line === `z${window.before}` &&
    model.sharedModel.getSource().startsWith(line)
  );
}

/** Open notebooks behind the chat, as a restored layout has them. */
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

/** Let JupyterLab draw all cells now, as it does by itself whenever the page is idle, for minutes. */
async function drawAll(page) {
  await page.evaluate(async () => {
    const { shell } = window.jupyterapp;
    const all = [...shell.widgets('main')].filter(
      panel => panel !== shell.currentWidget
    );
    for (const { content } of all) {
      while (content.widgets.some(cell => cell.isPlaceholder())) {
        await content._runOnIdleTime(1000);
        await new Promise(resolve => requestAnimationFrame(resolve));
      }
    }
  });
}

/** Type letters into the first cell of a notebook that is open, as the alternative. */
async function typeIntoCell(page, path, letters) {
  await page.evaluate(async file => {
    const panel = [...window.jupyterapp.shell.widgets('main')].find(
      ({ context }) => context?.path === file
    );
    window.jupyterapp.shell.activateById(panel.id);
    await panel.revealed;
    panel.content.activeCellIndex = 0;
    await panel.content.scrollToItem(0);
    panel.content.mode = 'edit';
    panel.content.activeCell.editor.setCursorPosition({ line: 0, column: 0 });
    panel.content.activeCell.editor.focus();
  }, path);
  const times = [];
  for (const letter of letters) {
    times.push(await press(page, letter, isTyped));
  }
  return times;
}

try {
  const result = { open: [], first: [], key: [], cell: [] };
  for (let round = 0; round < job.rounds; round++) {
    const page = await openLab(browser);
    await openChat(page, job.chat);
    await openBehind(page, job.notebooks);
    if (job.drawn) {
      await drawAll(page);
    }
    await page.locator('.jp-Turnbook-composer textarea').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Space');
    result.open.push(await press(page, '@', isListed));
    const [first, ...others] = 'value';
    result.first.push(await press(page, first, isListed));
    for (const letter of others) {
      result.key.push(await press(page, letter, isListed));
    }
    result.cell.push(...(await typeIntoCell(page, job.notebooks[0], 'zzzzz')));
    await page.context().close();
  }
  process.stdout.write(JSON.stringify(result));
} finally {
  await browser.close();
}
