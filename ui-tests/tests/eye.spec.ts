import type { Locator } from '@playwright/test';

import { Axe } from '../support/axe';
import { Chat } from '../support/chat';
import { Filtering } from '../support/filtering';
import { expect, test } from '../support/fixtures';
import { preparedNotebook, writeChat } from '../support/prepared';
import type { ScriptedProvider } from '../support/provider';
import { messagesOf, RequestUI } from '../support/request';
import { call, Rounds } from '../support/tools';

const thinks = (text: string) => ({
  chunk: { choices: [{ index: 0, delta: { reasoning_content: text } }] }
});

const eye = (pair: Locator, name: string | RegExp) =>
  pair.getByRole('button', { name, exact: true });

const CALL = {
  id: 'c',
  type: 'function',
  function: { name: 'add', arguments: '{}' }
};

const ROUND = {
  role: 'assistant',
  content: null,
  tool_calls: [CALL],
  reasoning_content: 'I should add.'
};

const RESULT = { role: 'tool', tool_call_id: 'c', content: '4' };

const REPLY = {
  role: 'assistant',
  content: 'It is four.',
  reasoning_content: 'So it is.'
};

const USER = { role: 'user', content: '2 + 2?' };

/** A chat with a turn that thinks, calls a tool, thinks again and replies. */
async function tooled(
  chat: Chat,
  provider: ScriptedProvider,
  folder: string
): Promise<string> {
  const file = await chat.create(folder);
  await provider.script([
    {
      steps: [
        thinks('I should add.'),
        { tool_calls: [call(0, 'c', 'add', '{}')] },
        { finish: 'tool_calls' },
        { done: true }
      ]
    },
    {
      steps: [
        thinks('So it is.'),
        { tokens: 'It is four.' },
        { finish: 'stop' },
        { done: true }
      ]
    }
  ]);
  await chat.say('2 + 2?');
  await new Rounds(chat, 0).answer('add', '4');
  await expect(chat.pair(0)).toContainText('It is four.');
  await chat.expectState(0, 'succeeded');
  await chat.saved(file, ({ cells: [cell] }) => cell.outputs.length === 4);
  return file;
}

