/** How files come to a message: from the file browser, large ones, old ones. */
import * as fs from 'fs';
import * as os from 'os';
import * as path from 'path';

import { attach, files, image, noisyPng, png } from '../support/attaching';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { messagesOf, RequestUI } from '../support/request';

test.describe('files', () => {
  test('come from the file browser, by dragging, by a dialog and by its menu', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const pictures = {
      'one.png': png(8, 30),
      'two.png': png(8, 60),
      'three.png': png(8, 90)
    };
    for (const [name, bytes] of Object.entries(pictures)) {
      fs.writeFileSync(path.join(servers.root, tmpPath, name), bytes);
    }
    await chat.create(tmpPath);
    await page.filebrowser.refresh();
    const item = page.locator('.jp-DirListing-item', { hasText: 'one.png' });
    const from = (await item.boundingBox())!;
    const to = (await chat.message.boundingBox())!;
    await page.mouse.move(from.x + 30, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + 60, to.y + to.height / 2, { steps: 12 });
    await expect(chat.panel.locator('.jp-mod-dropping')).toHaveCount(1);
    await page.mouse.up();
    await expect(files(chat)).toHaveText(/one\.png/);
    await expect(chat.panel.locator('.jp-mod-dropping')).toHaveCount(0);

    await chat.panel
      .getByRole('button', { name: 'From the file browser…' })
      .click();
    const dialog = page.locator('.jp-Dialog', {
      hasText: 'Attach files of the server'
    });
    await dialog.locator('.jp-DirListing-item', { hasText: 'two.png' }).click();
    await dialog.getByRole('button', { name: 'Select' }).click();
    await expect(files(chat)).toHaveCount(2);
    await page
      .locator('#filebrowser .jp-DirListing-item', { hasText: 'three.png' })
      .click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Attach to Chat' }).click();
    await expect(files(chat)).toHaveCount(3);
    await expect(chat.message).toBeFocused();
    await chat.say('Compare them.');
    await chat.expectState(0, 'succeeded');
    const [sent] = await provider.completions();
    expect(messagesOf(sent)[0].content).toEqual([
      ...Object.values(pictures).map(image),
      { type: 'text', text: 'Compare them.' }
    ]);
  });

  test('of 200 MB are refused before they are read @fresh', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const large = path.join(servers.root, tmpPath, 'server.png');
    const here = path.join(
      fs.mkdtempSync(path.join(os.tmpdir(), 'turnbook-')),
      'here.png'
    );
    for (const file of [large, here]) {
      fs.writeFileSync(file, png());
      fs.truncateSync(file, 200e6);
    }
    await chat.create(tmpPath);
    await chat.message.fill('Look');
    const read: string[] = [];
    page.on('request', request => {
      if (/server\.png.*content=1/.test(request.url())) {
        read.push(request.url());
      }
    });
    const choosing = page.waitForEvent('filechooser');
    await chat.panel
      .getByRole('button', { name: 'Attach', exact: true })
      .click();
    await (await choosing).setFiles(here);
    const problems = chat.panel.getByRole('alert');
    await expect(problems).toContainText(
      /here\.png has 200(\.0)? MB, which is too large/
    );
    await page.filebrowser.refresh();
    await chat.panel
      .getByRole('button', { name: 'From the file browser…' })
      .click();
    const dialog = page.locator('.jp-Dialog', {
      hasText: 'Attach files of the server'
    });
    await dialog
      .locator('.jp-DirListing-item', { hasText: 'server.png' })
      .click();
    await dialog.getByRole('button', { name: 'Select' }).click();
    await expect(problems).toContainText(
      /server\.png has 200(\.0)? MB, which is too large/
    );
    expect(read).toEqual([]);
    await expect(files(chat)).toHaveCount(0);
    await expect(chat.message).toHaveValue('Look');
    expect(await provider.completions()).toEqual([]);
    fs.rmSync(path.dirname(here), { recursive: true });
  });

  test('that are being read belong to the message, which cannot be changed until it is sent @fresh', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    fs.writeFileSync(path.join(servers.root, tmpPath, 'slow.txt'), 'slow');
    const held: (() => void)[] = [];
    await page.route(/slow\.txt.*content=1/, async route => {
      await new Promise<void>(resolve => held.push(resolve));
      await route.continue();
    });
    /** Wait until the file is being read, for the nth time. */
    const expectReads = (times: number) =>
      expect.poll(() => held.length).toBe(times);
    await chat.create(tmpPath);
    await page.filebrowser.refresh();
    const ask = async () => {
      await page
        .locator('#filebrowser .jp-DirListing-item', { hasText: 'slow.txt' })
        .click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Attach to Chat' }).click();
      await chat.message.fill('Why?');
      await chat.message.press('Enter');
    };
    const reading = chat.panel.getByText('Reading files, then sending');
    await ask();
    await expectReads(1);
    await reading.getByRole('button', { name: 'Cancel' }).click();
    await expect(reading).toHaveCount(0);
    await expect(chat.message).toBeFocused();
    await expect(chat.message).toHaveValue('Why?');
    held[0]();
    await ask();
    await expect(reading).toBeVisible();
    await expectReads(2);
    await page.keyboard.type(' And');
    await page.keyboard.press('Enter');
    await expect(chat.message).toHaveValue('Why?');
    expect(await provider.completions()).toEqual([]);
    held[1]();
    await chat.expectState(0, 'succeeded');
    const sent = await provider.completions();
    expect(sent).toHaveLength(1);
    expect(messagesOf(sent[0])[0].content).toMatch(/slow\n```\n\nWhy\?$/);
    await page.keyboard.type('Next');
    await expect(chat.message).toHaveValue('Next');
  });

  test('are scaled down on request, which says how large they were', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await attach(chat, { name: 'wall.png', buffer: noisyPng(1800) });
    const item = files(chat);
    await expect(item).toContainText(/^wall\.png9\.\d MB · ~1,000 tokens/);
    await item.getByRole('button', { name: 'Scale down' }).click();
    await expect(item).toContainText(/MB \(was 9\.\d MB\) · ~1,000 tokens/);
    await chat.say('Look');
    await chat.expectState(0, 'succeeded');
    const [sent] = await provider.completions();
    const { url } = messagesOf(sent)[0].content[0].image_url;
    const bytes = Buffer.from(url.split(',')[1], 'base64');
    expect(bytes.readUInt32BE(16)).toBe(1568);
    expect(bytes.readUInt32BE(20)).toBe(1568);
  });

  test('in an old encoding are read as such, which is said', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await attach(chat, {
      name: 'prices.csv',
      buffer: Buffer.from([0x47, 0x72, 0xfc, 0x6e, 0x3b, 0x35, 0x80])
    });
    await expect(chat.panel.getByRole('alert')).toContainText(
      'prices.csv is attached. It is not in UTF-8 and was read as Windows-1252'
    );
    await chat.say('Sum?');
    await chat.expectState(0, 'succeeded');
    const [sent] = await provider.completions();
    expect(messagesOf(sent)[0].content).toBe(
      'File: prices.csv\n\n```\nGrün;5€\n```\n\nSum?'
    );
  });

  test('that are dropped while a message is paused neither replace the page nor are attached @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    await chat.create(tmpPath);
    await chat.panel.getByRole('switch', { name: 'Pause & review' }).click();
    await chat.message.fill('Look');
    await chat.submit();
    await request.paused();
    const isPrevented = await chat.message.evaluate(node => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['x'], 'x.txt'));
      const drop = new DragEvent('drop', {
        dataTransfer: transfer,
        bubbles: true,
        cancelable: true
      });
      node.dispatchEvent(drop);
      return drop.defaultPrevented;
    });
    expect(isPrevented).toBe(true);
    await request.button('Resume send').click();
    const [sent] = await provider.completions(1);
    expect(messagesOf(sent)).toEqual([{ role: 'user', content: 'Look' }]);
  });
});
