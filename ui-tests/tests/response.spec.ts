import { createHash } from 'crypto';
import * as fs from 'fs';
import * as path from 'path';
import type { Locator, Page } from '@playwright/test';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { verify } from '../support/records';
import { onDisk, Replay } from '../support/replay';

const HOSTILE =
  '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> \u202e "ü" 🌍';

const chunk = (content: string, finish: string | null = null) =>
  JSON.stringify({
    choices: [{ index: 0, delta: { content }, finish_reason: finish }]
  });

const EVENTS = [chunk(HOSTILE), chunk(' two'), chunk('', 'stop'), '[DONE]'];

/** A stream with comments and line ends of all kinds. */
const BYTES = [
  `: keep-alive ${HOSTILE}\r\n\r\n`,
  `data: ${EVENTS[0]}\n\n`,
  `id: 7\r\ndata:${EVENTS[1]}\r\n\r\n`,
  `data: ${EVENTS[2]}\n\n`,
  'data: [DONE]\n\n'
].join('');

/** The data of an event within its row. */
const TEXT = '.jp-Turnbook-showRequest-text';

const sha256 = (text: string) =>
  createHash('sha256').update(text).digest('hex');

/** The dialog, by its accessible names. */
class ResponseDialog {
  constructor(page: Page) {
    this.node = page.getByRole('dialog', { name: 'Response as it came' });
  }

  readonly node: Locator;

  get rows(): Locator {
    return this.node
      .getByRole('list', { name: 'Events of the response' })
      .getByRole('listitem');
  }

  button(name: string): Locator {
    return this.node.getByRole('button', { name, exact: true });
  }

  async raw(): Promise<string> {
    await this.button('Raw').click();
    const raw = this.node.getByRole('region', { name: 'Raw response' });
    return raw.evaluate(node => node.textContent ?? '');
  }

  async expectAgrees(text: string): Promise<void> {
    await expect(this.node).toContainText('The hash agrees');
    await expect(this.node).toContainText(sha256(text));
  }
}

async function isUnharmed(page: Page, shown: Locator): Promise<void> {
  await expect(shown.locator('img, script')).toHaveCount(0);
  expect(await page.evaluate(() => (window as any).hacked)).toBeUndefined();
}

