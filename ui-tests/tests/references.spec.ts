import { createHash } from 'crypto';
import * as fs from 'fs';
import * as path from 'path';

import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { Beside, code } from '../support/beside';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { verify } from '../support/records';
import { editLive, Replay } from '../support/replay';
import { messagesOf } from '../support/request';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

const list = (chat: Chat): Locator =>
  chat.page.getByRole('listbox', { name: 'References' });

const option = (chat: Chat, name: string | RegExp): Locator =>
  list(chat).getByRole('option', { name });

const chips = (chat: Chat): Locator =>
  chat.panel.getByRole('list', { name: 'Attachments' }).getByRole('listitem');

/** A notebook with a heading, code with a fence in it, and a table as output. */
const NOTEBOOK = {
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { language_info: { name: 'python' } },
  cells: [
    {
      cell_type: 'markdown',
      id: 'title',
      metadata: {},
      source: '# Rainfall\n'
    },
    {
      cell_type: 'code',
      id: 'load',
      metadata: {},
      execution_count: 1,
      source: 'text = """\n```\n"""\nprint(text)',
      outputs: [{ output_type: 'stream', name: 'stdout', text: '42 mm\n' }]
    }
  ]
};

async function openNotebook(
  page: IJupyterLabPageFixture,
  folder: string,
  name = 'rain.ipynb'
): Promise<string> {
  const path = `${folder}/${name}`;
  await page.contents.uploadContent(JSON.stringify(NOTEBOOK), 'text', path);
  await page.evaluate(async path => {
    const { commands } = window.jupyterapp;
    const panel = await commands.execute('docmanager:open', {
      path,
      kernelPreference: { shouldStart: false }
    });
    await panel.context.ready;
  }, path);
  return path;
}

