/** Attached images in all that is made of a chat: replays, records, forks, versions, undo, copies. */
import * as fs from 'fs';
import * as path from 'path';

import {
  attach,
  attached,
  files,
  hash,
  image,
  list,
  outputsOf,
  png
} from '../support/attaching';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import type { ScriptedProvider } from '../support/provider';
import { verify } from '../support/records';
import { Replay } from '../support/replay';
import { messagesOf } from '../support/request';
import { otherTab } from '../support/tabs';

const picture = png(64, 120);

const shown = (text: string) => ({
  role: 'user',
  content: [image(picture), { type: 'text', text }]
});

/** A chat with one pair that was sent with a picture. */
async function withPicture(
  chat: Chat,
  provider: ScriptedProvider,
  folder: string
): Promise<string> {
  const file = await chat.create(folder);
  await attach(chat, { name: 'plot.png', buffer: picture });
  await expect(files(chat)).toHaveCount(1);
  await provider.reply('A grey square.');
  await chat.say('What is it?');
  await chat.expectState(0, 'succeeded');
  await chat.savedInState(file, 0, 'succeeded');
  return file;
}

/** The messages of the last request, once there are so many. */
async function lastSent(
  provider: ScriptedProvider,
  count: number
): Promise<any[]> {
  return messagesOf((await provider.completions(count)).at(-1)!);
}

