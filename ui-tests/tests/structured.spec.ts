import type { Locator } from '@playwright/test';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { preparedNotebook, writeChat } from '../support/prepared';
import type { IScript } from '../support/provider';
import { messagesOf } from '../support/request';
import { Searching } from '../support/searching';

const SCHEMA = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    id: { type: 'integer' },
    at: { type: 'array', items: { type: 'number', maximum: 90 } }
  },
  required: ['city'],
  additionalProperties: false
};

const FORMAT = {
  type: 'json_schema',
  json_schema: { name: 'city', schema: SCHEMA }
};

const view = (chat: Chat, pair = 0): Locator =>
  chat.pair(pair).getByRole('group', { name: 'Structured reply' });

const says = (text: string): IScript => ({
  steps: [{ delta: text }, { finish: 'stop' }, { done: true }]
});

/** Open the dialog for an option that is not set yet. */
async function openDialog(chat: Chat, name: string): Promise<Locator> {
  await chat.panel.getByRole('button', { name: 'Add an option' }).click();
  const dialog = chat.page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Option' }).selectOption(name);
  return dialog;
}

/** Ask for JSON in all replies of a chat. */
async function askFor(chat: Chat, format: object): Promise<void> {
  const dialog = await openDialog(chat, 'response_format');
  const value = dialog.getByRole('textbox', { name: 'Value' });
  await value.fill(JSON.stringify(format, null, 2));
  await value.press('Control+Enter');
  await expect(dialog).toHaveCount(0);
}

