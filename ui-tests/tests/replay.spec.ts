import * as fs from 'fs';
import { execFileSync } from 'child_process';
import * as path from 'path';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { chooseSmall } from '../support/models';
import { openPrepared } from '../support/prepared';
import { JUPYTER, verify } from '../support/records';
import {
  editLive,
  onDisk,
  Replay,
  replayMessage,
  SURVEY
} from '../support/replay';
import { RequestUI, setSetting } from '../support/request';

test.describe('a replay', () => {
  test('shows the edited request beside the chat, and nothing is sent @smoke @core', async ({
    page,
    provider,
    tmpPath,
    servers
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, SURVEY);
    await chat.message.fill('How many interviewers?');
    await editLive(
      chat,
      'Lists older than three years.',
      'Lists older than two years.'
    );
    const before = onDisk(servers, file);
    const replay = new Replay(page);
    await replay.open(chat);

    await expect(replay.cells).toHaveCount(3);
    await expect(replay.cells.nth(0)).toContainText('household surveys');
    await expect(replay.cells.nth(1)).toContainText('Which frames?');
    await expect(replay.cells.nth(1)).toContainText('older than two years');
    await expect(replay.cells.nth(1)).toContainText('replayed');
    await expect(replay.cells.nth(2)).toContainText('How many interviewers?');
    await expect(replay.cells.nth(2)).toContainText('this message');
    await expect(replay.banner).toContainText(
      'from prepared, turn 2, version 1'
    );
    await expect(replay.badge).toHaveAttribute(
      'title',
      /^Request \S+\nSHA-256 [0-9a-f]{64}\nprepared · turn 2$/
    );
    await expect(
      replay.panel.getByRole('textbox', { name: 'Message' })
    ).toBeDisabled();

    // The change on hover, and all of it in a dialog.
    await replay.cells.nth(1).getByText('Edited · assistant').hover();
    const tip = page.getByRole('tooltip');
    await expect(tip.locator('del')).toHaveText('three');
    await expect(tip.locator('ins')).toHaveText('two');
    await replay.button('Show changes').click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText(/older than (three)?two years/);
    await page
      .locator('.jp-Dialog')
      .getByRole('button', { name: 'Close' })
      .click();
    await expect(page.locator('.jp-Dialog')).toHaveCount(0);

    await replay.button('Back to conversation').click();
    await expect(chat.message).toBeVisible();
    expect(await provider.completions()).toHaveLength(0);
    expect(onDisk(servers, file).equals(before)).toBe(true);
  });

  test('cannot be changed in any way', async ({ page, provider, tmpPath }) => {
    const { replay } = await replayMessage(page, tmpPath, 'And now?');
    await expect(replay.cells).toHaveCount(3);
    const before = await replay.content();

    await replay.cells.nth(1).locator('.cm-content').first().click();
    for (const keys of [
      'x',
      'Delete',
      'd',
      'd',
      'a',
      'b',
      'e',
      's',
      'Enter',
      'Shift+Enter',
      'Control+z',
      'Control+Shift+z',
      'Control+v',
      'Control+x',
      'm',
      'y',
      'r'
    ]) {
      await page.keyboard.press(keys);
    }
    await page.keyboard.insertText('typed');
    await replay.cells.nth(1).locator('.cm-content').first().dblclick();
    await page.keyboard.insertText('typed');
    for (const command of [
      'notebook:delete-cell',
      'notebook:cut-cell',
      'notebook:paste-cell-below',
      'notebook:insert-cell-below',
      'notebook:run-cell',
      'notebook:move-cell-up',
      'notebook:change-cell-to-markdown',
      'notebook:undo-cell-action',
      'runmenu:run',
      'runmenu:run-all',
      'editmenu:undo',
      'editmenu:redo',
      'turnbook:delete-pair',
      'turnbook:send',
      'turnbook:edit-and-resend',
      'turnbook:add-note',
      'turnbook:undo'
    ]) {
      await page.evaluate(async id => {
        const { commands } = window.jupyterapp;
        if (commands.hasCommand(id) && commands.isEnabled(id)) {
          await commands.execute(id);
        }
      }, command);
    }
    // Code that accesses the notebook.
    await page.evaluate(() => {
      const { content } = window.jupyterapp.shell.currentWidget as any;
      const { sharedModel } = content.model;
      sharedModel.insertCell(0, { cell_type: 'code', source: 'x' });
      sharedModel.deleteCell(0);
      sharedModel.undo();
      content.mode = 'edit';
    });
    // A cell dragged onto another.
    const handle = replay.cells.nth(2).locator('.jp-InputPrompt');
    await handle.dragTo(replay.cells.nth(0));

    expect(await replay.content()).toBe(before);
    const state = await page.evaluate(() => {
      const { context } = window.jupyterapp.shell.currentWidget as any;
      return { dirty: context.model.dirty, readOnly: context.model.readOnly };
    });
    expect(state).toEqual({ dirty: false, readOnly: true });
    await expect(page.locator('.jp-Dialog')).toHaveCount(0);

    // Save says why it does nothing, Save As exports.
    await page.evaluate(async () => {
      await (window.jupyterapp.shell.currentWidget as any).context.save();
    });
    await expect(page.getByText('A replay is read-only')).toBeVisible();
    expect(await provider.completions()).toHaveLength(0);
  });

  test('of a long request shows its beginning, and the rest on request', async ({
    page,
    tmpPath
  }) => {
    const cells = Array.from({ length: 20 }, (_, n) => ({
      id: `pair-${n}`,
      user: `Question ${n}`,
      reply: `Answer ${n}`
    }));
    const { replay } = await replayMessage(page, tmpPath, 'Last', cells);
    await expect(replay.cells).toHaveCount(15);
    // It opens at the end, and stays where the user scrolls.
    await expect(replay.cells.last()).toBeInViewport();
    await expect(replay.cells.first()).not.toBeInViewport();
    await replay.button('View replayed prompt (11 more)').click();
    await expect(replay.cells).toHaveCount(21);
    await expect(replay.cells.nth(14)).toBeInViewport();
    await expect(replay.cells.last()).toContainText('Last');
    await replay.button('Collapse').click();
    await expect(replay.cells).toHaveCount(15);
  });

  test('of a trimmed prompt says so; each turn has its own', async ({
    page,
    servers,
    tmpPath
  }) => {
    const cells = [1, 2, 3, 4, 5, 6, 7].map(n => ({
      id: `pair-${n}`,
      user: `Question ${n}`,
      reply: `r${n} `.padEnd(1000, 'word ')
    }));
    const { chat, file } = await openPrepared(page, tmpPath, cells);
    await chooseSmall(servers, chat);
    await chat.message.fill('Last');
    await expect(chat.panel.getByText('4 / 7')).toBeVisible();
    const replay = new Replay(page);
    await replay.open(chat);
    await expect(replay.banner).toContainText(
      'Prompt was trimmed; replay may omit truncated content. 3 pairs were left out; about 1,102 tokens are in it.'
    );
    const turns = replay.panel.getByRole('combobox', { name: 'Replayed turn' });
    await expect(turns).toHaveCount(0);
    const [live] = (await replay.record()).sections.slice(-1);

    await replay.button('Back to conversation').click();
    await replay.open(chat, 'pair-2');
    await expect(replay.cells.last()).toContainText('Question 2');
    await expect(turns).toContainText('turn 2 · version');
    await expect(turns.locator('option')).toHaveCount(2);
    await turns.selectOption({ index: 0 });
    await expect(replay.cells.last()).toContainText('Last');
    expect((await replay.record()).sections.pop()).toEqual(live);
    await expect(page.locator('.jp-Turnbook-replay')).toHaveCount(2);

    // A sent turn keeps the mark that it was trimmed, even if its chat is opened later.
    await page.evaluate(() => {
      for (const widget of [...window.jupyterapp.shell.widgets('main')]) {
        if (widget.hasClass('jp-Turnbook-replay')) {
          widget.dispose();
        }
      }
    });
    await chat.open(file);
    await chat.message.press('Enter');
    await chat.expectState(7, 'succeeded');
    const sent = await chat.savedInState(file, 7, 'succeeded');
    const { trimmed } = sent.cells[7].metadata.turnbook_run;
    expect(trimmed.pairs).toBe(3);
    await chat.clean();
    await page.evaluate(() => window.jupyterapp.shell.currentWidget!.close());
    await chat.open(file);
    await replay.open(chat, sent.cells[7].id);
    await expect(replay.banner).toContainText(
      `Prompt was trimmed; replay may omit truncated content. 3 pairs were left out; about ${trimmed.tokens.toLocaleString('en')} tokens are in it.`
    );
    expect((await replay.record()).trimmed).toEqual(trimmed);
    await replay.button('Back to conversation').click();
    await replay.open(chat, 'pair-2');
    await expect(replay.banner).not.toContainText('trimmed');
  });

  test('shows system messages and long ones folded', async ({
    page,
    tmpPath
  }) => {
    const long = Array.from({ length: 60 }, (_, n) => `Line ${n} of it.`);
    const { replay } = await replayMessage(page, tmpPath, 'And now?', [
      { id: 'system', system: long.join('\n') },
      { id: 'long', user: 'Tell me all', reply: long.join('\n\n') },
      { id: 'short', user: 'In short?', reply: 'Lists.' }
    ]);
    await expect(replay.cells).toHaveCount(4);
    const height = async (n: number) =>
      (await replay.cells.nth(n).boundingBox())!.height;
    const toggle = (n: number) =>
      replay.cells.nth(n).getByRole('button', { name: /Show all|Collapse/ });
    for (const [n, most] of [
      [0, 120],
      [1, 450]
    ]) {
      await expect(toggle(n)).toHaveText('▸ Show all of it');
      await expect(toggle(n)).toHaveAttribute('aria-expanded', 'false');
      await expect.poll(() => height(n)).toBeLessThan(most);
      const folded = await height(n);
      await toggle(n).click();
      await expect(toggle(n)).toHaveText('▾ Collapse');
      await expect(toggle(n)).toHaveAttribute('aria-expanded', 'true');
      await expect.poll(() => height(n)).toBeGreaterThan(600);
      await toggle(n).click();
      await expect(toggle(n)).toHaveText('▸ Show all of it');
      await expect.poll(() => height(n)).toBe(folded);
    }
    for (const n of [2, 3]) {
      await expect(toggle(n)).toHaveCount(0);
    }
  });

  test('follows edits and undo, and restores the previous replay', async ({
    page,
    tmpPath
  }) => {
    const { chat, replay } = await replayMessage(page, tmpPath, 'One');
    const first = await replay.record();
    await expect(replay.cells.last()).toContainText('One');

    await replay.button('Back to conversation').click();
    for (const text of ['T', 'Tw', 'Two']) {
      await chat.message.fill(text);
    }
    await replay.open(chat);
    await expect(replay.cells.last()).toContainText('Two');
    await expect(replay.banner).toContainText('version');
    const second = await replay.record();
    expect(second.version).toBeGreaterThan(first.version);
    expect(second.hash).not.toBe(first.hash);

    await replay.button('Restore previous replay').click();
    await expect(replay.cells.last()).not.toContainText('Two');
  });

  test('of a past pair has the exact bytes of its run: first, last and failed', async ({
    page,
    provider,
    tmpPath,
    servers
  }) => {
    const chat = new Chat(page);
    const file = await chat.createAnswered(tmpPath, 'First');
    await provider.script({
      status: 400,
      steps: [{ body: { error: { code: 'bad', message: 'No' } } }]
    });
    await chat.say('Second');
    await chat.expectState(1, 'error');
    const sent = await provider.completions();
    expect(sent).toHaveLength(2);
    await chat.savedInState(file, 1, 'error');
    await chat.clean();
    const before = onDisk(servers, file);
    const replay = new Replay(page);
    for (const n of [0, 1]) {
      const pair = (await chat.pair(n).getAttribute('data-turnbook-pair'))!;
      await replay.open(chat, pair);
      const record = await replay.record();
      expect(record.payload).toBe(sent[n].body);
      expect(record.loggedHash).toBe(record.hash);
      await expect(replay.panel.getByText('differs from logged')).toHaveCount(
        0
      );
      await replay.button('Back to conversation').click();
    }
    expect(await provider.completions()).toHaveLength(2);
    expect(onDisk(servers, file).equals(before)).toBe(true);
  });

  test('of edited bytes says that other bytes were logged', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.createAnswered(tmpPath, 'First');
    const pair = (await chat.pair(0).getAttribute('data-turnbook-pair'))!;
    await page.evaluate(async id => {
      const { requests } = (window.jupyterapp.shell.currentWidget as any)
        .session;
      const draft = await requests.draftOf(id);
      draft.setLeaf(draft.request.sections[0].id, ['content'], 'Edited');
    }, pair);
    const replay = new Replay(page);
    await replay.open(chat, pair);
    const { hash, loggedHash } = await replay.record();
    const chip = replay.panel.getByText('differs from logged');
    await expect(chip).toHaveAttribute(
      'title',
      `Replayed ${hash}\nLogged ${loggedHash}`
    );
    await expect(replay.banner).toContainText(loggedHash.slice(-4));
  });

  test('is cleared when its pair or file is deleted, or its chat closed', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.createAnswered(tmpPath, 'First');
    const replay = new Replay(page);
    const pair = (await chat.pair(0).getAttribute('data-turnbook-pair'))!;
    await replay.open(chat, pair);
    await replay.button('Back to conversation').click();
    await chat.deleteLastByKey();
    await expect(chat.pairs).toHaveCount(0);
    await page.getByRole('tab', { name: 'Replay cleared' }).click();
    await expect(replay.banner).toContainText(
      'pair that it replayed was deleted'
    );
    await expect(replay.cells).toHaveCount(0);
    await replay.button('Restore previous replay').click();
    await expect(replay.cells.first()).toContainText('First');

    await page.evaluate(() => {
      const { shell } = window.jupyterapp;
      const chats = [...shell.widgets('main')] as any[];
      chats.find(widget => widget.session)!.dispose();
    });
    await expect(replay.banner).toContainText(
      'The chat that it came from was closed.'
    );
    await replay.button('Restore previous replay').click();
    await expect(replay.cells.first()).toContainText('First');

    await page.evaluate(async path => {
      await window.jupyterapp.serviceManager.contents.delete(path);
    }, file);
    await expect(replay.banner).toContainText(
      'The chat that it came from was deleted.'
    );
  });

  test('of nothing, or of bytes that are not a request, says so in a notification @fresh', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const request = new RequestUI(chat);
    const replay = new Replay(page);
    const toast = (text: string) =>
      page.locator('.Toastify__toast', { hasText: text });
    const says = (text: string, name: string) =>
      toast(text).getByRole('button', { name });

    // An empty chat with an empty composer: there is nothing to reset either.
    await chat.execute('turnbook:replay', { pair: 'live' });
    const empty = 'Nothing to replay: the chat and the message are empty.';
    await expect(says(empty, 'Open request editor')).toBeVisible();
    await expect(says(empty, 'Reset the edits')).toHaveCount(0);
    await expect(replay.panel).toHaveCount(0);

    await chat.message.fill('Only this');
    await page.evaluate(() => {
      const { requests } = (window.jupyterapp.shell.currentWidget as any)
        .session;
      const draft = requests.live;
      draft.remove(draft.request.sections[0].id);
    });
    await chat.execute('turnbook:replay', { pair: 'live' });
    const deleted = 'every section of the request is deleted';
    await says(deleted, 'Open request editor').click();
    await expect(request.panel).toBeVisible();
    await expect(replay.panel).toHaveCount(0);
    await chat.execute('turnbook:replay', { pair: 'live' });
    await says(deleted, 'Reset the edits').last().click();
    await replay.open(chat);
    await replay.button('Back to conversation').click();

    await chat.say('Replayed before');
    await chat.expectState(0, 'succeeded');
    // A request without a replay yet.
    await chat.say('Sent');
    await chat.expectState(1, 'succeeded');
    const pair = (await chat.pair(1).getAttribute('data-turnbook-pair'))!;
    await page.route(/runs\/[^/]+\/request/, route =>
      route.fulfill({ body: 'no request' })
    );
    await chat.execute('turnbook:replay', { pair });
    const failed = 'The request could not be replayed; the chat is unchanged.';
    await expect(toast(failed)).toContainText('These bytes are not JSON');
    await expect(says(failed, 'Open request editor')).toBeVisible();
    await expect(page.locator('.jp-Dialog')).toHaveCount(0);
  });
});