test.describe('an attached image', () => {
  test('is carried by a replay, its record, a fork of it, and what is sent there', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    test.slow();
    const chat = new Chat(page);
    const replay = new Replay(page);
    await withPicture(chat, provider, tmpPath);
    const other = png(32, 20);
    await attach(chat, { name: 'next.png', buffer: other });
    await expect(files(chat)).toHaveCount(1);
    await chat.message.fill('And this?');
    await replay.open(chat);
    // Described there: the payload has the pictures, each once.
    await expect(
      replay.cells.filter({ hasText: /image:.*data:image\/png/ })
    ).toHaveCount(2);
    const record = await replay.record();
    const messages = [
      shown('What is it?'),
      { role: 'assistant', content: 'A grey square.' },
      {
        role: 'user',
        content: [image(other), { type: 'text', text: 'And this?' }]
      }
    ];
    expect(JSON.parse(record.payload).messages).toEqual(messages);

    await replay.export('pictures');
    const file = `${tmpPath}/pictures.replay.ipynb`;
    const onServer = path.join(servers.root, file);
    const good = verify(onServer);
    expect([good.status, good.said]).toEqual([
      0,
      expect.stringContaining(record.hash)
    ]);
    // One letter of one picture.
    const before = fs.readFileSync(onServer, 'utf-8');
    const data = other.toString('base64');
    const at = Math.floor(data.length / 2);
    const letter = data[at] === 'A' ? 'B' : 'A';
    const wrong = data.slice(0, at) + letter + data.slice(at + 1);
    fs.writeFileSync(onServer, before.replaceAll(data, wrong));
    const bad = verify(onServer);
    expect([bad.status, bad.said]).toEqual([
      1,
      expect.stringContaining('does not match its hash')
    ]);
    fs.writeFileSync(onServer, before);

    await chat.execute('docmanager:open', { path: file });
    await expect(replay.banner).toContainText('from a record of chat');
    await replay.button('Start chatting from this replay').click();
    const fork = `${tmpPath}/pictures-replay.chat.ipynb`;
    await expect.poll(() => chat.path()).toBe(fork);
    await expect(attached(chat, 0).getByRole('img')).toBeVisible();
    await expect(attached(chat, 1).getByRole('img')).toBeVisible();
    await provider.reply('A black one.');
    await chat.panel
      .getByRole('button', { name: 'Send this message', exact: true })
      .click();
    await chat.expectState(1, 'succeeded');
    const sent = await provider.completions(2);
    expect(sent[1].body).toBe(record.payload);
    expect(sent[1].sha256).toBe(record.hash);
    // The fork is a plain notebook with each picture once.
    const saved = await chat.savedInState(fork, 1, 'succeeded');
    for (const [pair, bytes] of [picture, other].entries()) {
      const [output] = outputsOf(saved, pair);
      expect(output.data['image/png']).toBe(bytes.toString('base64'));
      expect(output.metadata.turnbook.sha256).toBe(hash(bytes));
      expect(
        JSON.stringify(saved).split(bytes.toString('base64'))
      ).toHaveLength(2);
    }
    expect(fs.readFileSync(onServer, 'utf-8')).toBe(before);
  });

  test('is the same after versions, deleting and undo', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await withPicture(chat, provider, tmpPath);
    await provider.reply('Grey.');
    await chat.choose(0);
    await chat.resendByKey(chat.pair(0), 'Which colour?');
    await expect(chat.pair(0)).toContainText('Grey.');
    await chat.expectState(0, 'succeeded');
    expect(await lastSent(provider, 2)).toEqual([shown('Which colour?')]);

    const pair = chat.pair(0);
    await pair.hover();
    await pair.getByRole('button', { name: 'Previous version' }).click();
    await pair.getByRole('button', { name: 'Restore' }).click();
    await expect(pair).toContainText('A grey square.');
    await expect(attached(chat, 0).getByRole('img')).toHaveCount(1);
    await provider.reply('Yes.');
    await chat.say('Sure?');
    await chat.expectState(1, 'succeeded');
    expect((await lastSent(provider, 3))[0]).toEqual(shown('What is it?'));

    await chat.choose(0);
    await page.keyboard.press('x');
    await page
      .locator('.jp-Dialog')
      .getByRole('button', { name: 'Delete' })
      .click();
    await expect(chat.pairs).toHaveCount(1);
    await page.keyboard.press('Control+z');
    await expect(chat.pairs).toHaveCount(2);
    await expect(
      attached(chat, 0).getByRole('img', { name: 'plot.png' })
    ).toBeVisible();
    await provider.reply('Indeed.');
    await chat.say('Really?');
    await chat.expectState(2, 'succeeded');
    expect((await lastSent(provider, 4))[0]).toEqual(shown('What is it?'));
    const saved = await chat.savedInState(file, 2, 'succeeded');
    const [output] = outputsOf(saved);
    expect(output.data['image/png']).toBe(picture.toString('base64'));
    expect(
      JSON.stringify(saved).split(picture.toString('base64'))
    ).toHaveLength(2);
  });

  test('is sent from a copy of the file', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await withPicture(chat, provider, tmpPath);
    const copy = await page.evaluate(async from => {
      const { contents } = window.jupyterapp.serviceManager;
      const made = await contents.copy(from, from.replace(/\/[^/]*$/, ''));
      return made.path;
    }, file);
    await chat.open(copy);
    await expect(attached(chat, 0).getByRole('img')).toBeVisible();
    await provider.reply('Yes.');
    await chat.message.fill('Sure?');
    await chat.submit();
    // A copy is a file from elsewhere.
    await page
      .locator('.jp-Dialog')
      .getByRole('button', { name: 'Use it' })
      .click();
    await chat.expectState(1, 'succeeded');
    expect((await lastSent(provider, 2))[0]).toEqual(shown('What is it?'));
  });

  test('that waits in two tabs is sent once, and leaves both drafts', async ({
    page,
    context,
    provider,
    tmpPath
  }) => {
    test.slow();
    const chat = new Chat(page);
    const file = await chat.createSaved(tmpPath, 'Hello');
    await attach(chat, { name: 'plot.png', buffer: picture });
    await expect(files(chat)).toHaveCount(1);
    await chat.message.fill('What is it?');
    await expect
      .poll(() => page.evaluate(() => JSON.stringify(localStorage)))
      .toContain('What is it?');
    const second = await otherTab(context, file);
    await expect(files(second)).toHaveText(/plot\.png/);
    await expect(second.message).toHaveValue('What is it?');
    await provider.reply('A grey square.');
    await chat.submit();
    await chat.expectState(1, 'succeeded');
    expect((await lastSent(provider, 2)).at(-1)).toEqual(shown('What is it?'));
    await expect(list(second)).toHaveCount(0);
    await expect(second.message).toHaveValue('');
    await second.reload();
    await expect(second.pairs).toHaveCount(2);
    await expect(
      attached(second, 1).getByRole('img', { name: 'plot.png' })
    ).toBeVisible();
    await expect(list(second)).toHaveCount(0);
    await expect(provider.completions()).resolves.toHaveLength(2);
  });

  test('whose content is missing in an edited file is named, and nothing is sent without it unless the user agrees', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await withPicture(chat, provider, tmpPath);
    await chat.clean();
    await chat.execute('docmanager:save');
    await page.evaluate(() =>
      (window.jupyterapp.shell.currentWidget as any).close()
    );
    const onServer = path.join(servers.root, file);
    const notebook = JSON.parse(fs.readFileSync(onServer, 'utf-8'));
    const [output] = notebook.cells[0].outputs;
    const entry = output.metadata.turnbook;
    output.data = { 'text/plain': '<removed>' };
    fs.writeFileSync(onServer, JSON.stringify(notebook));
    await chat.open(file);
    await expect(attached(chat, 0)).toHaveText(
      /^The content of plot\.png is missing in this file\. Attach it again/
    );
    await provider.reply('Yes.');
    await chat.message.fill('Sure?');
    await chat.submit();
    const dialog = page.locator('.jp-Dialog', { hasText: 'plot.png' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(chat.panel.getByText(/Nothing was sent/)).toBeVisible();
    expect(await provider.completions()).toHaveLength(1);
    await expect(chat.message).toHaveValue('Sure?');
    await chat.submit();
    await dialog.getByRole('button', { name: 'Send without it' }).click();
    await chat.expectState(1, 'succeeded');
    expect((await lastSent(provider, 2))[0]).toEqual({
      role: 'user',
      content: 'What is it?'
    });
    const saved = await chat.savedInState(file, 1, 'succeeded');
    expect(outputsOf(saved)[0].metadata.turnbook).toEqual({
      ...entry,
      sent: false
    });
  });
});