test.describe('structured output', () => {
  test('starts from a template, and says where it is wrong', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const dialog = await openDialog(chat, 'response_format');
    const value = dialog.getByRole('textbox', { name: 'Value' });
    await dialog.getByRole('button', { name: 'JSON with a schema' }).click();
    await expect(value).toContainText('"json_schema"');
    const set = dialog.getByRole('button', { name: 'Set for this chat' });

    await value.fill('{\n  "type": "json_object",\n}');
    await set.click();
    await expect(dialog.getByRole('alert')).toContainText(
      'This is not JSON: line 3, column 1.'
    );
    const wrong = {
      ...FORMAT,
      json_schema: { name: 'city', schema: { type: 'objekt' } }
    };
    await value.fill(JSON.stringify(wrong, null, 2));
    await set.click();
    await expect(dialog.getByRole('alert')).toContainText(
      /type must be one of .*"object".* \(line 6, column 15\)/
    );
    // The cursor is there.
    await expect(value).toBeFocused();
    await expect(value).toContainText('objekt');

    await dialog.getByRole('button', { name: 'Any JSON' }).click();
    await set.click();
    await expect(dialog).toHaveCount(0);
    await expect(
      chat.panel.locator('[data-turnbook-chip="response_format"]')
    ).toContainText('json_object');
    await provider.script(says('{"a": 1}'));
    await chat.say('Any');
    await chat.expectState(0, 'succeeded');
    await expect(view(chat)).toContainText('JSON');
    const [sent] = await provider.completions(1);
    expect(JSON.parse(sent.body).response_format).toEqual({
      type: 'json_object'
    });
  });

  test('is checked, shown as a tree, copied as it came, and sent on as it came', async ({
    context,
    page,
    provider,
    tmpPath
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await askFor(chat, FORMAT);
    // A number that no double has, a key that comes twice, and a value that is too large.
    const json =
      '{ "city": "Bern",\n  "city": "Z\\u00fcrich",\n  "id": 12345678901234567890, "at": [46.90, 97] }';
    await provider.script({
      steps: [
        { delta: json.slice(0, 20) },
        { wait: 'gate' },
        { delta: json.slice(20) },
        { finish: 'stop' },
        { done: true }
      ]
    });
    await chat.say('Where?');
    await expect(chat.pair(0)).toContainText('"city": "Bern"');
    await expect(view(chat)).toHaveCount(0);
    await provider.release('gate');
    await chat.expectState(0, 'succeeded');

    const group = view(chat);
    await expect(group).toContainText('1 error');
    const errors = group.getByRole('list', { name: 'Errors' });
    await expect(errors).toContainText('at.1 must be <= 90');
    const column = json.split('\n')[2].indexOf('97') + 1;
    await errors
      .getByRole('button', { name: `line 3, column ${column}`, exact: true })
      .click();
    const tree = group.locator('.jp-Turnbook-tree');
    const wrong = tree.locator('.jp-mod-wrong');
    await expect(wrong).toBeFocused();
    await expect(wrong).toContainText('97');
    await expect(tree).toContainText('12345678901234567890');
    await expect(tree).toContainText('46.90');
    await expect(tree).toContainText('"Zürich"');
    await expect(tree.getByText('"Bern"').locator('..')).toContainText(
      'repeated below'
    );

    await group.getByRole('button', { name: 'Copy JSON' }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(json);

    const text = group.locator('.jp-Turnbook-structured-text');
    await expect(text).not.toBeVisible();
    const toggle = group.getByRole('button', { name: 'Show text' });
    await toggle.focus();
    await page.keyboard.press('Enter');
    await expect(text).toBeVisible();
    await expect(text).toHaveText(json, { useInnerText: false });
    await expect(tree).not.toBeVisible();
    await group.getByRole('button', { name: 'Show tree' }).click();
    await expect(tree).toBeVisible();

    await provider.script(says('{"city": "Bern"}'));
    await chat.say('And now?');
    await chat.expectState(1, 'succeeded');
    await expect(view(chat, 1)).toContainText('matches the schema city');
    const sent = await provider.completions(2);
    expect(messagesOf(sent[1])[1]).toEqual({
      role: 'assistant',
      content: json
    });
    await chat.savedInState(file, 1, 'succeeded');
    await chat.clean();
    await chat.reload();
    await expect(view(chat)).toContainText('1 error');
  });

  test('knows code blocks, words, and replies that were stopped', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await askFor(chat, FORMAT);
    await provider.script([
      says('```json\n{"city": "Bern"}\n```'),
      says('I **cannot** say.')
    ]);
    await chat.say('In a block');
    await expect(view(chat)).toContainText('matches the schema city');
    await expect(view(chat)).toContainText('in a code block');
    await chat.say('Not at all');
    await expect(view(chat, 1)).toContainText('Not JSON: line 1, column 1');
    await expect(chat.pair(1).locator('strong')).toHaveText('cannot');
    await expect(
      view(chat, 1).getByRole('button', { name: 'Show text' })
    ).toHaveCount(0);

    await chat.sayGated(provider, 'Stop', '{"city": ', 'stopped', '1}');
    await chat.stop.click();
    await chat.expectState(2, 'canceled');
    await expect(view(chat, 2)).toContainText('Incomplete');
    await expect(chat.pair(2)).toContainText('{"city":');
  });

  test('is found by search, which shows its text', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const search = new Searching(chat);
    await chat.create(tmpPath);
    await askFor(chat, { type: 'json_object' });
    const deep = '{"a": {"b": {"c": {"d": {"e": "walrus"}}}}}';
    await provider.script(says(deep));
    await chat.say('Deep');
    await chat.expectState(0, 'succeeded');
    const text = view(chat).locator('.jp-Turnbook-structured-text');
    await expect(view(chat).getByText('walrus')).not.toBeVisible();
    await search.find('walrus');
    await expect(search.counter).toHaveText('1/1');
    await page.keyboard.press('Enter');
    await search.expectCurrent('walrus', text);
    await expect(text).toBeVisible();
  });

  test('of a hostile file neither freezes nor breaks the page', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    const wide = JSON.stringify(
      Array.from({ length: 40_000 }, (_, n) => ({ [`key ${n}`]: n }))
    );
    const replies: [string, object][] = [
      [JSON.stringify('a'.repeat(60) + '!'), { pattern: '^(a+)+$' }],
      [deep, { items: { $ref: '#' } }],
      [wide, { items: { type: 'string' } }],
      ['{"__proto__": {"polluted": 1}, "\\ud800": "\\ud800"}', {}],
      ['{"a": 1}', { $ref: 'https://example.org/schema.json' }]
    ];
    const notebook = preparedNotebook(
      replies.map(([reply], n) => ({
        id: `pair-000${n}`,
        user: `Message ${n}`,
        reply
      }))
    );
    replies.forEach(([, schema], n) => {
      notebook.cells[n].metadata.turnbook_run.options = {
        response_format: {
          type: 'json_schema',
          json_schema: { name: '<b>x</b>', schema }
        }
      };
    });
    const file = `${tmpPath}/hostile.chat.ipynb`;
    await writeChat(page, file, notebook);
    await chat.open(file);
    const found = [
      'not checked: the check took too long',
      /matches the schema|not checked/,
      '40000 errors',
      'matches the schema <b>x</b>',
      'not checked: '
    ];
    for (const [n, words] of found.entries()) {
      const pair = chat.panel.locator(`[data-turnbook-pair="pair-000${n}"]`);
      await pair.scrollIntoViewIfNeeded();
      await expect(pair.getByRole('group', { name: 'Structured reply' }))
        // The worker takes its time for the first.
        .toContainText(words);
    }
    const odd = chat.panel.locator('[data-turnbook-pair="pair-0003"]');
    await expect(odd.locator('.jp-Turnbook-tree')).toContainText('\\ud800');
    await expect(odd.locator('.jp-Turnbook-structured b')).toHaveCount(0);
    expect(await page.evaluate(() => ({}) as Record<string, unknown>)).toEqual(
      {}
    );
    // The chat still works.
    await provider.script(says('Fine.'));
    await chat.say('Still there?');
    await expect(chat.panel).toContainText('Fine.');
    const [sent] = await provider.completions(1);
    expect(messagesOf(sent).at(-2).content).toBe('{"a": 1}');
  });
});
