// A user in a real page by remote control, as `faults/browser.mjs`; here one browser lives for long.

import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from '@playwright/test';

import { countTimers } from './timers.mjs';

const { executable } = JSON.parse(process.argv[2]);
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic'
];
const LIMIT = 90_000;
// Somebody who waits for longer does something else.
const PATIENCE = 10_000;
const MOST_OPEN = 6;

let browser;
let context;
let page;
let second = null;
/** What was found in composers: messages that came back, and that nobody sent again. */
let back = '';
let base;
let loads = 0;

const panel = () => page.locator('.jp-Turnbook-chat:visible');
const message = () => panel().getByRole('textbox', { name: 'Message' });
const pairs = () => panel().locator('[data-turnbook-pair]:visible');

/** What a user answers to dialogs, the first of these that is there. */
const ANSWERS = [
  'Use it',
  'Delete',
  'Save',
  'Revert',
  'Dismiss',
  'Close',
  'Cancel',
  'Ok',
  'OK'
];

async function newPage() {
  const made = await context.newPage();
  made.setDefaultTimeout(PATIENCE);
  await made.addLocatorHandler(
    made.locator('.jp-Dialog').first(),
    async dialog => {
      for (const name of ANSWERS) {
        const button = dialog.getByRole('button', { name, exact: true }).last();
        if (await button.isVisible().catch(() => false)) {
          // It may be gone by now.
          await button.click({ timeout: 1000 }).catch(() => undefined);
          return;
        }
      }
      process.stderr.write(`A dialog: ${await dialog.innerText()}\n`);
      await made.keyboard.press('Escape');
    },
    { noWaitAfter: true }
  );
  return made;
}

async function ready(of) {
  await of.waitForFunction('window.jupyterapp?.restored.then(() => true)', {
    timeout: 60_000
  });
}

async function closeSecond() {
  const composer = second.getByRole('textbox', { name: 'Message' });
  back += await composer.inputValue({ timeout: 1000 }).catch(() => '');
  await second.close();
  second = null;
}

/** Save and close every document. */
async function closeAll() {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const left = await page.evaluate(() => {
      const { shell } = globalThis.jupyterapp;
      const open = [...shell.widgets('main')];
      for (const widget of open) {
        if (widget.node.querySelector('.jp-Launcher')) {
          // Another one would take its place.
        } else if (!widget.context?.model.dirty) {
          widget.close();
        } else if (!globalThis.document.querySelector('.jp-Dialog')) {
          void widget.context.save();
        }
      }
      return [...shell.widgets('main')].filter(each => each.context).length;
    });
    if (!left) {
      break;
    }
    if (Date.now() > deadline) {
      throw new Error(`${left} documents do not close`);
    }
    // A dialog is answered before this.
    await page
      .locator('body')
      .hover({ trial: true, position: { x: 1, y: 1 } })
      .catch(() => undefined);
    await wait(200);
  }
}

/** What the page holds after a garbage collection. */
async function held() {
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable');
  // What is torn down after a while, such as a closed editor's, is torn down now.
  await page.evaluate(() => {
    // JupyterLab keeps the keys that were pressed, and where, until the next shortcut.
    globalThis.jupyterapp.commands._holdKeyBindingPromises?.clear();
    return new Promise(done => globalThis.setTimeout(done, 2000));
  });
  for (let n = 0; n < 3; n++) {
    await cdp.send('HeapProfiler.collectGarbage');
  }
  const { metrics } = await cdp.send('Performance.getMetrics');
  await cdp.detach();
  const of = name => metrics.find(metric => metric.name === name).value;
  return {
    loads,
    heap: of('JSHeapUsedSize'),
    listeners: of('JSEventListeners'),
    nodes: of('Nodes'),
    documents: of('Documents'),
    ...(await page.evaluate(() => globalThis.liveTimers()))
  };
}