test.describe('references', () => {
  test('to a cell and an output are chosen by keys, shown and sent byte for byte', async ({
    page,
    provider,
    tmpPath
  }) => {
    await openNotebook(page, tmpPath);
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await chat.message.pressSequentially('Why me@example.org ');
    await expect(list(chat)).toHaveCount(0);
    await chat.message.pressSequentially('@text');
    const cell = option(chat, /rain\.ipynb · cell 2/);
    await expect(cell).toHaveAttribute('aria-selected', 'true');
    await expect(chat.message).toHaveAttribute(
      'aria-activedescendant',
      (await cell.getAttribute('id'))!
    );
    await page.keyboard.press('Enter');
    await expect(chat.message).toHaveValue('Why me@example.org ');
    await expect(chips(chat)).toHaveText([/rain\.ipynb · cell 2.*~\d+ tokens/]);

    await chat.message.pressSequentially('@output2');
    await option(chat, /output of cell 2/).click();
    await expect(chips(chat)).toHaveCount(2);
    await expect(chat.message).toBeFocused();

    await chips(chat)
      .first()
      .getByRole('button', { name: 'Show what is sent of' })
      .click();
    const preview = page.getByRole('dialog', { name: 'rain.ipynb · cell 2' });
    const seen = await preview.getByLabel('What is sent').textContent();
    await preview.getByRole('button', { name: 'Close' }).click();
    const sent =
      'Cell: rain.ipynb · cell 2\n\n````python\ntext = """\n```\n"""\nprint(text)\n````';
    expect(seen).toBe(sent);

    await provider.reply('Because.');
    await chat.submit();
    await chat.expectState(0, 'succeeded');
    const output = 'Output: rain.ipynb · output of cell 2\n\n```\n42 mm\n```';
    const [request] = await provider.completions();
    expect(messagesOf(request).at(-1)).toEqual({
      role: 'user',
      content: [sent, output, 'Why me@example.org '].join('\n\n')
    });

    const saved = await chat.savedInState(file, 0, 'succeeded');
    const [part] = saved.cells[0].outputs;
    expect([part.data['text/markdown']].flat().join('')).toBe(sent);
    expect(part.metadata.turnbook.sha256).toBe(hash(sent));
    expect(part.data['application/vnd.turnbook.reference+json']).toMatchObject({
      kind: 'cell',
      path: `${tmpPath}/rain.ipynb`,
      cellId: 'load',
      name: 'rain.ipynb · cell 2'
    });

    // An earlier message of the chat, which says so when it is another.
    await chat.message.pressSequentially('@Why');
    await list(chat)
      .getByRole('group', { name: 'Earlier messages of this chat' })
      .getByRole('option', { name: /^Why me/ })
      .click();
    await expect(chips(chat)).toHaveText([/chat\.ipynb · cell 1/]);
    await chat.say('Sure?');
    await chat.expectState(1, 'succeeded');
    const [, later] = await provider.completions();
    expect(messagesOf(later).at(-1)?.content).toMatch(
      /^Earlier message: [^]*Why me@example\.org[^]*Because\.[^]*Sure\?$/
    );
    const attached = chat.pair(1).getByRole('list', { name: 'Attached files' });
    await expect(attached).toContainText('cell 1');
    await expect(attached).not.toContainText('changed since');
    await page.evaluate(() => {
      const { model } = (window.jupyterapp.shell.currentWidget as any).content;
      model.sharedModel.cells[0].setSource('Why you?');
    });
    await expect(attached).toContainText('changed since');
  });

  test('to a file are found by a few letters; hidden files are not, and Esc closes the list', async ({
    page,
    provider,
    tmpPath
  }) => {
    for (const [name, text] of [
      ['measured values.csv', 'day,mm\n1,42\n'],
      ['.secret.csv', 'no'],
      ['sub/deep.py', 'print(1)\n']
    ]) {
      if (name.includes('/')) {
        await page.contents.createDirectory(`${tmpPath}/sub`);
      }
      await page.contents.uploadContent(text, 'text', `${tmpPath}/${name}`);
    }
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await chat.message.pressSequentially('@secret');
    await expect(list(chat)).toHaveCount(0);
    await chat.message.fill('');
    await chat.message.pressSequentially('@msrdv');
    await expect(option(chat, /measured values\.csv/)).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(list(chat)).toHaveCount(0);
    await expect(chat.message).toBeFocused();
    await expect(chat.message).toHaveValue('@msrdv');

    await chat.message.fill('');
    await chat.message.pressSequentially('@measured');
    await expect(option(chat, /measured values\.csv/)).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(chips(chat)).toHaveCount(1);
    await chat.message.pressSequentially('Sum?');
    await provider.reply('42');
    await chat.submit();
    await chat.expectState(0, 'succeeded');
    const [request] = await provider.completions();
    expect(messagesOf(request).at(-1)?.content).toBe(
      `File: ${tmpPath}/measured values.csv\n\n\`\`\`csv\nday,mm\n1,42\n\n\`\`\`\n\nSum?`
    );
  });

  test('say when their source has changed; Update makes a version and sends nothing', async ({
    page,
    provider,
    tmpPath
  }) => {
    const notebook = await openNotebook(page, tmpPath);
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await chat.message.pressSequentially('@text');
    await expect(option(chat, /ipynb · cell 2/)).toBeVisible();
    await page.keyboard.press('Enter');
    await chat.message.pressSequentially('Why?');
    await provider.reply('Because.');
    await chat.submit();
    await chat.expectState(0, 'succeeded');
    const attached = chat.pair(0).getByRole('list', { name: 'Attached files' });
    await expect(attached).toContainText('rain.ipynb · cell 2');
    await expect(attached).not.toContainText('changed since');
    await change(page, notebook, 'print(2)');
    await expect(attached).toContainText('changed since');

    await attached.getByRole('button', { name: /^Show what is sent/ }).click();
    const dialog = page.getByRole('dialog', { name: 'rain.ipynb · cell 2' });
    await expect(dialog.getByLabel('What is sent')).toContainText(
      'print(text)'
    );
    await expect(dialog.getByLabel('Changes since')).toContainText('text2');
    await dialog.getByRole('button', { name: 'Update' }).click();
    await expect(dialog).toContainText('Nothing was sent.');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(attached).not.toContainText('changed since');
    expect(await provider.completions()).toHaveLength(1);

    await chat.execute('docmanager:save');
    const saved = await chat.saved(
      file,
      nb => nb.cells[0].outputs.length === 3
    );
    const [older, newer] = saved.cells[0].outputs;
    expect(older.metadata.turnbook.sent).toBe(false);
    expect([newer.data['text/markdown']].flat().join('')).toContain('print(2)');
    expect(saved.cells[0].metadata.turnbook_versions).toMatchObject([
      { reply: 'Because.', attachments: [older.metadata.turnbook.sha256] }
    ]);

    // Its source is gone, and it is sent as it is.
    await page.contents.deleteFile(notebook);
    await provider.reply('Still.');
    await chat.say('And now?');
    await chat.expectState(1, 'succeeded');
    const later = messagesOf((await provider.completions())[1]);
    expect(later[0].content).toBe(
      'Cell: rain.ipynb · cell 2\n\n```python\nprint(2)\n```\n\nWhy?'
    );
  });

  test('of the message being written say so too; Update puts it into its place and sends nothing', async ({
    page,
    provider,
    tmpPath
  }) => {
    const notebook = await openNotebook(page, tmpPath);
    const chat = new Chat(page);
    await chat.create(tmpPath);
    for (const words of ['text', 'Rainfall']) {
      await chat.message.pressSequentially(`@${words}`);
      await option(chat, /ipynb · cell [12]/)
        .first()
        .click();
      await expect(chat.message).toHaveValue('');
    }
    await chat.message.fill('Why?');
    const order = [/rain\.ipynb · cell 2/, /rain\.ipynb · cell 1/];
    await expect(chips(chat)).toHaveText(order);
    const [changed, same] = [chips(chat).first(), chips(chat).last()];
    await expect(changed).not.toContainText('changed since');
    await change(page, notebook, 'print(2)');
    await expect(changed).toContainText('changed since');
    await expect(same).not.toContainText('changed since');

    await changed.getByRole('button', { name: /^Show what is sent/ }).click();
    const dialog = page.getByRole('dialog', { name: 'rain.ipynb · cell 2' });
    await expect(dialog.getByLabel('What is sent')).toContainText(
      'print(text)'
    );
    await expect(dialog.getByLabel('Changes since')).toContainText('text2');
    await dialog.getByRole('button', { name: 'Update' }).click();
    await expect(dialog).toContainText('Nothing was sent.');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(chat.message).toBeFocused();
    await expect(chips(chat)).toHaveText(order);
    await expect(changed).not.toContainText('changed since');
    expect(await provider.completions()).toHaveLength(0);

    // A paused message stays as it is.
    await chat.panel.getByRole('switch', { name: 'Pause & review' }).click();
    await chat.submit();
    await expect(chat.message).toHaveAttribute('readonly');
    await change(page, notebook, 'print(3)');
    await expect(changed).toContainText('changed since');
    await changed.getByRole('button', { name: /^Show what is sent/ }).click();
    await expect(dialog.getByRole('button', { name: 'Update' })).toBeDisabled();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await provider.reply('Because.');
    await chat.panel.getByRole('button', { name: 'Resume send' }).click();
    await chat.expectState(0, 'succeeded');
    const [request] = await provider.completions();
    expect(messagesOf(request).at(-1)?.content).toBe(
      [
        'Cell: rain.ipynb · cell 2\n\n```python\nprint(2)\n```',
        'Cell: rain.ipynb · cell 1\n\n```markdown\n# Rainfall\n\n```',
        'Why?'
      ].join('\n\n')
    );
  });

  test('are made by dragging a cell to the composer, and survive a reload', async ({
    page,
    provider,
    tmpPath
  }) => {
    const beside = new Beside(page);
    const { chat } = beside;
    await beside.prepare(`${tmpPath}/rain.ipynb`, NOTEBOOK.cells);
    await beside.button.click();
    await expect(chat.message).toBeFocused();
    const cell = beside.notebook.locator('.jp-CodeCell');
    await cell.locator('.jp-InputPrompt').hover();
    await page.mouse.down();
    await page.mouse.move(0, 0, { steps: 3 });
    const { x, y } = (await chat.message.boundingBox())!;
    await page.mouse.move(x + 20, y + 10, { steps: 3 });
    await page.mouse.up();
    await expect(chips(chat)).toHaveText([/rain\.ipynb · cell 2/]);
    await expect(cell).toHaveCount(1);
    await expect(chat.message).toBeFocused();
    expect(await provider.completions()).toHaveLength(0);
    await chat.reload();
    await expect(chips(chat)).toHaveText([/rain\.ipynb · cell 2/]);

    // Holding the key empties the message and removes nothing.
    await chat.message.fill('x');
    await page.keyboard.down('Backspace');
    await expect(chat.message).toHaveValue('');
    await page.keyboard.down('Backspace');
    await page.keyboard.down('Backspace');
    await page.keyboard.up('Backspace');
    await expect(chat.message).toBeFocused();
    await page.keyboard.press('Backspace');
    await expect(chat.message).not.toBeFocused();
    await expect(chips(chat)).toHaveCount(1);
    await page.keyboard.press('Backspace');
    await expect(chips(chat)).toHaveCount(0);
  });

  test('to a link that leads out of the folder are refused; a pasted table can become Markdown', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    fs.symlinkSync(
      '/etc/hosts',
      path.join(servers.root, tmpPath, 'leadsout.txt')
    );
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await chat.message.pressSequentially('@leadsout');
    await option(chat, /leadsout\.txt/).click();
    await expect(chat.panel).toContainText(
      'leadsout.txt is not attached: it is outside the folder of the server, or a link that leads out of it.'
    );
    await expect(chips(chat)).toHaveCount(0);

    await page.evaluate(() => {
      const table = document.createElement('table');
      table.innerHTML =
        '<tr><td>day</td><td>mm</td></tr><tr><td>1</td><td>42</td></tr>';
      document.body.append(table);
      getSelection()!.selectAllChildren(table);
      document.execCommand('copy');
      table.remove();
    });
    await chat.message.fill('');
    await chat.message.press('ControlOrMeta+v');
    await expect(chat.message).toHaveValue(/day\tmm\n1\t42$/);
    await page
      .getByRole('button', { name: 'Make it a Markdown table' })
      .click();
    await expect(chat.message).toHaveValue(
      '| day | mm |\n| --- | --- |\n| 1 | 42 |'
    );
    expect(await provider.completions()).toHaveLength(0);
  });

  test('to a cell, a file and a variable are edited around, replayed, exported, verified and forked', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const beside = new Beside(page);
    const { chat } = beside;
    const notebook = `${tmpPath}/rain.ipynb`;
    await page.contents.uploadContent('1,42\n', 'text', `${tmpPath}/mm.csv`);
    await beside.prepare(notebook, [code('total = 42')], true);
    await beside.run(notebook);
    await beside.select(0);
    await chat.execute('turnbook:ask-about-cell');
    for (const name of ['total', 'mm.csv']) {
      await chat.message.pressSequentially(`@${name}`);
      await option(chat, new RegExp(`^${name}`)).click();
    }
    await expect(chips(chat)).toHaveCount(3);
    const frozen = [
      'Cell: rain.ipynb · cell 1\n\n```python\ntotal = 42\n```',
      'Variable: rain.ipynb · total\n\n```\ntype: builtins.int\n\n42\n```',
      `File: ${tmpPath}/mm.csv\n\n\`\`\`csv\n1,42\n\n\`\`\``
    ];
    const said = (text: string) => [...frozen, text].join('\n\n');
    await chat.message.fill('How much?');
    await editLive(chat, said('How much?'), said('How much rain?'));
    const replay = new Replay(page);
    await replay.open(chat);
    const { payload, references } = await replay.record();
    expect(JSON.parse(payload).messages).toEqual([
      { role: 'user', content: said('How much rain?') }
    ]);
    expect(references).toMatchObject([
      { kind: 'cell', path: notebook, sha256: hash(frozen[0]) },
      { kind: 'variable', path: notebook, sha256: hash(frozen[1]) },
      { kind: 'file', path: `${tmpPath}/mm.csv`, sha256: hash(frozen[2]) }
    ]);

    await replay.export('rain');
    const record = path.join(servers.root, `${tmpPath}/rain.replay.ipynb`);
    expect(verify(record).status).toBe(0);
    const before = fs.readFileSync(record, 'utf-8');
    fs.writeFileSync(record, before.replaceAll('1,42', '1,43'));
    expect(verify(record)).toEqual({
      status: 1,
      said: expect.stringContaining(`The reference ${tmpPath}/mm.csv in`)
    });
    fs.writeFileSync(record, before);

    await replay.button('Start chatting from this replay').click();
    await expect(chat.pairs).toHaveCount(1);
    await chat.say('Sure?');
    await chat.expectState(1, 'succeeded');
    expect(messagesOf((await provider.completions())[0])).toEqual([
      { role: 'user', content: said('How much rain?') },
      { role: 'user', content: 'Sure?' }
    ]);
    const { cells } = await chat.savedInState(
      (await chat.path())!,
      1,
      'succeeded'
    );
    const sources = cells[0].outputs.map(
      ({ data }: any) => data['application/vnd.turnbook.reference+json']
    );
    expect(sources).toMatchObject(
      references.map(({ path, at }: any) => ({ path, at }))
    );
  });
});

/** Edit the second cell of an open notebook. */
async function change(
  page: IJupyterLabPageFixture,
  path: string,
  source: string
): Promise<void> {
  await page.evaluate(
    ([path, source]) => {
      for (const widget of window.jupyterapp.shell.widgets('main')) {
        const { context } = widget as any;
        if (context?.path === path) {
          context.model.sharedModel.cells[1].setSource(source);
        }
      }
    },
    [path, source]
  );
}
