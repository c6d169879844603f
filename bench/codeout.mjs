// How long it takes to insert a code block of a reply into a notebook: `node codeout.mjs '<job as
// JSON>'` prints the times in ms, from the click until the frame that shows the new cell is painted.

import { job, launch, openLab } from './page.mjs';

/** A reply with these blocks, in a chat, and an open notebook with these cells beside it. */
async function prepare([blocks, cells]) {
  const { commands, serviceManager } = globalThis.jupyterapp;
  const { contents } = serviceManager;
  const save = (path, content) =>
    contents.save(path, { type: 'notebook', format: 'json', content });
  const notebook = (cells, metadata = {}) => ({
    cells,
    metadata,
    nbformat: 4,
    nbformat_minor: 5
  });
  const cell = (id, source, outputs = []) => ({
    cell_type: 'code',
    id,
    source,
    outputs,
    metadata: {},
    execution_count: null
  });
  const reply = Array.from(
    { length: blocks },
    (_, n) =>
      `Step ${n}:\n\n\`\`\`python\n${`x${n} = f(${n})\n`.repeat(50)}\`\`\`\n`
  ).join('\n');
  const output = {
    output_type: 'display_data',
    data: { 'text/markdown': reply },
    metadata: {}
  };
  await save(
    'out.chat.ipynb',
    notebook([cell('pair', 'Write', [output])], {
      turnbook: { format: 1, chatId: globalThis.crypto.randomUUID(), model: '' }
    })
  );
  await save(
    'out.ipynb',
    notebook(Array.from({ length: cells }, (_, n) => cell(`c${n}`, `y = ${n}`)))
  );
  const chat = await commands.execute('turnbook:open', {
    path: 'out.chat.ipynb',
    factory: 'Turnbook Chat'
  });
  await chat.revealed;
  const panel = await commands.execute('docmanager:open', {
    path: 'out.ipynb',
    factory: 'Notebook',
    options: { mode: 'split-right' },
    kernelPreference: { shouldStart: false, canStart: false }
  });
  await panel.revealed;
  // Let JupyterLab draw all cells now, as it does by itself whenever the page is idle.
  while (panel.content.widgets.some(one => one.isPlaceholder())) {
    await panel.content._runOnIdleTime(1000);
    await new Promise(resolve => globalThis.requestAnimationFrame(resolve));
  }
}

/**
 * Click a block's button, then insert a cell of the same size as JupyterLab itself would; returns
 * the times until the new cells are painted.
 */
async function insert(index) {
  const { document, jupyterapp, performance, requestAnimationFrame } =
    globalThis;
  const { content } = [...jupyterapp.shell.widgets('main')].find(
    ({ context }) => context?.path === 'out.ipynb'
  );
  const button = document.querySelectorAll(
    '.jp-OutputArea [data-turnbook-action="turnbook:insert-code"]'
  )[index];
  const timed = async act => {
    const count = content.widgets.length;
    const start = performance.now();
    act();
    if (content.widgets.length !== count + 1) {
      throw new Error('No cell was inserted.');
    }
    // A frame may come before the one that scrolls to the cell.
    do {
      await new Promise(resolve =>
        requestAnimationFrame(() => setTimeout(resolve))
      );
    } while (!isSeen() && performance.now() - start < 10_000);
    return performance.now() - start;
  };
  const isSeen = () => {
    const { node } = content.activeCell;
    const { top, bottom } = node.getBoundingClientRect();
    const view = content.outerNode.getBoundingClientRect();
    return (
      node.querySelector('.cm-line') !== null &&
      top < view.bottom - 30 &&
      bottom > view.top + 30
    );
  };
  const ours = await timed(() => button.click());
  const { sharedModel } = content.model;
  const at = content.activeCellIndex;
  const source = sharedModel.cells[at].getSource();
  const plain = await timed(() => {
    sharedModel.insertCell(at + 1, { cell_type: 'code', source });
    content.activeCellIndex = at + 1;
    void content.scrollToItem(at + 1, 'smart');
  });
  return { ours, plain };
}

const browser = await launch();
const page = await openLab(browser);
await page.evaluate(prepare, [job.blocks, job.cells]);
await page.waitForFunction(
  blocks =>
    globalThis.document.querySelectorAll(
      '.jp-OutputArea [data-turnbook-action="turnbook:insert-code"]'
    ).length === blocks,
  job.blocks
);
const times = [];
for (let n = 0; n < job.rounds; n++) {
  times.push(await page.evaluate(insert, n % job.blocks));
}
await browser.close();
process.stdout.write(JSON.stringify(times));
