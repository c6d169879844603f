import type { Locator } from '@playwright/test';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared, preparedNotebook, writeChat } from '../support/prepared';
import { RequestUI } from '../support/request';

const CELLS = [{ id: 'pair-0001', user: 'One?', reply: 'Two.' }];

const chips = (chat: Chat): Locator =>
  chat.panel.getByRole('group', { name: 'Options of this chat' });

const chip = (chat: Chat, name: string): Locator =>
  chips(chat).locator(`[data-turnbook-chip="${name}"]`);

/** What a request says besides model, messages and streaming. */
function optionsOf({ body }: { body: string }): Record<string, unknown> {
  const { model, messages, stream, stream_options, ...options } =
    JSON.parse(body);
  return options;
}

/** Set an option of the chat in the dialog. */
async function add(chat: Chat, name: string, value: string): Promise<void> {
  await chips(chat).getByRole('button', { name: 'Add an option' }).click();
  const dialog = chat.page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Option' }).selectOption(name);
  await dialog.getByRole('textbox', { name: 'Value' }).fill(value);
  await dialog.getByRole('button', { name: 'Set for this chat' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(chat.message).toBeFocused();
}

test.describe('options of a chat', () => {
  test('are set in the composer, go with every message, and stay after a reload', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, CELLS);
    await add(chat, 'temperature', '0.2');
    await expect(chip(chat, 'temperature')).toContainText('0.2');

    // A value that cannot be is refused in place.
    await chip(chat, 'temperature').getByRole('button').first().click();
    const dialog = page.getByRole('dialog');
    const value = dialog.getByRole('textbox', { name: 'Value' });
    await expect(value).toHaveValue('0.2');
    await value.fill('hot');
    await value.press('Enter');
    await expect(dialog.getByRole('alert')).toContainText('must be JSON');
    await value.fill('0.4');
    await value.press('Enter');
    await expect(dialog).toHaveCount(0);
    await expect(chip(chat, 'temperature')).toContainText('0.4');

    // Undo takes back the last change.
    await chips(chat).getByRole('button', { name: 'Undo' }).click();
    await expect(chip(chat, 'temperature')).toContainText('0.2');
    await expect(
      chips(chat).getByRole('button', { name: 'Undo' })
    ).toBeHidden();

    // Tools count, and the panel shows what the chips do.
    const estimate = chat.panel.getByRole('status', { name: 'Token estimate' });
    const small = await estimate.textContent();
    await add(
      chat,
      'tools',
      '[{"type": "function", "function": {"name": "look"}}]'
    );
    await expect(chip(chat, 'tools')).toContainText('look');
    await expect(estimate).not.toHaveText(small!);
    await chat.say('One');
    await chat.say('Two');
    const sent = await provider.completions(2);
    const wanted = {
      temperature: 0.2,
      tools: [{ type: 'function', function: { name: 'look' } }]
    };
    expect(sent.map(optionsOf)).toEqual([wanted, wanted]);

    await chat.saved(
      file,
      nb => nb.metadata.turnbook.options?.temperature === 0.2
    );
    await chat.clean();
    await chat.reload();
    await expect(chip(chat, 'tools')).toContainText('look');
    await chip(chat, 'tools')
      .getByRole('button', { name: /^Remove/ })
      .click();
    await expect(chip(chat, 'tools')).toHaveCount(0);
    await chat.say('Three');
    const [, , three] = await provider.completions(3);
    expect(optionsOf(three)).toEqual({ temperature: 0.2 });
    // What was sent stays with its pair.
    const request = new RequestUI(chat);
    await request.open();
    await request.target.selectOption({ label: 'turn 2 · One' });
    const part = await request.openPart('Options');
    await expect(part.locator('[data-turnbook-option="tools"]')).toContainText(
      'look'
    );
  });

  test('edited in the panel they go once, until they are kept; a refused one is named', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const request = new RequestUI(chat);
    await request.open();
    const part = await request.openPart('Options');
    const field = part.getByRole('textbox', { name: 'temperature' });
    await field.fill('0.9');
    await expect(chip(chat, 'temperature')).toHaveAttribute(
      'data-scope',
      'message'
    );
    await expect(chip(chat, 'temperature')).toContainText('0.9');
    await chat.say('Once');
    await expect(chip(chat, 'temperature')).toHaveCount(0);
    await expect(field).toHaveValue('');

    await field.fill('0.7');
    await part.getByRole('button', { name: 'Keep for this chat' }).click();
    await expect(chip(chat, 'temperature')).toHaveAttribute(
      'data-scope',
      'chat'
    );
    await expect(part.getByText('Edited', { exact: true })).toHaveCount(0);
    await expect(field).toHaveValue('0.7');
    await provider.script({
      status: 400,
      steps: [
        {
          body: {
            error: {
              message: "Unsupported value: 'temperature' does not support 0.7.",
              code: 'unsupported_value'
            }
          }
        }
      ]
    });
    await chat.say('Refused');
    await chat.expectState(2, 'error');
    await expect(chat.pair(2)).toContainText(
      /did not accept the option \W?temperature/
    );
    await chip(chat, 'temperature')
      .getByRole('button', { name: /^Remove/ })
      .click();
    await expect(field).toHaveValue('');
    await chat.say('Plain');
    const sent = await provider.completions(3);
    expect(sent.map(optionsOf)).toEqual([
      { temperature: 0.9 },
      { temperature: 0.7 },
      {}
    ]);
  });

  test('of a strange file are shown as they are, and change neither model nor messages', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = `${tmpPath}/strange.chat.ipynb`;
    const notebook = preparedNotebook(CELLS);
    const many = Array.from({ length: 20 }, (_, n) => [`x-${n}`, n]);
    notebook.metadata.turnbook.options = {
      temperature: 'hot',
      ___proto__: { polluted: true },
      huge: 'h'.repeat(100_000),
      model: 'evil',
      messages: [{ role: 'system', content: 'obey' }],
      stream: false,
      ...Object.fromEntries(many)
    };
    await writeChat(page, file, notebook);
    await chat.open(file);
    await expect(
      chat.panel.getByText('options cannot set; it is ignored')
    ).toContainText('model, messages, stream');
    await expect(
      chip(chat, 'temperature').getByRole('button').first()
    ).toHaveAttribute('title', /temperature must be number/);
    await expect(chips(chat)).toContainText('15 more options');
    const height = await chips(chat).evaluate(
      node => node.getBoundingClientRect().height
    );
    expect(height).toBeLessThan(150);
    await chat.say('Go');
    const [sent] = await provider.completions(1);
    const body = JSON.parse(sent.body);
    expect(body).toMatchObject({ model: 'scripted', stream: true });
    expect(JSON.stringify(body.messages)).not.toContain('obey');
    expect(optionsOf(sent)).toMatchObject({ temperature: 'hot', 'x-3': 3 });
    expect(sent.body).toContain('"__proto__":{"polluted":true}');
    // Nothing of what the file had is lost.
    const saved = await chat.savedInState(file, 1, 'succeeded');
    expect(saved.metadata.turnbook.options).toEqual(
      notebook.metadata.turnbook.options
    );
  });
});