test.describe('the eye', () => {
  test('keeps any part of a turn out of the bytes, and out of the Request panel', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    const file = await tooled(chat, provider, tmpPath);
    const pair = chat.pair(0);
    let count = 2;
    let asked = 0;
    /** The messages of the first turn that the next request has. */
    const sent = async (): Promise<unknown[]> => {
      const text = `Next ${++asked}`;
      await chat.say(text);
      await chat.expectState(asked, 'succeeded');
      count += 1;
      const all = await provider.completions(count);
      const messages = messagesOf(all[count - 1]);
      const end = messages.findIndex(({ content }) => content === 'Next 1');
      return messages.slice(0, end);
    };
    const whole = await sent();
    expect(whole).toEqual([USER, ROUND, RESULT, REPLY]);

    // A round, with its reasoning: calls and results go together.
    await eye(pair, /^Do not send tool calls 1/).click();
    await expect(eye(pair, /^Send tool calls 1/)).toBeFocused();
    await expect(new Rounds(chat, 0).rounds).toHaveClass(/jp-mod-unsent/);
    await expect(new Rounds(chat, 0).rounds).toContainText('not sent');
    expect(await sent()).toEqual([
      USER,
      { role: 'assistant', content: 'It is four.' }
    ]);

    // Undo is one step, from the keyboard.
    await chat.choose(0);
    await page.keyboard.press('Control+Z');
    await expect(eye(pair, /^Do not send tool calls 1/)).toBeVisible();
    await expect(pair.getByText('not sent')).toHaveCount(0);
    expect(await sent()).toEqual([USER, ROUND, RESULT, REPLY]);

    // Reasoning, by key.
    const last = eye(pair, 'Do not send the reasoning').last();
    await last.focus();
    await page.keyboard.press('Space');
    const { reasoning_content: _, ...plain } = REPLY;
    expect(await sent()).toEqual([USER, ROUND, RESULT, plain]);

    // The reply; what is shown is what is sent.
    await eye(pair, 'Do not send the reply').focus();
    await page.keyboard.press('Enter');
    await expect(eye(pair, 'Send the reply')).toBeVisible();
    await expect(pair).toContainText('It is four.');
    await chat.execute('turnbook:toggle-request-editor');
    await request.expectText(0, '2 + 2?');
    await expect(request.panel).toContainText('Next 1');
    await expect(request.panel).not.toContainText('It is four.');
    expect(await sent()).toEqual([USER, ROUND, RESULT]);
    await chat.execute('docmanager:save');
    const notebook = await chat.saved(
      file,
      ({ cells: [cell] }) => cell.outputs[3].metadata.turnbook.sent === false
    );
    expect(
      notebook.cells[0].outputs.map((one: any) => one.metadata.turnbook.sent)
    ).toEqual([undefined, undefined, false, false]);
    await chat.execute('turnbook:toggle-request-editor');

    // Everything: the message remains. And again everything, byte for byte as in the beginning.
    await eye(pair, /^Do not send tool calls 1/).click();
    await eye(pair, 'Do not send the reasoning').click();
    expect(await sent()).toEqual([USER]);
    for (const name of [
      /^Send tool calls 1/,
      'Send the reasoning',
      'Send the reasoning',
      'Send the reply'
    ]) {
      await eye(pair, name).first().click();
    }
    await expect(pair.getByText('not sent')).toHaveCount(0);
    expect(JSON.stringify(await sent())).toBe(JSON.stringify(whole));
  });

  test('is found by has:unsent, looks right, and stays after a reload', async ({
    page,
    provider,
    tmpPath
  }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const axe = new Axe(page);
    const chat = new Chat(page);
    const filtering = new Filtering(chat);
    const file = await tooled(chat, provider, tmpPath);
    await chat.say('Other?');
    await chat.expectState(1, 'succeeded');
    const pair = chat.pair(0);
    const tokens = () =>
      page.evaluate<number>(
        () =>
          (window.jupyterapp.shell.currentWidget as any).session.budgets.state
            .total
      );
    const before = await tokens();
    for (const name of [
      /^Do not send tool calls/,
      'Do not send the reasoning',
      'Do not send the reasoning',
      'Do not send the reply'
    ]) {
      await eye(pair, name).first().click();
    }
    await expect(pair.getByText('not sent')).toHaveCount(4);
    await expect.poll(tokens).toBeLessThan(before);
    await axe.expectNothing(
      'parts that are not sent',
      '[data-turnbook-pair]:first-of-type'
    );
    await chat.execute('docmanager:save');
    await chat.saved(
      file,
      ({ cells: [cell] }) => cell.outputs[3].metadata.turnbook.sent === false
    );
    await chat.clean();
    await chat.reload();
    await expect(pair.getByText('not sent')).toHaveCount(4);
    await filtering.apply('has:unsent');
    await expect(chat.pairs).toHaveCount(1);
    await expect(pair).toContainText('2 + 2?');
    // A text that is not sent is still found.
    await filtering.apply('reply:"is four"');
    await expect(chat.pairs).toHaveCount(1);
    await filtering.apply('-has:unsent');
    await expect(chat.pairs).toHaveCount(1);
    await expect(pair).toContainText('Other?');
  });

  test('keeps a file out, and a round that waits from going on', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const choosing = page.waitForEvent('filechooser');
    await chat.panel
      .getByRole('button', { name: 'Attach', exact: true })
      .click();
    await (
      await choosing
    ).setFiles([
      {
        name: 'notes.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('A secret.')
      }
    ]);
    await expect(
      chat.panel.getByRole('list', { name: 'Attachments' })
    ).toContainText('notes.txt');
    await provider.script([
      {
        steps: [
          { tool_calls: [call(0, 'c', 'add', '{}')] },
          { finish: 'tool_calls' },
          { done: true }
        ]
      }
    ]);
    await chat.say('2 + 2?');
    const rounds = new Rounds(chat, 0);
    await expect(rounds.continue).toBeVisible();
    await chat.expectState(0, 'succeeded');
    const pair = chat.pair(0);
    await eye(pair, 'Do not send notes.txt').click();
    await expect(eye(pair, 'Send notes.txt')).toBeFocused();
    await eye(pair, /^Do not send tool calls 1/).click();
    await expect(rounds.continue).toHaveCount(0);
    await chat.say('Next');
    await chat.expectState(1, 'succeeded');
    const [first, second] = await provider.completions(2);
    expect(first.body).toContain('A secret.');
    expect(messagesOf(second)).toEqual([
      USER,
      { role: 'user', content: 'Next' }
    ]);
    await eye(pair, /^Send tool calls 1/).click();
    await rounds.answer('add', '4');
    const third = (await provider.completions(3))[2];
    await chat.expectState(0, 'succeeded');
    expect(messagesOf(third)).toEqual([
      USER,
      { role: 'assistant', content: null, tool_calls: [CALL] },
      RESULT
    ]);

    // What is not sent is dimmed at once, also while the streamed text is still in the page.
    await eye(pair, 'Do not send the reply').click();
    await expect(pair).toHaveClass(/jp-mod-replyUnsent/);
    expect(
      await pair.evaluate(node => node.classList.contains('jp-mod-live'))
    ).toBe(false);
  });

  test('reads odd marks in a file as sent, and nothing but false as not sent', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const odd = ['false', null, 0, [], {}, false];
    const notebook = preparedNotebook(
      odd.map((_, n) => ({ id: `odd-${n}`, user: `Q${n}`, reply: `A${n}` }))
    );
    odd.forEach((sent, n) => {
      notebook.cells[n].outputs[0].metadata.turnbook.sent = sent;
    });
    // Kept messages bring nothing back.
    notebook.cells[5].metadata.turnbook_messages = {
      json: JSON.stringify([{ role: 'assistant', content: 'Kept.' }]),
      textHash: 'any'
    };
    const file = `${tmpPath}/odd.chat.ipynb`;
    await writeChat(page, file, notebook);
    await chat.open(file);
    await expect(chat.pair(5).getByText('not sent')).toHaveCount(1);
    await expect(chat.panel.getByText('not sent')).toHaveCount(1);
    await chat.say('Next');
    await chat.expectState(6, 'succeeded');
    const [sent] = await provider.completions(1);
    expect(messagesOf(sent).map(({ content }) => content)).toEqual([
      ...['Q0', 'A0', 'Q1', 'A1', 'Q2', 'A2', 'Q3', 'A3', 'Q4', 'A4'],
      ...['Q5', 'Next']
    ]);
  });
});