test.describe('starting to chat', () => {
  test('sends the payload’s history byte for byte, then the new message', async ({
    page,
    provider,
    tmpPath,
    servers
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, SURVEY);
    await chat.message.fill('Plan it');
    // A history of every kind, as the snapshot editor could produce it.
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'first' },
      { role: 'user', content: 'second' },
      { role: 'assistant', content: '' },
      { role: 'system', content: 'Now be long.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }
        ]
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'look', arguments: '{"q": 1}' }
          }
        ]
      },
      { role: 'tool', tool_call_id: 'c1', content: 'found' },
      { role: 'assistant', content: 'It is there.' },
      { role: 'user', content: 'Plan it' }
    ];
    await page.evaluate(list => {
      const { requests } = (window.jupyterapp.shell.currentWidget as any)
        .session;
      const draft = requests.live;
      const { sections } = draft.request;
      sections.slice(0, -1).forEach(({ id }: any) => draft.remove(id));
      for (const { role, content, ...rest } of list.slice(0, -1) as any[]) {
        const id = draft.add({
          role,
          content: content ?? '',
          before: sections[sections.length - 1].id
        });
        draft.setMessage(id, { role, content, ...rest });
      }
      // Keys that Jupyter would sort when it saves them.
      draft.setOption('top_p', 0.5);
      draft.setOption('temperature', 0.25);
      draft.setOption('tools', [
        {
          type: 'function',
          function: { name: 'look', parameters: { type: 'object', a: 1 } }
        }
      ]);
      draft.setOption('response_format', { type: 'text' });
      draft.setOption('x-unknown', { b: 1, a: [null, 1.5] });
    }, messages);
    const before = onDisk(servers, file);
    const replay = new Replay(page);
    await replay.open(chat);
    const { payload, hash, version } = await replay.record();
    const history = JSON.parse(payload).messages;
    expect(history).toHaveLength(10);
    await replay.button('Start chatting from this replay').click();

    const fork = `${tmpPath}/prepared-replay.chat.ipynb`;
    await expect.poll(() => chat.path()).toBe(fork);
    await expect(chat.message).toBeFocused();
    await expect(replay.panel).toHaveCount(0);
    await expect(page.getByText('This chat continues from')).toBeVisible();
    await expect(
      page.getByRole('navigation', { name: 'Where this chat comes from' })
    ).toContainText('Started from replayed prompt');
    expect(await provider.completions()).toHaveLength(0);
    const saved = await chat.saved(fork, nb => !!nb.metadata.turnbook?.lineage);
    expect(saved.metadata.turnbook.lineage).toMatchObject({
      payloadHash: hash,
      version,
      locked: true
    });

    // Reopened, it shows what the file says.
    await chat.clean();
    await page.evaluate(() => window.jupyterapp.shell.currentWidget!.close());
    await chat.open(fork);
    const chips = chat.panel
      .getByRole('group', { name: 'Options of this chat' })
      .locator('[data-turnbook-chip]');
    const names = () =>
      chips.evaluateAll(nodes =>
        nodes.map(node => node.getAttribute('data-turnbook-chip'))
      );
    await expect
      .poll(names)
      .toEqual([
        'top_p',
        'temperature',
        'tools',
        'response_format',
        'x-unknown'
      ]);
    await chat.say('And then?');
    const [sent] = await provider.completions(1);
    const list = JSON.stringify(history).slice(0, -1);
    const withNew = (text: string) =>
      payload.replace(
        JSON.stringify(history),
        `${list},{"role":"user","content":"${text}"}]`
      );
    expect(sent.body).toBe(withNew('And then?'));
    expect(onDisk(servers, file).equals(before)).toBe(true);
    await chat.expectState(4, 'succeeded');

    // The panel shows them; an edit applies to one message, or to the chat.
    const panel = new RequestUI(chat);
    await panel.open();
    const part = await panel.openPart('Options');
    const field = part.getByRole('textbox', { name: 'temperature' });
    await expect(field).toHaveValue('0.25');
    await field.fill('0.75');
    await part.getByRole('button', { name: 'Keep for this chat' }).click();
    await expect(part.getByText('Edited')).toHaveCount(0);
    await chat.execute('docmanager:save');
    await chat.saved(
      fork,
      nb => nb.metadata.turnbook.options.temperature === 0.75
    );
    for (const name of await names()) {
      await chat.panel
        .locator(`[data-turnbook-chip="${name}"]`)
        .getByRole('button', { name: /^Remove/ })
        .click();
    }
    await expect(chips).toHaveCount(0);
    await expect(field).toHaveValue('');
    await chat.say('Plain');
    const [, plain] = await provider.completions(2);
    const { messages: _, ...frame } = JSON.parse(plain.body);
    expect(frame).toEqual({
      model: 'scripted',
      stream: true,
      stream_options: { include_usage: true }
    });
  });

  test('locks the replayed cells, and links back', async ({
    page,
    tmpPath
  }) => {
    const { chat, replay } = await replayMessage(page, tmpPath, 'Plan it');
    await replay.button('Start chatting from this replay').click();
    await expect(chat.message).toBeFocused();
    await expect(chat.pairs).toHaveCount(2);
    await chat.message.press('Escape');
    await page.keyboard.press('x');
    await page.keyboard.press('e');
    await expect(chat.pairs).toHaveCount(2);
    await expect(page.locator('.jp-Dialog')).toHaveCount(0);
    const editable = () =>
      page.evaluate(() =>
        (window.jupyterapp.shell.currentWidget as any).content.widgets.map(
          (cell: any) => !cell.readOnly
        )
      );
    expect(await editable()).toEqual([false, false, false]);
    // Read again, the file has new cells.
    await page.evaluate(() =>
      (window.jupyterapp.shell.currentWidget as any).context.revert()
    );
    expect(await editable()).toEqual([false, false, false]);

    // New pairs are ordinary.
    await chat.say('Mine');
    await chat.expectState(2, 'succeeded');
    await chat.deleteLastByKey();
    await expect(chat.pairs).toHaveCount(2);

    await page
      .getByRole('button', { name: 'Back to conversation', exact: true })
      .click();
    await expect.poll(() => chat.path()).toContain('prepared.chat.ipynb');
  });

  test('never overwrites, and says so when nothing can be written @fresh', async ({
    page,
    tmpPath,
    servers
  }) => {
    const { chat } = await openPrepared(page, tmpPath, SURVEY);
    await chat.message.fill('Plan it');
    const replay = new Replay(page);
    for (const name of ['prepared-replay', 'prepared-replay1']) {
      await replay.open(chat);
      await replay.button('Start chatting from this replay').click();
      await expect
        .poll(() => chat.path())
        .toBe(`${tmpPath}/${name}.chat.ipynb`);
      await chat.open(`${tmpPath}/prepared.chat.ipynb`);
    }
    await replay.open(chat);
    await page.route(/api\/contents\/.*/, (route, request) =>
      request.method() === 'POST'
        ? route.fulfill({
            status: 403,
            json: { message: 'Permission denied' }
          })
        : route.fallback()
    );
    await replay.button('Start chatting from this replay').click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('could not be written');
    await expect(dialog).toContainText('Permission denied');
    await dialog.getByRole('button').last().click();
    await expect(replay.badge).toBeVisible();
    expect(
      fs
        .readdirSync(path.join(servers.root, tmpPath))
        .filter(name => name.endsWith('.ipynb'))
        .sort()
    ).toEqual([
      'prepared-replay.chat.ipynb',
      'prepared-replay1.chat.ipynb',
      'prepared.chat.ipynb'
    ]);
  });
});

