// Count the bytes of Yjs updates that replies cost: `node updates.mjs '<job as JSON>'` prints one
// JSON list. Collaboration keeps every update for ever, so this is what a reply costs for good.

import { job, launch, openLab } from './page.mjs';

const browser = await launch();

async function script(text) {
  const steps = [
    { tokens: text, every: 0 },
    { finish: 'stop' },
    { done: true }
  ];
  const answer = await fetch(`${job.control}/script`, {
    method: 'POST',
    body: JSON.stringify({ scripts: [{ steps }] })
  });
  if (!answer.ok) {
    throw new Error(await answer.text());
  }
}

/** Send a message in a new chat; answers the bytes from its claim until the reply is in the file. */
function sendAndCount() {
  const { commands, shell } = globalThis.jupyterapp;
  return (async () => {
    const before = shell.currentWidget;
    await commands.execute('turnbook:new-chat');
    while (!shell.currentWidget?.session || shell.currentWidget === before) {
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    const { session, context } = shell.currentWidget;
    await session.ready;
    session.draft.text = 'Write.';
    await session.send();
    let bytes = 0;
    const { sharedModel } = context.model;
    const count = update => {
      bytes += update.length;
    };
    sharedModel.ydoc.on('update', count);
    const landed = () => {
      const { state } = sharedModel.cells[0].getMetadata('turnbook_run');
      return state === 'succeeded' && !context.model.dirty;
    };
    while (!landed()) {
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    sharedModel.ydoc.off('update', count);
    const [output] = sharedModel.cells[0].getOutputs();
    return { bytes, text: output.data['text/markdown'] };
  })();
}

/** The same reply written into a notebook with every piece, as it came. */
function rewriteAndCount([text, pieces]) {
  const { sharedModel } =
    globalThis.jupyterapp.shell.currentWidget.context.model;
  const notebook = new sharedModel.constructor();
  const cell = notebook.insertCell(0, { cell_type: 'code', source: 'Write.' });
  let bytes = 0;
  notebook.ydoc.on('update', update => {
    bytes += update.length;
  });
  for (let n = 1; n <= pieces; n++) {
    const so_far = text.slice(0, Math.ceil((text.length * n) / pieces));
    cell.setOutputs([
      {
        output_type: 'display_data',
        data: { 'text/markdown': so_far },
        metadata: {}
      }
    ]);
  }
  return bytes;
}

const page = await openLab(browser);
const results = [];
for (const size of job.sizes) {
  const text = 'All work and no play. '.repeat(size / 22 + 1).slice(0, size);
  await script(text);
  const { bytes, text: landed } = await page.evaluate(sendAndCount);
  if (landed !== text) {
    throw new Error(
      `The reply of ${size} characters is not the one that was sent.`
    );
  }
  const rewritten = await page.evaluate(rewriteAndCount, [text, job.pieces]);
  results.push({ size, bytes, rewritten });
}
await browser.close();
process.stdout.write(JSON.stringify(results));
