import { keepMessages, pairMessages } from '../../src/document/messages';
import { defaultFrame, renderRequest } from '../../src/request/render';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared, preparedNotebook, writeChat } from '../support/prepared';
import { Replay } from '../support/replay';
import { messagesOf, RequestUI } from '../support/request';

const CELLS = [
  { id: 'sys-0001', system: 'Answer briefly.' },
  { id: 'pair-0001', user: 'Three years?', reply: 'Lists of three years.' }
];

async function open(
  page: Parameters<typeof openPrepared>[0],
  folder: string
): Promise<{ chat: Chat; request: RequestUI; file: string }> {
  const { chat, file } = await openPrepared(page, folder, CELLS);
  const request = new RequestUI(chat);
  await chat.message.fill('Go on');
  await request.open();
  await expect(request.rows).toHaveCount(4);
  return { chat, request, file };
}

test.describe('editing a request', () => {
  test('edits a text in place, shows the change, undoes and sends it, and its past request and replay show it too', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, request, file } = await open(page, tmpPath);
    const before = await request.hash();
    await request.write(2, 'Lists of two years.');
    await expect(request.row(2).getByText('Edited')).toBeVisible();
    await expect(request.row(2).locator('.cm-changedText')).toHaveText('two');
    await expect(chat.panel.getByText('Edited request (1)')).toBeVisible();
    await expect.poll(() => request.hash()).not.toBe(before);

    await request.button('Undo').click();
    await request.expectText(2, 'Lists of three years.');
    await expect.poll(() => request.hash()).toBe(before);
    await expect(chat.panel.getByText(/Edited request/)).toBeHidden();
    await request.button('Redo').click();
    await expect(request.row(2).getByText('Edited')).toBeVisible();
    // The same by keys, in the editor.
    await request.text(2).click();
    await page.keyboard.press('Control+Z');
    await expect.poll(() => request.hash()).toBe(before);
    await page.keyboard.press('Control+Shift+Z');
    await expect(request.row(2).getByText('Edited')).toBeVisible();

    const hash = await request.hash();
    await chat.message.press('Enter');
    const [sent] = await provider.completions(1);
    expect(sent.sha256).toBe(hash);
    // Node produces the same bytes.
    const said = (role: string, content: string) => ({ role, content });
    expect(
      renderRequest(defaultFrame('scripted'), [
        said('system', 'Answer briefly.'),
        said('user', 'Three years?'),
        said('assistant', 'Lists of two years.'),
        said('user', 'Go on')
      ])
    ).toBe(sent.body);
    const saved = await chat.saved(
      file,
      nb => nb.cells[2]?.metadata.turnbook_run?.state === 'succeeded'
    );
    expect(saved.cells[2].metadata.turnbook_run.requestHash).toBe(hash);
    // Edits end with their send, and the cells are unchanged.
    expect(JSON.stringify(saved)).not.toContain('two years');
    await expect(chat.panel.locator('.jp-Turnbook-editedChip')).toHaveCount(0);
    await expect(
      request.panel.getByText('Edited', { exact: true })
    ).toHaveCount(0);

    // They leave a trace: counts in the file, and the edits themselves while the journal has them.
    expect(saved.cells[2].metadata.turnbook_run.edited).toEqual({
      sections: 1,
      deleted: 0,
      added: 0,
      options: 0
    });
    const replay = new Replay(page);
    for (const isReloaded of [false, true]) {
      if (isReloaded) {
        await chat.reload();
      }
      await chat
        .pair(1)
        .getByRole('button', { name: 'Edited request (1)' })
        .click();
      await request.expectText(2, 'Lists of two years.');
      await expect(request.row(2).getByText('Edited')).toBeVisible();
      expect(await request.hash()).toBe(hash);
      await request.button('Show changes').click();
      const dialog = page.getByRole('dialog');
      await expect(dialog).toContainText('Lists of threetwo years.');
      await dialog.getByRole('button', { name: 'Close' }).click();
      const pair = (await chat.pair(1).getAttribute('data-turnbook-pair'))!;
      await replay.open(chat, pair);
      await expect(replay.cells.nth(1)).toContainText('Edited');
      await replay.button('Show changes').click();
      await expect(dialog).toContainText('Lists of threetwo years.');
      await dialog.getByRole('button', { name: 'Close' }).click();
      expect((await replay.record()).hash).toBe(hash);
      await replay.button('Back to conversation').click();
    }
  });

  test('deletes, restores, moves, adds and resets sections', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, request } = await open(page, tmpPath);
    const original = await request.hash();
    await request.header(1).hover();
    await request
      .row(1)
      .getByRole('button', { name: 'Delete section' })
      .click();
    await expect(request.row(1).getByText('Deleted')).toBeVisible();
    await request.row(1).getByRole('button', { name: 'Restore' }).click();
    await expect.poll(() => request.hash()).toBe(original);

    // By keys: Delete, Alt+Down, and the arrows between rows.
    await request.row(1).locator('.jp-Turnbook-section-name').focus();
    await page.keyboard.press('Delete');
    await expect(request.row(1).getByText('Deleted')).toBeVisible();
    await page.keyboard.press('ArrowUp');
    await expect(
      request.row(0).locator('.jp-Turnbook-section-name')
    ).toBeFocused();
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Alt+ArrowDown');
    await expect(
      request.row(2).locator('.jp-Turnbook-section-name')
    ).toHaveText('system');
    await expect(
      request.row(2).locator('.jp-Turnbook-section-name')
    ).toBeFocused();

    // By drag.
    await request
      .row(2)
      .locator('.jp-Turnbook-section-header')
      .dragTo(request.row(0), { targetPosition: { x: 60, y: 2 } });
    await expect(
      request.row(0).locator('.jp-Turnbook-section-name')
    ).toHaveText('system');

    await request.panel
      .getByRole('combobox', { name: 'Role of the new section' })
      .selectOption('assistant');
    await request.button('Add section').click();
    await expect(request.rows).toHaveCount(5);
    await expect(request.row(4).getByText('Added')).toBeVisible();
    // An empty message is reported, and cannot be sent.
    await expect(request.panel).toContainText('This message is empty');
    await chat.send.click();
    await expect(chat.panel.getByRole('alert')).toContainText('empty');
    expect(await provider.completions()).toHaveLength(0);
    await request.write(4, 'As I said:');
    await expect(request.panel).not.toContainText('This message is empty');

    await chat.message.press('Enter');
    const [sent] = await provider.completions(1);
    expect(messagesOf(sent)).toEqual([
      { role: 'system', content: 'Answer briefly.' },
      { role: 'assistant', content: 'Lists of three years.' },
      { role: 'user', content: 'Go on' },
      { role: 'assistant', content: 'As I said:' }
    ]);

    await chat.message.fill('Again');
    await expect(request.rows).toHaveCount(6);
    await request.expectText(5, 'Again');
    const clean = await request.hash();
    await request.header(0).hover();
    await request
      .row(0)
      .getByRole('button', { name: 'Delete section' })
      .click();
    await request.write(5, 'Another');
    await request.button('Reset').click();
    await expect.poll(() => request.hash()).toBe(clean);
  });

  test('edits a message as JSON, and says what is wrong with it', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, request } = await open(page, tmpPath);
    const row = request.row(0);
    await request.header(0).hover();
    await row.getByRole('button', { name: 'As JSON' }).click();
    const editor = row.getByRole('textbox', { name: 'system as JSON' });
    const original = await request.hash();
    const told = row.getByRole('alert');

    await editor.click();
    await request.replace('{"role": "system", "content": ');
    await expect(told).toContainText('The JSON is not complete: line 1');
    await expect(row.locator('.cm-lint-marker-error')).toBeVisible();
    await request.replace('{"role": "boss", "content": "Hm"}');
    await expect(told).toContainText('The role must be one of');
    expect(await request.hash()).toBe(original);
    await request.replace(
      '{"role": "system", "content": [{"type": "text", "text": "Parts"}], "x_key": [1, {"a": true}]}'
    );
    await expect(told).toHaveCount(0);
    await expect.poll(() => request.hash()).not.toBe(original);

    // The same as a tree of leaves.
    await request.header(0).hover();
    await row.getByRole('button', { name: 'As JSON' }).click();
    const leaf = row.getByRole('textbox', { name: 'system: content.0.text' });
    await leaf.click();
    await request.replace('Parts, edited');
    await row
      .getByRole('textbox', { name: 'system: x_key[0]' })
      .fill('nonsense');
    await expect(row.getByRole('alert')).toContainText('Write a number');
    await row.getByRole('textbox', { name: 'system: x_key[0]' }).fill('2.5');
    await row.getByRole('checkbox', { name: 'system: x_key[1].a' }).uncheck();

    await chat.message.press('Enter');
    const [sent] = await provider.completions(1);
    expect(messagesOf(sent)[0]).toEqual({
      role: 'system',
      content: [{ type: 'text', text: 'Parts, edited' }],
      x_key: [2.5, { a: false }]
    });
  });

  test('accepts options, known and unknown, and rejects invalid ones', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, request } = await open(page, tmpPath);
    const original = await request.hash();
    const part = await request.openPart('Options');
    const option = (name: string) =>
      part.locator(`[data-turnbook-option="${name}"]`);
    const temperature = part.getByRole('textbox', { name: 'temperature' });
    await temperature.fill('warm');
    await expect(
      option('temperature').getByRole('alert').first()
    ).toContainText('Write a number');
    await temperature.fill('3');
    await expect(option('temperature')).toContainText('must be <= 2');
    expect(await request.hash()).toBe(original);
    await temperature.fill('0.5');
    await expect(option('temperature').getByText('Edited')).toBeVisible();
    await part.getByRole('textbox', { name: 'Stop', exact: true }).fill('END');
    await part.getByRole('textbox', { name: 'tools' }).click();
    await request.replace('[{"type": ');
    await expect(option('tools').getByRole('alert')).toContainText(
      'not complete'
    );
    await request.replace(
      '[{"type": "function", "function": {"name": "weather"}}]'
    );
    await expect(option('tools').getByRole('alert')).toHaveCount(0);

    const name = part.getByRole('textbox', {
      name: 'Name of a further option'
    });
    const value = part.getByRole('textbox', {
      name: 'Value of a further option'
    });
    await name.fill('x_vendor');
    await value.fill('{"a": ');
    await part.getByRole('button', { name: 'Add option' }).click();
    await expect(part).toContainText('The value has to be JSON');
    await value.fill('{"a": 1e2}');
    await value.press('Enter');
    await expect(option('x_vendor')).toBeVisible();
    await name.fill('messages');
    await value.fill('[]');
    await value.press('Enter');
    await expect(part).toContainText('sections of the prompt');

    await chat.message.press('Enter');
    const [sent] = await provider.completions(1);
    expect(JSON.parse(sent.body)).toMatchObject({
      temperature: 0.5,
      stop: ['END'],
      tools: [{ type: 'function', function: { name: 'weather' } }],
      x_vendor: { a: 100 }
    });
  });

  test('keeps versions that can be compared and restored', async ({
    page,
    tmpPath
  }) => {
    const { chat, request } = await open(page, tmpPath);
    await request.write(0, 'First edit');
    await chat.execute('turnbook:pause-next');
    await chat.message.press('Enter');
    await request.paused();
    await request.write(0, 'Second edit');
    await request.button('Cancel send').click();
    const part = await request.openPart('Versions');
    await expect(part.getByText('Version 1')).toHaveCount(3);
    const second = await request.hash();
    await part
      .getByRole('combobox', { name: 'Compare from' })
      .selectOption('1');
    await part.getByRole('button', { name: 'Compare', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('Second edit');
    await dialog.getByRole('button', { name: 'Side by side' }).click();
    await expect(dialog.locator('.cm-mergeView')).toContainText('First edit');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await part.getByRole('button', { name: 'Restore' }).click();
    await request.expectText(0, 'First edit');
    await request.button('Undo').click();
    await expect.poll(() => request.hash()).toBe(second);
  });

  test('lists an edit whose source changed, and sends it only when confirmed', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, request } = await open(page, tmpPath);
    await request.write(0, 'Answer at length.');
    await page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as any;
      panel.content.widgets[0].model.sharedModel.setSource('Answer in verse.');
    });
    await expect(request.row(0).getByText('source changed')).toBeVisible();
    await chat.message.press('Enter');
    const [first] = await provider.completions(1);
    expect(messagesOf(first)[0].content).toBe('Answer in verse.');
    await chat.expectState(1, 'succeeded');
  });

  test('accepts 5 MB of pasted text', async ({ page, provider, tmpPath }) => {
    const { chat, request } = await open(page, tmpPath);
    const text = 'All work and no play. '.repeat(240_000);
    await request.text(0).click();
    await page.keyboard.press('Control+A');
    await page.evaluate(async pasted => {
      const data = new DataTransfer();
      data.setData('text/plain', pasted);
      document.activeElement!.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true })
      );
    }, text);
    await expect(request.row(0)).toContainText('1,320,000');
    const hash = await request.hash();
    await chat.message.press('Enter');
    const [sent] = await provider.completions(1, 30);
    expect(sent.sha256).toBe(hash);
    expect(messagesOf(sent)[0].content).toBe(text);
  });

  test('edits tool calls as leaves inside their arguments', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    const file = `${tmpPath}/tools.chat.ipynb`;
    const notebook = preparedNotebook([
      { id: 'pair-0001', user: 'Weather?', reply: 'Sunny.' }
    ]);
    const said = pairMessages({ user: 'Weather?', reply: 'Sunny.' });
    const messages = [
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'weather', arguments: '{"city":"Bern"}' }
          }
        ]
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"sky":"blue"}' },
      { role: 'assistant', content: 'Sunny.' }
    ];
    notebook.cells[0].metadata.turnbook_messages = keepMessages(messages, said);
    await writeChat(page, file, notebook);
    await chat.open(file);
    await chat.message.fill('And tomorrow?');
    await request.open();
    const call = request.rows.filter({ hasText: 'assistant' }).first();
    await call.locator('.jp-Turnbook-section-name').click();
    await call.getByRole('textbox', { name: /arguments: city/ }).fill('Basel');
    const result = request.rows.filter({
      has: page.getByRole('button', { name: 'tool', exact: true })
    });
    await result.locator('.jp-Turnbook-section-name').click();
    await result.getByRole('textbox', { name: /content: sky/ }).fill('grey');
    await chat.message.press('Enter');
    const [sent] = await provider.completions(1);
    const [, asked, answer] = messagesOf(sent);
    expect(asked.tool_calls[0].function.arguments).toBe('{"city":"Basel"}');
    expect(answer.content).toBe('{"sky":"grey"}');
  });
});