test.describe('automatic sending', () => {
  test.use({
    mockSettings: {
      'jupyterlab-turnbook:chat': { 'replay.autoSend': true, autoRetry: false }
    }
  });

  test('sends the payload unchanged and streams into the fork', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, replay } = await replayMessage(page, tmpPath, 'Plan it');
    const { payload } = await replay.record();
    await provider.script({
      steps: [{ delta: 'Here it is.' }, { finish: 'stop' }, { done: true }]
    });
    await replay.button('Start chatting from this replay').click();
    const toast = page.locator('.Toastify__toast', { hasText: 'continues' });
    await expect(toast).toContainText('The replayed prompt is being sent');
    await expect(toast).not.toContainText('Nothing was sent');
    await expect(chat.pairs.last()).toContainText('Here it is.');
    await chat.expectState(1, 'succeeded');
    const sent = await provider.completions();
    expect(sent).toHaveLength(1);
    expect(sent[0].body).toBe(payload);
  });
});

test.describe('a record', () => {
  test('is exported, verified, opened read-only, and a changed byte is detected', async ({
    page,
    provider,
    tmpPath,
    servers
  }) => {
    const { chat, replay } = await replayMessage(page, tmpPath, 'Plan it');
    const record = await replay.record();
    await replay.export('shared');
    const file = `${tmpPath}/shared.replay.ipynb`;
    const onServer = path.join(servers.root, file);
    const before = onDisk(servers, file);
    const saved = await chat.saved(file, () => true);
    expect(saved.metadata.turnbook.record).toEqual(record);

    expect(verify(onServer)).toEqual({
      status: 0,
      said: expect.stringContaining(record.hash)
    });
    const markdown = execFileSync(
      JUPYTER,
      ['nbconvert', '--to', 'markdown', '--stdout', onServer],
      { encoding: 'utf-8', stdio: ['ignore', 'pipe', 'ignore'] }
    );
    expect(markdown).toContain('Replayed prompt');
    expect(markdown).toContain('Lists older than three years.');

    // It opens as a replay, from which a chat can be started.
    await chat.execute('docmanager:open', { path: file });
    await expect(replay.banner).toContainText('from a record of chat');
    await expect(replay.cells).toHaveCount(3);
    await expect(replay.cells.last()).toContainText('Plan it');
    expect(onDisk(servers, file).equals(before)).toBe(true);
    await replay.button('Start chatting from this replay').click();
    await expect
      .poll(() => chat.path())
      .toBe(`${tmpPath}/shared-replay.chat.ipynb`);
    await expect(chat.pairs).toHaveCount(2);
    expect(onDisk(servers, file).equals(before)).toBe(true);

    fs.writeFileSync(
      onServer,
      before.toString('utf-8').replaceAll('older than three', 'older than four')
    );
    expect(verify(onServer)).toEqual({
      status: 1,
      said: expect.stringContaining('does not match its hash')
    });
    await chat.execute('docmanager:open', { path: file });
    await expect(replay.banner).toContainText('does not match its hash');

    fs.writeFileSync(onServer, JSON.stringify({ ...saved, metadata: {} }));
    await page.evaluate(async () => {
      await (window.jupyterapp.shell.currentWidget as any).context.revert();
      (window.jupyterapp.shell.currentWidget as any).refresh();
    });
    await expect(replay.banner).toContainText('not a replay record');
    expect(await provider.completions()).toHaveLength(0);
  });
});

