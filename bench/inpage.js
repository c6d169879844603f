/* global document, HTMLTextAreaElement, MessageChannel, performance, requestAnimationFrame, setTimeout, window */
// What runs inside of the page: it times, and uses only what an extension of JupyterLab can reach.

(() => {
  const LIMIT = 20000;
  const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
  const panel = () => window.jupyterapp.shell.currentWidget;

  const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

  /** Resolves when the next frame has been painted: its successor begins. */
  async function painted() {
    await frame();
    await frame();
  }

  /**
   * Milliseconds from `act`, which changes what is hidden, to the next painted frame, and to the
   * one in which what is left fills the view; at most `LIMIT`.
   */
  async function toPaint(act, mask) {
    await painted();
    const began = performance.now();
    act();
    await painted();
    const frame = performance.now() - began;
    const wanted = mask();
    while (!fills(wanted) && performance.now() - began < LIMIT) {
      await painted();
    }
    return { frame, shown: performance.now() - began };
  }

  /** Whether the cells of a mask are drawn, as far as the view can hold them. */
  function fills(mask) {
    const { widgets, outerNode } = panel().content;
    const view = outerNode.getBoundingClientRect();
    const wanted = widgets.filter((_, index) => mask[index]);
    let covered = 0;
    let left = 0;
    for (const cell of wanted) {
      if (!cell.node.isConnected || !cell.inputArea) {
        left++;
        continue;
      }
      const { top, bottom } = cell.node.getBoundingClientRect();
      covered += Math.max(
        0,
        Math.min(bottom, view.bottom) - Math.max(top, view.top)
      );
    }
    // Margins and prompts between cells are no cells.
    return left === 0 || covered > 0.75 * view.height;
  }

  /** Whether a cell is drawn and within the view. */
  function isSeen(cell, view) {
    if (!cell.node.isConnected || !cell.inputArea) {
      return false;
    }
    const { top, bottom, height } = cell.node.getBoundingClientRect();
    return height > 0 && bottom > view.top && top < view.bottom;
  }

  /** How many cells the idle renderer has drawn so far. */
  function drawn(content) {
    return content.widgets.reduce(
      (sum, cell) => sum + (cell.inputArea ? 1 : 0),
      0
    );
  }

  /**
   * Open a file and note when its first cell was painted, when one could write, when the last
   * cell could be seen (a chat opens at its end), and when all cells were drawn.
   *
   * To be able to write is to have the caret's place and three frames in a row within 100 ms.
   */
  async function open(path, factory, limit) {
    await painted();
    const times = {};
    const began = performance.now();
    const opening = window.jupyterapp.commands.execute('docmanager:open', {
      path,
      factory
    });
    let before = began;
    let smooth = 0;
    let next = 0;
    for (;;) {
      // Frames leave the idle renderer little time, so they are only asked for while they count.
      await (times.interactive ? pause(250) : frame());
      const now = performance.now();
      smooth = now - before <= 100 ? smooth + 1 : 0;
      before = now;
      const current = panel();
      const content = current?.context?.path === path && current.content;
      if (content && content.widgets.length > 1 && now >= next) {
        look(current, content);
        next = performance.now() + 200;
      }
      const done = times.interactive && (times.drawn || now - began > limit);
      if (done) {
        break;
      }
      if (now - began > limit + 60000) {
        throw new Error(`${path} in ${factory} cannot be used after a minute`);
      }
    }
    await opening;
    const { content } = panel();
    return { ...times, cells: content.widgets.length, count: drawn(content) };

    function look(current, content) {
      const view = content.outerNode.getBoundingClientRect();
      const { widgets } = content;
      const at = performance.now() - began;
      if (!times.first && widgets.some(cell => isSeen(cell, view))) {
        times.first = at;
      }
      const place = current.node.querySelector(
        factory === 'Notebook' ? '.jp-Cell .cm-content' : 'textarea'
      );
      if (!times.interactive && times.first && place && smooth >= 3) {
        times.interactive = at;
      }
      if (!times.last && isSeen(widgets[widgets.length - 1], view)) {
        times.last = at;
      }
      if (!times.drawn && widgets.every(cell => cell.inputArea)) {
        times.drawn = at;
      }
    }
  }

  /** Milliseconds to the painted frame for each filter, with what it leaves visible. */
  async function filter(queries) {
    const { filterBar, session } = panel();
    const results = [];
    for (const query of queries) {
      let good = true;
      const times = await toPaint(
        () => {
          good = filterBar.apply(query);
        },
        () => session.context.visible
      );
      if (!good) {
        throw new Error(`not a filter: ${query}`);
      }
      results.push({
        ...times,
        query,
        visible: Array.from(session.context.visible)
      });
    }
    filterBar.apply('');
    await painted();
    return results;
  }

  /** The named alternative: the same cells, hidden one by one as widgets. */
  async function hide(masks) {
    const { content } = panel();
    const { widgets } = content;
    const results = [];
    for (const mask of masks) {
      results.push(
        await toPaint(
          () => {
            widgets.forEach((cell, index) => cell.setHidden(!mask[index]));
            content.update();
          },
          () => mask
        )
      );
    }
    return results;
  }

  /** Let JupyterLab attach only the cells in view, as its setting `full` does. */
  async function windowed() {
    const { content } = panel();
    content.notebookConfig = {
      ...content.notebookConfig,
      windowingMode: 'full'
    };
    content.update();
    await painted();
    await painted();
  }

  /** Evaluation alone, and gathering with the estimate, by turns with all cells read before. */
  function logic(queries, rounds) {
    const { filterBar, session } = panel();
    const { context } = session;
    const parsed = queries.map(text => {
      filterBar.apply(text);
      return filterBar.query;
    });
    const times = { evaluate: [], rebuilt: [], warm: [] };
    for (let round = -1; round < rounds; round++) {
      for (const query of parsed) {
        context.query = query;
        const a = performance.now();
        void context.visible;
        const b = performance.now();
        context.at(`message ${round}`);
        context.gather(`message ${round}`);
        const c = performance.now();
        context.at(`longer message ${round}`);
        context.gather(`longer message ${round}`);
        const d = performance.now();
        if (round >= 0) {
          times.evaluate.push(b - a);
          times.rebuilt.push(c - b);
          times.warm.push(d - c);
        }
      }
    }
    filterBar.apply('');
    context.query = null;
    return times;
  }

  /** Key presses in the composer: to the painted frame, and the main thread's work alone. */
  async function keys(count) {
    const area = panel().node.querySelector('textarea');
    area.focus();
    const write = Object.getOwnPropertyDescriptor(
      HTMLTextAreaElement.prototype,
      'value'
    ).set;
    const frames = [];
    const work = [];
    for (let n = 0; n < count; n++) {
      await painted();
      const began = performance.now();
      write.call(area, `${area.value}k`);
      area.dispatchEvent(new window.InputEvent('input', { bubbles: true }));
      const handled = performance.now();
      await frame();
      const drawing = performance.now();
      await afterPaint();
      work.push(handled - began + performance.now() - drawing);
      await frame();
      frames.push(performance.now() - began);
    }
    write.call(area, '');
    area.dispatchEvent(new window.InputEvent('input', { bubbles: true }));
    return { frames, work };
  }

  /** Resolves once layout and paint of the frame under way are over. */
  function afterPaint() {
    return new Promise(resolve => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(null);
    });
  }

  window.bench = { filter, hide, keys, logic, open, windowed };
})();