test.describe('Show Response', () => {
  test('has the bytes that the provider sent, as text @smoke', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await provider.script({
      headers: { 'x-request-id': HOSTILE.slice(0, 20) },
      split: 7,
      steps: [{ raw: BYTES }]
    });
    await chat.say('Hello');
    await chat.expectState(0, 'succeeded');
    await chat.message.press('Escape');
    await chat.begin('turnbook:show-response');
    const shown = new ResponseDialog(page);
    await shown.expectAgrees(BYTES);
    await expect(shown.node).toContainText(/Status\s*200/);
    await expect(shown.node).toContainText(/Answered\s*\+[\d.]+ m?s/);
    await expect(shown.rows).toHaveCount(EVENTS.length);
    for (const [n, data] of EVENTS.entries()) {
      await expect(shown.rows.nth(n).locator(TEXT)).toHaveText(data);
    }
    await shown.node.getByText('2 headers').click();
    await expect(shown.node).toContainText('x-request-id');
    expect(await shown.raw()).toBe(BYTES);
    await isUnharmed(page, shown.node);

    const downloading = page.waitForEvent('download');
    await shown.button('Download').click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^response-[0-9a-f-]+\.txt$/);
    expect(fs.readFileSync(await download.path(), 'utf-8')).toBe(BYTES);
    await shown.button('Copy').click();
    await expect(shown.node).toContainText('Copied');

    // The request is one step away, and leads back.
    await shown.button('Show request').click();
    const request = page.getByRole('dialog', {
      name: 'Request as it was sent'
    });
    await expect(request).toContainText('The hash agrees');
    await request.getByRole('button', { name: 'Show response' }).click();
    await expect(shown.rows).toHaveCount(EVENTS.length);
    await page.keyboard.press('Escape');
    await expect(shown.node).toBeHidden();
  });

  test('has each attempt: an error answer and the stream after it', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const error = { error: { message: 'Overloaded <b>for now</b>' } };
    await provider.script([
      { status: 503, steps: [{ body: error }] },
      { steps: [{ raw: BYTES }] }
    ]);
    await chat.say('Hello');
    await chat.expectState(0, 'error');
    await chat.message.press('Escape');
    await chat.begin('turnbook:show-response');
    const shown = new ResponseDialog(page);
    await expect(shown.node).toContainText(/Status\s*503/);
    await expect(shown.node.getByLabel('Attempt')).toBeHidden();
    await page.keyboard.press('Escape');
    await expect(shown.node).toBeHidden();

    await chat.execute('turnbook:retry-now');
    await chat.expectState(0, 'succeeded');
    await chat.begin('turnbook:show-response');
    await shown.expectAgrees(BYTES);
    const attempts = shown.node.getByLabel('Attempt');
    await expect(attempts.locator('option')).toHaveCount(2);
    await attempts.selectOption({ index: 0 });
    await expect(shown.node).toContainText(/Status\s*503/);
    const raw = shown.node.getByRole('region', { name: 'Raw response' });
    const text = await raw.evaluate(node => node.textContent ?? '');
    expect(JSON.parse(text)).toEqual(error);
    await shown.expectAgrees(text);
    await shown.button('Events').click();
    await expect(shown.node).toContainText('did not come as a stream');
    await isUnharmed(page, shown.node);
    await page.keyboard.press('Escape');

    // The list of attempts leads to each of them, too.
    await chat.begin('turnbook:attempts');
    const list = page.getByRole('dialog', { name: 'Attempts' });
    await list.getByRole('button', { name: 'Show response' }).nth(1).click();
    await shown.expectAgrees(BYTES);
    await shown.button('Close').click();
    await expect(list.locator('tbody tr')).toHaveCount(2);
    await page.keyboard.press('Escape');
  });

  test('shows a response that is under way, and then its end', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const [first, ...rest] = EVENTS.map(data => `data: ${data}\n\n`);
    await provider.script({
      steps: [{ raw: first }, { wait: 'rest' }, { raw: rest.join('') }]
    });
    await chat.say('Hello');
    await expect(chat.pair(0)).toContainText('🌍');
    await chat.message.press('Escape');
    await chat.begin('turnbook:show-response');
    const shown = new ResponseDialog(page);
    await expect(shown.node).toContainText('still arriving');
    await expect(shown.rows).toHaveCount(1);
    await provider.release('rest');
    await shown.expectAgrees([first, ...rest].join(''));
    await expect(shown.rows).toHaveCount(EVENTS.length);
    await expect(shown.button('Refresh')).toBeHidden();
    await page.keyboard.press('Escape');
    await chat.expectState(0, 'succeeded');
  });

  test('scrolls through thousands of events by keys', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const words = Array.from({ length: 10_000 }, (_, n) => `word${n} `);
    await provider.script({
      steps: [
        { raw: words.map(word => `data: ${chunk(word)}\n\n`).join('') },
        { raw: `data: ${chunk('', 'stop')}\n\ndata: [DONE]\n\n` }
      ]
    });
    await chat.say('Hello');
    await chat.expectState(0, 'succeeded');
    await chat.message.press('Escape');
    await chat.begin('turnbook:show-response');
    const shown = new ResponseDialog(page);
    await expect(shown.node).toContainText('10002 events');
    expect(await shown.rows.count()).toBeLessThan(100);
    await expect(shown.rows.first()).toContainText('word0 ');
    await shown.node
      .getByRole('region', { name: 'Events of the response' })
      .focus();
    await page.keyboard.press('End');
    await expect(shown.rows.last()).toContainText('[DONE]');
    await page.keyboard.press('Escape');
    await expect(shown.node).toBeHidden();
  });

  test('goes into a record if the user wants it, and verify checks it', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const replay = new Replay(page);
    await chat.create(tmpPath);
    await provider.script({ steps: [{ raw: BYTES }] });
    await chat.say('Hello');
    await chat.expectState(0, 'succeeded');
    await chat.choose(0);
    await chat.execute('turnbook:replay-pair');
    await replay.button('Export replay record').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('proof');
    await dialog.getByLabel('With the response').check();
    await dialog.getByRole('button', { name: 'Ok' }).click();
    const toast = page.locator('.Toastify__toast', { hasText: 'Exported to' });
    await expect(toast).toBeVisible();
    const file = `${tmpPath}/proof.replay.ipynb`;
    const saved = await chat.saved(file, () => true);
    const { response } = saved.metadata.turnbook.record;
    expect(response).toMatchObject({
      status: 200,
      hash: sha256(BYTES),
      body: BYTES
    });

    const onServer = path.join(servers.root, file);
    expect(verify(onServer, '--with-response')).toEqual({
      status: 0,
      said: expect.stringContaining(sha256(BYTES))
    });

    await chat.execute('docmanager:open', { path: file });
    await expect(replay.banner).toContainText('from a record of chat');
    await replay.button('Show response').click();
    const shown = page.getByRole('dialog', { name: 'Response in this record' });
    await expect(shown).toContainText('The hash agrees');
    await expect(shown.getByRole('listitem')).toHaveCount(EVENTS.length);
    await isUnharmed(page, shown);
    await page.keyboard.press('Escape');

    const before = onDisk(servers, file).toString('utf-8');
    const changed = before.replace('keep-alive', 'keep-alife');
    expect(changed).not.toBe(before);
    fs.writeFileSync(onServer, changed);
    expect(verify(onServer, '--with-response')).toEqual({
      status: 1,
      said: expect.stringContaining('The response does not match its hash')
    });
  });
});