test.describe('after a reload', () => {
  test('a replay that is not stored says so @fresh', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, SURVEY);
    await chat.message.fill('Plan it');
    const replay = new Replay(page);
    await replay.openAndKeepTab(chat);
    await page.reload({ waitForIsReady: false } as object);
    await expect(replay.banner).toContainText('Replay cleared', {
      timeout: 60_000
    });
    await expect(page.locator('.jp-Dialog')).toHaveCount(0);
    const databases = await page.evaluate(() => indexedDB.databases());
    expect(databases.map(({ name }) => name)).not.toContain('turnbook-replays');
  });
});

test.describe('with stored replays', () => {
  test.use({
    mockSettings: {
      'jupyterlab-turnbook:chat': { 'replay.persist': true, autoRetry: false }
    }
  });

  test('a replay survives a reload, with version and hash, and follows its request again @fresh', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, SURVEY);
    await chat.message.fill('Plan it');
    const replay = new Replay(page);
    await replay.openAndKeepTab(chat);
    const record = await replay.record();
    await page.reload({ waitForIsReady: false } as object);
    await expect(replay.badge).toBeVisible({ timeout: 60_000 });
    await expect(replay.cells).toHaveCount(3);
    await expect.poll(() => replay.record()).toEqual(record);

    const tab = page.getByRole('tab', { name: /^Replay/ });
    await replay.button('Back to conversation').click();
    await chat.message.fill('Plan it again');
    await tab.click();
    await expect(replay.cells.last()).toContainText('Plan it again');
    const next = await replay.record();
    expect(next.version).toBeGreaterThan(record.version);
    expect(next.hash).not.toBe(record.hash);
  });
});

