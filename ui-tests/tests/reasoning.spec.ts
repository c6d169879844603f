import type { Locator } from '@playwright/test';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import type { IScript } from '../support/provider';
import { messagesOf, RequestUI, setSetting } from '../support/request';
import { Searching } from '../support/searching';
import { call, Rounds } from '../support/tools';

const MIME = 'application/vnd.turnbook.reasoning+json';

/** A chunk with a delta of its own. */
const chunk = (delta: object) => ({
  chunk: { choices: [{ index: 0, delta }] }
});

const thinks = (text: string) => chunk({ reasoning_content: text });

const ENDED: IScript['steps'] = [{ finish: 'stop' }, { done: true }];

const reasoning = (chat: Chat, pair = 0): Locator =>
  chat.pair(pair).getByRole('group', { name: 'Reasoning' });

const outputsOf = (notebook: any, pair = 0): any[] =>
  notebook.cells.filter((cell: any) => cell.cell_type === 'code')[pair].outputs;

/** A reply with a thought before it. */
const thoughtful = (thought: string, text: string): IScript => ({
  steps: [thinks(thought), { tokens: text }, ...ENDED]
});

test.describe('reasoning', () => {
  test('streams into a disclosure, folds when the reply begins, and is kept', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await provider.script([
      {
        steps: [
          thinks('Two and '),
          { wait: 'first' },
          thinks('two are four.'),
          { wait: 'second' },
          { tokens: 'It is **four**.' },
          { wait: 'third' },
          ...ENDED
        ]
      }
    ]);
    await chat.say('2 + 2?');
    const group = reasoning(chat);
    const toggle = group.getByRole('button');
    await expect(toggle).toHaveText(/^Thinking…/);
    await expect(toggle).toHaveAttribute('aria-expanded', 'true');
    await expect(group.getByText('Two and')).toBeVisible();
    await expect(toggle).toHaveText(/^Thinking… \d+ s$/);
    await provider.release('first');
    await expect(group).toContainText('Two and two are four.');
    await provider.release('second');

    // The reply begins: what was thought is folded.
    await expect(chat.pair(0).locator('strong')).toHaveText('four');
    await expect(toggle).toHaveText(/^Thought for \d+ s$/);
    await expect(toggle).toHaveAccessibleName(/^Thought for \d+ s$/);
    await expect(toggle).toHaveAttribute('aria-expanded', 'false');
    await expect(group.getByText('Two and')).not.toBeVisible();

    // What the user opens stays open when the reply lands.
    await toggle.click();
    await provider.release('third');
    await chat.expectState(0, 'succeeded');
    await expect(group).toHaveCount(1);
    await expect(group.getByText('Two and two are four.')).toBeVisible();

    const notebook = await chat.saved(file, one => outputsOf(one).length === 2);
    const [thought, reply] = outputsOf(notebook);
    expect(thought.data[MIME]).toMatchObject({
      field: 'reasoning_content',
      text: 'Two and two are four.'
    });
    expect([thought.data['text/plain']].flat().join('')).toContain(
      'Two and two are four.'
    );
    expect(reply.data['text/markdown']).toBeTruthy();

    await chat.reload();
    await expect(reasoning(chat).getByRole('button')).toHaveText(
      /^Thought for \d+ s$/
    );
    await expect(reasoning(chat).getByRole('button')).toHaveAttribute(
      'aria-expanded',
      'false'
    );
  });

  test('is not sent after a turn without tools, and within one with tools as it came', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const rounds = new Rounds(chat, 1);
    await chat.create(tmpPath);
    const details = [
      { type: 'reasoning.text', text: 'Ask ', signature: null, index: 0 },
      { type: 'reasoning.encrypted', z: 1, data: 'QUJD', a: 2, index: 1 }
    ];
    await provider.script([
      thoughtful('A secret thought.', 'Hello.'),
      {
        steps: [
          chunk({ reasoning: 'Ask ', reasoning_details: details.slice(0, 1) }),
          chunk({ reasoning_details: [{ ...details[0], text: 'it.' }] }),
          chunk({ reasoning_details: details.slice(1) }),
          { tool_calls: [call(0, 'c', 'add', '{}')] },
          { finish: 'tool_calls' },
          { done: true }
        ]
      },
      thoughtful('So it is.', 'Four.'),
      thoughtful('Bye.', 'Bye.')
    ]);
    await chat.say('Hello?');
    await chat.expectState(0, 'succeeded');
    await chat.say('2 + 2?');
    await chat.expectState(1, 'succeeded');
    await expect(reasoning(chat, 1)).toHaveCount(1);
    await rounds.answer('add', '4');
    await expect(chat.pair(1)).toContainText('Four.');
    await chat.expectState(1, 'succeeded');
    await chat.say('Bye');
    await chat.expectState(2, 'succeeded');

    const bodies = (await provider.completions()).map(messagesOf);
    expect(JSON.stringify(bodies)).not.toContain('A secret thought.');
    const wanted = JSON.stringify([
      { ...details[0], text: 'Ask it.' },
      details[1]
    ]);
    for (const body of bodies.slice(2)) {
      const calling = body.find((message: any) => message.tool_calls);
      expect(JSON.stringify(calling.reasoning_details)).toBe(wanted);
    }
    expect(bodies[3].at(-2)).toMatchObject({
      content: 'Four.',
      reasoning_content: 'So it is.'
    });
  });

  test('that broke off is a version of the reply that started over', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await provider.script([
      { steps: [thinks('First try.'), { cut: true }] },
      thoughtful('Second try.', 'Done.')
    ]);
    await chat.say('Go');
    await chat.expectState(0, 'error');
    await expect(reasoning(chat)).toContainText('First try.');
    await chat.pair(0).getByRole('button', { name: 'Retry now' }).click();
    await expect(chat.pair(0)).toContainText('Done.');
    await chat.expectState(0, 'succeeded');
    await expect(reasoning(chat)).toHaveCount(1);
    await expect(reasoning(chat)).toContainText('Second try.');
    const notebook = await chat.saved(file, one => outputsOf(one).length === 2);
    const [version] = notebook.cells[0].metadata.turnbook_versions;
    expect(version.tools[0].data[MIME].text).toBe('First try.');
    const previous = chat
      .pair(0)
      .getByRole('button', { name: 'Previous version' });
    await previous.click();
    await expect(
      reasoning(chat).filter({ hasText: 'First try.' }).getByRole('button')
    ).toBeVisible();
  });

  test('is found by search, which opens it, and is never rendered', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const search = new Searching(chat);
    await chat.create(tmpPath);
    await provider.script([
      thoughtful('A <b>walrus</b> <img src=x onerror=alert(1)>', 'Fine.')
    ]);
    await chat.say('Think');
    await chat.expectState(0, 'succeeded');
    const text = reasoning(chat).getByText('walrus');
    await expect(text).not.toBeVisible();
    await expect(reasoning(chat).locator('b, img')).toHaveCount(0);
    await search.find('walrus');
    await expect(search.counter).toHaveText('1/1');
    await page.keyboard.press('Enter');
    await search.expectCurrent('walrus', reasoning(chat));
    await expect(text).toBeVisible();
  });

  test('is a section of its own in the Request panel, edited where it is plain', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const rounds = new Rounds(chat);
    const request = new RequestUI(chat);
    await chat.create(tmpPath);
    const signed = {
      type: 'reasoning.text',
      text: 'A signed thought.',
      signature: 'c2lnbmVk',
      index: 0
    };
    const encrypted = {
      type: 'reasoning.encrypted',
      z: 1,
      data: 'QUJD',
      a: 2,
      index: 1
    };
    const plain = { type: 'reasoning.text', text: 'A plain one.', index: 2 };
    await provider.script([
      {
        steps: [
          chunk({ reasoning_details: [signed] }),
          chunk({ reasoning_details: [encrypted] }),
          chunk({ reasoning_details: [plain] }),
          { tool_calls: [call(0, 'c', 'add', '{}')] },
          { finish: 'tool_calls' },
          { done: true }
        ]
      },
      thoughtful('So it is.', 'Four.'),
      thoughtful('Bye.', 'Bye.')
    ]);
    await chat.say('2 + 2?');
    await chat.expectState(0, 'succeeded');
    await rounds.answer('add', '4');
    await expect(chat.pair(0)).toContainText('Four.');
    await chat.expectState(0, 'succeeded');

    await chat.message.fill('Thanks');
    await request.open();
    const parts = request.panel.locator('[data-turnbook-kind="reasoning"]');
    await expect(parts).toHaveCount(2);
    for (const part of await parts.all()) {
      await part.getByRole('button', { name: 'reasoning' }).click();
    }
    // What the provider signed or encrypted is shown, and cannot be edited.
    await expect(parts.first()).toContainText('A signed thought.');
    await expect(parts.first()).toContainText(/signed · 85 bytes · sent as it/);
    await expect(parts.first()).toContainText(/encrypted · 66 bytes · sent as/);
    await expect(parts.first().getByRole('textbox')).toHaveCount(1);

    const before = await request.hash();
    await parts.first().getByRole('textbox').click();
    await request.replace('Another plain one.');
    await parts.last().getByRole('textbox').click();
    await request.replace('It was.');
    expect(await request.hash()).not.toBe(before);
    await page.keyboard.press('Control+z');
    await expect(parts.last()).toContainText('So it is.');
    await chat.message.focus();
    await chat.submit();
    await chat.expectState(1, 'succeeded');

    const { body } = (await provider.completions(3))[2];
    const messages = JSON.parse(body).messages;
    expect(messages[1].reasoning_details).toEqual([
      signed,
      encrypted,
      { ...plain, text: 'Another plain one.' }
    ]);
    // Byte for byte, whatever was edited beside it.
    expect(body).toContain(JSON.stringify(signed));
    expect(body).toContain(JSON.stringify(encrypted));
    expect(messages[3]).toMatchObject({
      content: 'Four.',
      reasoning_content: 'So it is.'
    });
  });

  test('stays open if the setting says so @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    await setSetting(page, 'reasoning.show', 'open');
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await provider.script([thoughtful('Hm.', 'Done.')]);
    await chat.say('Think');
    await expect(chat.pair(0)).toContainText('Done.');
    await chat.expectState(0, 'succeeded');
    const toggle = reasoning(chat).getByRole('button');
    await expect(toggle).toHaveAttribute('aria-expanded', 'true');
    await expect(reasoning(chat).getByText('Hm.')).toBeVisible();
    await setSetting(page, 'reasoning.show', undefined);
  });
});
