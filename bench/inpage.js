/* global HTMLTextAreaElement, MessageChannel, PerformanceObserver, performance, requestAnimationFrame, window */
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

  let opening = null;

  /**
   * Open a file, until one can write: its caret's place is there, and three frames came within
   * 100 ms each. Notes when the first cell was painted and, if so, when the last one was.
   */
  async function open(path, factory) {
    await painted();
    opening = { path, factory, began: performance.now(), times: {} };
    const { began, times } = opening;
    const opened = window.jupyterapp.commands.execute('docmanager:open', {
      path,
      factory
    });
    let before = began;
    let smooth = 0;
    let next = 0;
    while (!times.interactive) {
      await frame();
      const now = performance.now();
      smooth = now - before <= 100 ? smooth + 1 : 0;
      before = now;
      if (smooth >= 3 || now >= next) {
        look(smooth >= 3);
        next = performance.now() + 200;
      }
      if (now - began > 120000) {
        throw new Error(`${path} in ${factory} cannot be used after 2 minutes`);
      }
    }
    await opened;
  }

  /** Wait until the idle renderer has drawn all cells, or `limit` ms; all times of the opening. */
  async function settle(limit) {
    const { times } = opening;
    const since = performance.now();
    while (!times.drawn && performance.now() - since < limit) {
      // Asking for frames would leave the idle renderer little time.
      await pause(250);
      look(true);
    }
    const { widgets } = panel().content;
    const count = widgets.filter(cell => cell.inputArea).length;
    return { ...times, cells: widgets.length, count };
  }

  /** Note what of the opened file can be seen by now. */
  function look(smooth) {
    const { path, factory, began, times } = opening;
    const current = panel();
    const content = current?.context?.path === path && current.content;
    // A tab that waits for the view has no cells.
    if (!content || !(content.widgets?.length > 1)) {
      return;
    }
    const view = content.outerNode.getBoundingClientRect();
    const { widgets } = content;
    const place = current.node.querySelector(
      factory === 'Notebook' ? '.jp-Cell .cm-content' : 'textarea'
    );
    const seen = {
      first: () => widgets.some(cell => isSeen(cell, view)),
      interactive: () => times.first && place && smooth,
      last: () => isSeen(widgets[widgets.length - 1], view),
      drawn: () => widgets.every(cell => cell.inputArea)
    };
    const at = performance.now() - began;
    for (const [name, holds] of Object.entries(seen)) {
      if (!times[name] && holds()) {
        times[name] = at;
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

  /** The chats that are open. */
  function chats() {
    const all = [...window.jupyterapp.shell.widgets('main')];
    return all.filter(widget => widget.session && widget.composer);
  }

  /** How many of the open chats have a reply that streams and has text. */
  function streaming() {
    return chats().filter(
      ({ session }) => session.busy && session.live(session.busy.pair)?.text
    ).length;
  }

  /** Send a message in every chat that is open; resolves when all replies stream. */
  async function sendAll() {
    for (const { session, composer } of chats()) {
      session.draft.text = 'Go on for long.';
      composer.send();
    }
    const since = performance.now();
    while (streaming() < chats().length) {
      if (performance.now() - since > 60000) {
        throw new Error(`${streaming()} of ${chats().length} chats stream`);
      }
      await pause(100);
    }
  }

  let pressed = [];
  let longTasks = [];

  /** Put the caret where one writes: into the composer, or into a notebook's first cell in view. */
  async function focusPlace() {
    const { content, node } = panel();
    const area = node.querySelector('textarea');
    if (area?.checkVisibility() && panel().composer) {
      area.focus();
      return;
    }
    const view = content.outerNode.getBoundingClientRect();
    content.activeCellIndex = content.widgets.findIndex(cell =>
      isSeen(cell, view)
    );
    content.mode = 'edit';
    content.activeCell.editor.focus();
    await painted();
  }

  /** Note for each key when it was pressed and when its frame was painted; and what blocks the page. */
  function watchKeys() {
    window.addEventListener(
      'keydown',
      async event => {
        const key = { at: event.timeStamp, painted: null };
        pressed.push(key);
        await frame();
        await afterPaint();
        key.painted = performance.now();
      },
      true
    );
    new PerformanceObserver(list => {
      longTasks.push(...list.getEntries());
    }).observe({ type: 'longtask' });
  }

  /** What the keys took that were under way between two moments, once all are painted. */
  async function keyTimes({ began, ended } = { began: 0, ended: Infinity }) {
    while (pressed.some(key => key.painted === null)) {
      await painted();
    }
    return pressed
      .splice(0)
      .filter(key => key.painted > began && key.at < ended)
      .map(key => key.painted - key.at);
  }

  /** Time what an object's method takes in calls whose result `counts`. */
  function timed(owner, name, counts = () => true) {
    const method = owner[name];
    const spent = { ms: 0 };
    owner[name] = function (...args) {
      const began = performance.now();
      const result = method.apply(this, args);
      if (counts(result)) {
        spent.ms += performance.now() - began;
      }
      return result;
    };
    return { spent, end: () => (owner[name] = method) };
  }

  /** Add a reply as one lands, and save; what the save took, and what of it JupyterLab does in one go. */
  async function save() {
    const { context } = panel();
    const { sharedModel } = context.model;
    const cell = sharedModel.cells[sharedModel.cells.length - 1];
    cell.setOutputs([
      {
        output_type: 'display_data',
        data: { 'text/markdown': `A new reply ${performance.now()}` },
        metadata: {}
      }
    ]);
    const began = performance.now();
    const parts = {
      json: timed(context.model, 'toJSON'),
      text: timed(JSON, 'stringify', text => text?.length > 1e6)
    };
    await context.save();
    const ended = performance.now();
    const result = { began, ended, took: ended - began };
    for (const [name, { spent, end }] of Object.entries(parts)) {
      result[name] = spent.ms;
      end();
    }
    // The entry of a task comes after it.
    await pause(200);
    const tasks = longTasks.filter(
      ({ startTime, duration }) =>
        startTime < ended && startTime + duration > began
    );
    longTasks = [];
    result.block = Math.max(0, ...tasks.map(({ duration }) => duration));
    return result;
  }

  window.bench = {
    filter,
    focusPlace,
    hide,
    keys,
    keyTimes,
    logic,
    open,
    save,
    sendAll,
    settle,
    streaming,
    watchKeys,
    windowed
  };
})();