test.describe('with replays turned off', () => {
  test.use({
    mockSettings: {
      'jupyterlab-turnbook:chat': { 'replay.enabled': false, autoRetry: false }
    }
  });

  test('their commands, buttons and list are hidden until they are turned on', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, SURVEY);
    await chat.message.fill('Plan it');
    const request = new RequestUI(chat);
    await request.open();
    const snapshot = await request.openPart('Session Snapshot');
    const ids = [
      'turnbook:replay',
      'turnbook:start-chatting',
      'turnbook:restore-replay',
      'turnbook:export-replay'
    ];
    // A command that is not registered is not visible either.
    const commands = () =>
      page.evaluate(
        all => ({
          known: all.filter(id => window.jupyterapp.commands.hasCommand(id)),
          visible: all.filter(id => window.jupyterapp.commands.isVisible(id)),
          canReplay: window.jupyterapp.commands.isEnabled('turnbook:replay')
        }),
        ids
      );
    const expectOn = async (isOn: boolean) => {
      await expect
        .poll(commands)
        .toEqual({ known: ids, visible: isOn ? ids : [], canReplay: isOn });
      const count = isOn ? 1 : 0;
      await expect(request.button('Replay edited prompt')).toHaveCount(count);
      await expect(
        snapshot.getByRole('button', { name: 'Apply & Replay' })
      ).toHaveCount(count);
      await expect(request.part('Replays')).toHaveCount(count);
    };
    await expectOn(false);
    await setSetting(page, 'replay.enabled', true);
    await expectOn(true);
  });
});