const commands = {
  async start(url) {
    base = url;
    browser = await chromium.launch({ executablePath: executable, args: ARGS });
    context = await browser.newContext({
      viewport: { width: 1280, height: 800 }
    });
    await context.addInitScript(countTimers);
    page = await newPage();
    await page.goto(`${base}/lab/workspaces/soak?reset&token=faults`);
    await ready(page);
  },

  /** Open a chat, or bring it to the front. */
  async open(path, timeout = PATIENCE) {
    await page.evaluate(async file => {
      const { commands: all, shell } = globalThis.jupyterapp;
      const widget = await all.execute('docmanager:open', { path: file });
      shell.activateById(widget.id);
    }, path);
    await message().waitFor({ timeout });
    await page.waitForFunction(
      file => {
        const front = globalThis.jupyterapp.shell.currentWidget;
        return front?.context?.path === file && front.context.isReady;
      },
      path,
      { timeout }
    );
  },

  /** Close the chat in front. */
  async close() {
    await page.evaluate(() => {
      void globalThis.jupyterapp.commands.execute('application:close');
    });
  },

  /** Send a message, and see its pair. */
  async say(text) {
    back += await message().inputValue();
    await message().fill(text);
    await panel()
      .getByRole('button', { name: 'Send', exact: true })
      .and(page.locator(':enabled'))
      .waitFor();
    await message().press('Enter');
    await pairs().filter({ hasText: text }).last().waitFor();
  },

  /** Write something and think better of it. */
  async type(text) {
    back += await message().inputValue();
    await message().pressSequentially(text);
    await message().fill('');
  },

  /** Press Stop; gives the message whose reply is stopped, null if none comes. */
  async stop() {
    const button = panel().getByRole('button', { name: 'Stop', exact: true });
    if (!(await button.first().isVisible())) {
      return null;
    }
    const text = await commands.coming();
    try {
      await button.first().click({ timeout: 1000 });
    } catch (error) {
      // It may be over by now; otherwise one cannot press it.
      if (await button.first().isVisible()) {
        throw error;
      }
    }
    return text;
  },

  /** Leave the composer; gives the message that is selected then. */
  async choose() {
    await message().press('Escape');
    return page.evaluate(() => {
      const { content } = globalThis.jupyterapp.shell.currentWidget;
      return content.activeCell?.model.sharedModel.getSource() ?? '';
    });
  },

  /** The message whose reply comes in the chat in front, if one does. */
  async coming() {
    return page.evaluate(() => {
      const { session, content } = globalThis.jupyterapp.shell.currentWidget;
      const pair = session.busy?.pair;
      const cell = content.widgets.find(({ model }) => model.id === pair);
      return cell?.model.sharedModel.getSource() ?? '';
    });
  },

  /** Change the message that is selected and send it again; the server has taken it. */
  async resend(text) {
    await page.waitForFunction(() =>
      globalThis.jupyterapp.commands.isEnabled('turnbook:edit-and-resend')
    );
    await page.keyboard.press('e');
    const editor = panel().getByRole('textbox', { name: 'Edited text' });
    await editor.fill(text);
    await editor.press('Enter');
    await editor.waitFor({ state: 'detached' });
    await page.waitForFunction(
      () => globalThis.jupyterapp.shell.currentWidget.session.posting === null
    );
    await pairs().filter({ hasText: text }).last().waitFor({ timeout: 1000 });
  },

  async filter(query) {
    await page.evaluate(() =>
      globalThis.jupyterapp.commands.execute('turnbook:focus-filter')
    );
    const input = panel().getByRole('textbox', { name: 'Filter', exact: true });
    await input.fill(query);
    await input.press('Enter');
    await input.fill('');
    await input.press('Enter');
    await input.press('Escape');
  },

  /** Delete the pair that is selected and bring it back. */
  async remove() {
    const count = await pairs().count();
    await page.keyboard.press('x');
    const sure = page
      .locator('.jp-Dialog')
      .getByRole('button', { name: 'Delete' });
    await sure.click({ timeout: 2000 }).catch(() => undefined);
    await page.waitForFunction(
      left => {
        const front = globalThis.jupyterapp.shell.currentWidget;
        return (
          front.node.querySelectorAll('[data-turnbook-pair]').length < left
        );
      },
      count,
      { timeout: 3000 }
    );
    await page.keyboard.press('z');
  },

  /** Mark the last pair, and unmark it. */
  async star() {
    await message().press('Escape');
    for (let n = 0; n < 4; n++) {
      await page.keyboard.press('s');
    }
  },

  /** Look at the request of the message being written, as a notebook, and close it. */
  async replay() {
    await page.evaluate(() =>
      globalThis.jupyterapp.commands.execute('turnbook:replay', {
        pair: 'live'
      })
    );
    await page.locator('.jp-Turnbook-replay:visible').waitFor();
    await commands.close();
  },

  async request() {
    await page.keyboard.press('Alt+Shift+R');
    await page.keyboard.press('Alt+Shift+R');
  },

  async reload() {
    loads++;
    await page.reload({ timeout: 60_000 });
    await ready(page);
  },

  /** Open a chat in a second tab, or close that. */
  async tab(path) {
    if (second) {
      await closeSecond();
      return;
    }
    second = await newPage();
    await second.goto(`${base}/lab/workspaces/second?reset&token=faults`);
    await ready(second);
    await second.evaluate(
      file =>
        globalThis.jupyterapp.commands.execute('docmanager:open', {
          path: file
        }),
      path
    );
    await second.getByRole('textbox', { name: 'Message' }).waitFor();
  },

  async offline(on) {
    await context.setOffline(on);
  },

  /** Save and close every chat; then what the page still holds. */
  async rest() {
    await context.setOffline(false);
    if (second) {
      await closeSecond();
    }
    await closeAll();
    return held();
  },

  /** Open and close files as plain notebooks; what the page holds before and after. */
  async control(paths) {
    const once = async files => {
      for (const file of files) {
        await page.evaluate(async path => {
          const widget = await globalThis.jupyterapp.commands.execute(
            'docmanager:open',
            { path, factory: 'Notebook', kernelPreference: { canStart: false } }
          );
          await widget.revealed;
          await widget.context.ready;
        }, file);
        // Some are open at a time, as in use.
        if (++open % MOST_OPEN === 0) {
          await closeAll();
        }
      }
      await closeAll();
    };
    let open = 0;
    // What is loaded for the first ones stays.
    await once(paths.slice(0, MOST_OPEN));
    const before = await held();
    await once(paths);
    return [before, await held()];
  },

  /**
   * Open a chat, retry what of it only its user may, and wait until all has landed and is saved; gives
   * what has been found in composers until now.
   */
  async settle(path, byHand) {
    const settled = () =>
      page.waitForFunction(
        () => {
          const { context: document, session } =
            globalThis.jupyterapp.shell.currentWidget;
          if (document.model.dirty) {
            void document.save();
          }
          return (
            session.journalRead &&
            !session.busy &&
            !session.waiting &&
            !document.model.dirty
          );
        },
        undefined,
        { timeout: 60_000, polling: 200 }
      );
    await commands.open(path, 60_000);
    await page.evaluate(
      () => globalThis.jupyterapp.shell.currentWidget.session.ready
    );
    await settled();
    for (const pair of byHand) {
      const isHere = await page.evaluate(async id => {
        const { content, session } = globalThis.jupyterapp.shell.currentWidget;
        const here = content.widgets.some(({ model }) => model.id === id);
        await (here && session.retry(id));
        return here;
      }, pair);
      // One at a time, since a chat has one reply that comes.
      await (isHere && settled());
    }
    back += await message().inputValue();
    await commands.close();
    return back;
  },

  async picture(file) {
    await page.screenshot({ path: file });
  }
};

process.stdout.on('error', () => process.exit(1));

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = JSON.parse(line);
  let answer;
  try {
    const late = wait(LIMIT, null, { ref: false }).then(() => {
      throw new Error('takes too long');
    });
    answer = {
      value: (await Promise.race([commands[name](...args), late])) ?? null
    };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser?.close();
