import { expect, test } from '../support/fixtures';
import { openPrepared, type Prepared } from '../support/prepared';
import { Replay, startFork } from '../support/replay';
import { messagesOf, RequestUI } from '../support/request';

const PAIRS: Prepared[] = [
  { id: 'first', user: 'One', reply: 'You said: One' },
  { id: 'second', user: 'Two', reply: 'A poor reply.' },
  { id: 'third', user: 'Three', reply: 'You said: Three' }
];

const SENT = [
  { role: 'user', content: 'One' },
  { role: 'assistant', content: 'You said: One' },
  { role: 'user', content: 'Two' }
];

test.describe('regenerate', () => {
  test('sends the same turn with the pairs above it, and keeps the earlier reply as a version', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, PAIRS);
    const pair = chat.pair(1);
    await provider.script({
      steps: [
        { delta: 'A better ' },
        { wait: 'rest' },
        { delta: 'reply.' },
        { finish: 'stop' },
        { done: true }
      ]
    });
    await chat.choose(1);
    await chat.tool(1, /^Regenerate/).click();
    await expect(pair).toContainText('A better');
    const [sent] = await provider.completions(1);
    expect(messagesOf(sent)).toEqual(SENT);
    await expect(pair).not.toContainText('A poor reply.');
    await expect(chat.pairs).toHaveCount(3);

    // While it is in progress the buttons say why they cannot be used.
    await chat.choose(0);
    for (const name of [/^Regenerate/, /^Edit & Resend/]) {
      await expect(chat.tool(0, name)).toBeDisabled();
      await expect(chat.tool(0, name)).toHaveAccessibleName(
        /: A reply in this chat is in progress/
      );
    }
    await page.keyboard.press('r');
    await provider.release('rest');
    await chat.expectState(1, 'succeeded');
    await expect(pair).toContainText('A better reply.');
    await expect(chat.tool(0, /^Regenerate/)).toBeEnabled();
    const notebook = await chat.saved(
      file,
      ({ cells: [, { metadata }] }) =>
        metadata.turnbook_run.state === 'succeeded' &&
        metadata.turnbook_run.requestHash === sent.sha256
    );
    const { metadata, source } = notebook.cells[1];
    expect(source).toBe('Two');
    expect(metadata.turnbook_versions).toMatchObject([
      { source: 'Two', reply: 'A poor reply.' }
    ]);

    // By key, with an earlier version shown; that one is not sent, and all versions stay.
    await chat.choose(1);
    await page.keyboard.press('[');
    await expect(pair.locator('.jp-Turnbook-pastVersion')).toContainText(
      'A poor reply.'
    );
    await page.keyboard.press('r');
    await expect(pair).toContainText('You said: Two');
    await chat.expectState(1, 'succeeded');
    await expect(pair).toContainText('3 / 3');
    await expect(chat.stop).toHaveCount(0);
    expect(messagesOf((await provider.completions(2))[1])).toEqual(SENT);

    // The first reply can be restored, and is what the next message sends.
    await pair.getByRole('button', { name: 'Previous version' }).click();
    await pair.getByRole('button', { name: 'Previous version' }).click();
    await pair.getByRole('button', { name: 'Restore' }).click();
    await expect(pair.locator('.jp-Turnbook-pastVersion')).toHaveCount(0);
    await expect(pair).toContainText('A poor reply.');
    await chat.say('Four');
    await chat.expectState(3, 'succeeded');
    expect(messagesOf((await provider.completions(3))[2])[3]).toEqual({
      role: 'assistant',
      content: 'A poor reply.'
    });
  });

  test('leaves the reply as it is when it is refused or its review is canceled', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, PAIRS);
    const request = new RequestUI(chat);
    const before = await chat.saved(file, () => true);
    const use = (name: string) =>
      page.evaluate(model => {
        (window.jupyterapp.shell.currentWidget as any).session.model = model;
      }, name);
    await use('nobody/none');
    await chat.choose(1);
    await chat.execute('turnbook:regenerate');
    await expect(chat.panel.getByRole('alert')).toContainText(
      'Nothing was sent'
    );
    await chat.expectState(1, 'succeeded');
    await expect(chat.pair(1)).toContainText('A poor reply.');
    await use('scripted/scripted');

    await chat.execute('turnbook:toggle-pause');
    await chat.choose(1);
    await chat.execute('turnbook:regenerate');
    await expect(
      request.panel.getByText('Paused before sending.')
    ).toBeVisible();
    await request.expectText(2, 'Two');
    await expect(chat.pair(1)).toContainText('A poor reply.');
    await request.button('Cancel send').click();
    await expect(chat.panel.getByText('Paused before sending.')).toHaveCount(0);
    await expect(
      chat.pair(1).getByRole('textbox', { name: 'Edited text' })
    ).toHaveCount(0);
    await expect(
      chat.pair(1).getByRole('button', { name: 'Previous version' })
    ).toHaveCount(0);
    expect(await provider.completions()).toHaveLength(0);
    await chat.execute('docmanager:save');
    const after = await chat.saved(file, () => true);
    expect(after.cells).toEqual(before.cells);

    // What is reviewed is what is sent.
    await chat.choose(1);
    await chat.execute('turnbook:regenerate');
    await expect(
      request.panel.getByText('Paused before sending.')
    ).toBeVisible();
    await request.expectText(2, 'Two');
    const hash = await request.hash();
    await request.button('Resume send').click();
    const [sent] = await provider.completions(1);
    expect(sent.sha256).toBe(hash);
    expect(messagesOf(sent)).toEqual(SENT);
    await expect(chat.pair(1)).toContainText('You said: Two');
  });

  test('is not for messages without a reply, nor for locked cells', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, [
      ...PAIRS.slice(0, 2),
      { id: 'failed', user: 'No reply', state: 'error' }
    ]);
    await chat.choose(2);
    await expect(chat.tool(2, /^Regenerate/)).toHaveAccessibleName(
      /: This message has no reply yet/
    );
    await startFork(chat, new Replay(page), 'And now?');
    await chat.choose(0);
    await expect(chat.tool(0, /^Regenerate/)).toBeDisabled();
    await expect(chat.tool(0, /^Regenerate/)).toHaveAccessibleName(
      /: This cell came with a replay and is locked/
    );
    await page.keyboard.press('r');
    expect(await provider.completions()).toHaveLength(0);
  });
});
