// A real page by remote control: `node browser.mjs '{"chromium": …}'` takes one JSON command a line,
// `[name, …arguments]`, and answers each with `{"value": …}` or `{"error": …}`.

import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from '@playwright/test';

const { executable } = JSON.parse(process.argv[2]);
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic'
];

// Longer than any wait of Playwright's below.
const LIMIT = 90_000;

let browser;
let page;
let pages = 0;

const pair = () => page.locator('[data-turnbook-pair]').last();

const commands = {
  /** Open a chat in a page of a new browser, which knows nothing of those before. */
  async open(base, path) {
    browser = await chromium.launch({ executablePath: executable, args: ARGS });
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 }
    });
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(
      `${base}/lab/workspaces/faults${pages++}?reset&token=faults`
    );
    await commands.show(path);
  },

  /** Open a file in the page that is there. */
  async show(path) {
    await page.waitForFunction('window.jupyterapp?.restored.then(() => true)');
    await page.evaluate(async file => {
      await globalThis.jupyterapp.commands.execute('docmanager:open', {
        path: file
      });
    }, path);
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
  },

  async send(text) {
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill(text);
    await message.press('Enter');
    // The file was not made by this browser.
    const use = page.getByRole('button', { name: 'Use it' });
    const shown = page.locator('[data-turnbook-pair]:visible', {
      hasText: text
    });
    await use.or(shown).first().waitFor();
    if (await use.isVisible()) {
      await use.click();
    }
    await pair().waitFor();
  },

  /** Wait until the reply on the screen has this text. */
  async shows(text) {
    await pair().getByText(text).first().waitFor();
  },

  /** Wait until the pair's state is this one. */
  async reaches(state) {
    await page
      .locator(`[data-turnbook-pair][data-turnbook-state="${state}"]`)
      .last()
      .waitFor();
  },

  /** Say that the file is the chat whose replies were never saved. */
  async claim() {
    await page.getByRole('button', { name: 'Take over the replies' }).click();
  },

  /** Ask for a save, without waiting: it may open a dialog. */
  async save() {
    await page.evaluate(() => {
      void globalThis.jupyterapp.commands.execute('docmanager:save');
    });
  },

  /** From now on, say no to every dialog. */
  async dismiss() {
    await page.evaluate(() => {
      globalThis.setInterval(() => {
        globalThis.document
          .querySelector('.jp-Dialog .jp-Dialog-button')
          ?.click();
      }, 100);
    });
  },

  async picture(file) {
    await page.screenshot({ path: file });
  },

  async reload() {
    await page.reload();
    await page.waitForFunction('window.jupyterapp?.restored.then(() => true)');
  },

  /** End the browser as a crash would: no page gets to say goodbye. */
  async kill() {
    const session = await browser.newBrowserCDPSession();
    await Promise.race([
      session.send('Browser.crash').catch(() => undefined),
      new Promise(resolve => browser.once('disconnected', resolve))
    ]);
    await browser.close();
  },

  async close() {
    await browser.close();
  }
};

// Nobody listens any more.
process.stdout.on('error', () => process.exit(1));

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = JSON.parse(line);
  let answer;
  try {
    const late = wait(LIMIT, null, { ref: false }).then(() => {
      throw new Error('takes too long');
    });
    const done = commands[name](...args);
    answer = { value: (await Promise.race([done, late])) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser?.close();
