import { execFileSync } from 'child_process';
import * as path from 'path';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { messagesOf, RequestUI } from '../support/request';
import { call, calling, rollDice, Rounds, saying } from '../support/tools';

const python =
  process.env.TURNBOOK_PYTHON ?? path.join(__dirname, '../../.venv/bin/python');

const TOOL = 'application/vnd.turnbook.tool+json';

const toolOutputs = (notebook: any): any[] =>
  notebook.cells.flatMap((cell: any) =>
    (cell.outputs ?? []).filter((output: any) => output.data?.[TOOL])
  );

const sent = (index: number, id: string, name: string, given: string) => {
  const { index: _, ...rest } = call(index, id, name, given);
  return rest;
};

test.describe('tool calls', () => {
  test('are answered by hand, in rounds, and the turn continues @smoke @core', async ({
    page,
    provider,
    tmpPath
  }, info) => {
    const chat = new Chat(page);
    const rounds = new Rounds(chat);
    const file = await chat.create(tmpPath);
    await provider.script([
      {
        steps: [
          { delta: 'Let me **look**.' },
          {
            tool_calls: [
              {
                index: 0,
                id: 'c1',
                type: 'function',
                function: { name: 'weather', arguments: '' }
              }
            ]
          },
          { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
          { wait: 'half' },
          { tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] },
          { tool_calls: [call(1, 'c2', 'weather', '{"city":"Rome"}')] },
          { finish: 'tool_calls', usage: { completion_tokens: 9 } },
          { done: true }
        ]
      },
      calling('', call(0, 'c3', 'wind', '{}')),
      saying('Cold and calm.')
    ]);
    await chat.say('Weather in Oslo and Rome?');

    // While it streams, the call shows as far as it has arrived.
    await expect(rounds.calls.first()).toContainText('weather');
    await expect(rounds.calls.first()).toContainText('{"city":');
    await expect(rounds.continue).toHaveCount(0);
    await chat.expectState(0, 'awaiting');
    await provider.release('half');

    // The pair succeeded and waits; nothing was run and nothing more was sent.
    await chat.expectState(0, 'succeeded');
    await expect(rounds.calls).toHaveCount(2);
    await expect(rounds.rounds.locator('strong')).toHaveText('look');
    await expect(rounds.calls.nth(0)).toContainText('"city": "Oslo"');
    await expect(rounds.calls.nth(1)).toContainText('no result yet');
    await expect(rounds.node).toContainText('Turnbook runs no tools');
    expect(await provider.completions()).toHaveLength(1);

    // A result being written survives a reload.
    await rounds.result('weather', 0).fill('3 °C');
    await chat.message.focus();
    await chat.saved(
      file,
      nb => toolOutputs(nb)[0]?.data[TOOL].results.length === 1
    );
    await chat.reload();
    await expect(rounds.result('weather', 0)).toHaveValue('3 °C');
    await expect(rounds.calls.nth(0)).not.toContainText('no result yet');
    expect(await provider.completions()).toHaveLength(1);

    // Missing results are asked for, once.
    await rounds.continue.click();
    await expect(rounds.node).toContainText('A result is missing');
    await expect(rounds.result('weather', 1)).toBeFocused();
    expect(await provider.completions()).toHaveLength(1);
    await rounds.result('weather', 1).fill('{"temp": 21}');
    await rounds.result('weather', 1).press('Control+Enter');

    // The second round is below the first.
    await expect(rounds.calls).toHaveCount(3);
    await expect(rounds.result('wind')).toBeVisible();
    await chat.expectState(0, 'succeeded');
    await rounds.answer('wind', 'calm');
    await expect(rounds.node).toContainText('Cold and calm.');
    await chat.expectState(0, 'succeeded');
    await expect(rounds.continue).toHaveCount(0);
    await expect(chat.pairs).toHaveCount(1);

    const user = { role: 'user', content: 'Weather in Oslo and Rome?' };
    const first = [
      {
        role: 'assistant',
        content: 'Let me **look**.',
        tool_calls: [
          sent(0, 'c1', 'weather', '{"city":"Oslo"}'),
          sent(1, 'c2', 'weather', '{"city":"Rome"}')
        ]
      },
      { role: 'tool', tool_call_id: 'c1', content: '3 °C' },
      { role: 'tool', tool_call_id: 'c2', content: '{"temp": 21}' }
    ];
    const second = [
      {
        role: 'assistant',
        content: null,
        tool_calls: [sent(0, 'c3', 'wind', '{}')]
      },
      { role: 'tool', tool_call_id: 'c3', content: 'calm' }
    ];
    const bodies = (await provider.completions()).map(({ body }) => body);
    expect(bodies).toHaveLength(3);
    const messages = (body: string) =>
      JSON.stringify(JSON.parse(body).messages);
    expect(messages(bodies[1])).toBe(JSON.stringify([user, ...first]));
    expect(messages(bodies[2])).toBe(
      JSON.stringify([user, ...first, ...second])
    );

    // The next message includes the whole turn.
    await chat.say('Thanks');
    await chat.expectState(1, 'succeeded');
    expect(messages((await provider.completions())[3].body)).toBe(
      JSON.stringify([
        user,
        ...first,
        ...second,
        { role: 'assistant', content: 'Cold and calm.' },
        { role: 'user', content: 'Thanks' }
      ])
    );

    // A plain notebook shows it well, and its hash is that of the pair's last request.
    const notebook = await chat.saved(
      file,
      nb => nb.cells.length === 2 && toolOutputs(nb).length === 2
    );
    const requests = await provider.completions();
    expect(notebook.cells[0].metadata.turnbook_run.requestHash).toBe(
      requests[2].sha256
    );
    if (info.project.name === 'lab') {
      const text = execFileSync(
        python,
        [
          '-c',
          'import sys, nbformat, nbconvert; nb = nbformat.reads(sys.stdin.read(), 4); nbformat.validate(nb);' +
            'print(nbconvert.MarkdownExporter().from_notebook_node(nb)[0])'
        ],
        { input: JSON.stringify(notebook) }
      ).toString();
      expect(text).toContain('Tool call: weather');
      expect(text).toContain('Result of wind:');
      expect(text.indexOf('Result of wind:')).toBeLessThan(
        text.indexOf('Cold and calm.')
      );
    }
  });

  test('continue from an earlier round, and what came after is a version', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, rounds } = await rollDice(page, provider, tmpPath, [
      saying('You rolled one.'),
      saying('You rolled six.')
    ]);
    // All of a reply is there slightly before it is in the document.
    const ended = async () => {
      await chat.expectState(0, 'succeeded');
      await expect(chat.send).toBeVisible();
    };
    await rounds.answer('dice', '1');
    await expect(rounds.node).toContainText('You rolled one.');
    await ended();

    await rounds.node.getByRole('button', { name: 'Edit results' }).click();
    await expect(rounds.result('dice')).toBeFocused();
    await rounds.result('dice').press('Escape');
    await expect(rounds.result('dice')).toHaveCount(0);
    expect(await provider.completions()).toHaveLength(2);

    await rounds.node.getByRole('button', { name: 'Edit results' }).click();
    await rounds.answer('dice', '6');
    await expect(rounds.node).toContainText('You rolled six.');
    await expect(rounds.node).not.toContainText('You rolled one.');
    await ended();
    const { body } = (await provider.completions())[2];
    expect(JSON.parse(body).messages.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'a',
      content: '6'
    });

    await rounds.node.getByRole('button', { name: 'Previous version' }).click();
    await expect(rounds.node).toContainText('You rolled one.');
    const past = rounds.node.locator('.jp-Turnbook-pastVersion');
    await expect(past).toContainText('dice');
    await rounds.node.getByRole('button', { name: 'Restore' }).click();
    await expect(past).toHaveCount(0);
    await expect(rounds.node).toContainText('You rolled one.');
    await chat.say('And now?');
    await chat.expectState(1, 'succeeded');
    const last = JSON.parse((await provider.completions())[3].body).messages;
    expect(last.map((message: any) => message.content)).toEqual([
      'Roll',
      null,
      '1',
      'You rolled one.',
      'And now?'
    ]);
  });

  test('are paused for review when the turn continues, with the tools of the first request', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const rounds = new Rounds(chat);
    const request = new RequestUI(chat);
    await chat.create(tmpPath);
    await provider.script([
      calling('', call(0, 'a', 'dice', '{}')),
      saying('You rolled six.')
    ]);
    await chat.message.fill('Roll');
    await request.open();
    const options = await request.openPart('Options');
    const tools = [{ type: 'function', function: { name: 'dice' } }];
    await options.getByRole('textbox', { name: 'tools' }).click();
    await request.replace(JSON.stringify(tools));
    await expect(options.getByText('Edited')).toBeVisible();
    await chat.message.press('Enter');
    await expect(rounds.continue).toBeVisible();
    await chat.execute('turnbook:toggle-pause');
    await rounds.answer('dice', '5');
    const banner = request.panel.getByText('Paused before sending.');
    await expect(banner).toBeVisible();
    expect(await provider.completions()).toHaveLength(1);
    await expect(request.rows).toHaveCount(3);

    // After Cancel, the result is where it was written.
    await request.button('Cancel send').click();
    await expect(banner).toBeHidden();
    await expect(rounds.result('dice')).toHaveValue('5');
    await rounds.answer('dice', '6');
    await expect(banner).toBeVisible();
    const hash = await request.hash();
    await request.button('Resume send').click();
    await expect(rounds.node).toContainText('You rolled six.');
    const [first, second] = await provider.completions(2);
    expect(second.sha256).toBe(hash);
    expect(JSON.parse(first.body).tools).toEqual(tools);
    expect(JSON.parse(second.body).tools).toEqual(tools);
    expect(messagesOf(second).at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'a',
      content: '6'
    });
  });

  test('without a result cause a warning before the next message is sent', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, rounds } = await rollDice(page, provider, tmpPath, [
      saying('Fine.')
    ]);
    await chat.expectState(0, 'succeeded');
    const notice = chat.panel.getByText('A tool call above has no result');
    await expect(notice).toHaveCount(0);
    await chat.message.fill('Never mind');
    await expect(notice).toBeVisible();
    await chat.panel.getByRole('button', { name: 'Show call' }).click();
    await rounds.result('dice').fill('4');
    await chat.message.focus();
    await expect(notice).toHaveCount(0);
    await rounds.result('dice').fill('');
    await chat.message.focus();
    await expect(notice).toBeVisible();

    // It is a warning, not a block: the calls are sent as they are.
    await chat.message.press('Enter');
    await chat.expectState(1, 'succeeded');
    const { messages } = JSON.parse((await provider.completions())[1].body);
    expect(messages.map(({ role }: any) => role)).toEqual([
      'user',
      'assistant',
      'user'
    ]);

    // Removed calls are gone from the chat, and kept in a version.
    await rounds.node.getByRole('button', { name: 'Remove calls' }).click();
    await expect(rounds.calls).toHaveCount(0);
    await chat.message.fill('x');
    await expect(notice).toHaveCount(0);
    await rounds.node.getByRole('button', { name: 'Previous version' }).click();
    await expect(rounds.node).toContainText('dice');
  });

  test('that are interrupted or refused lose nothing', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, file, rounds } = await rollDice(page, provider, tmpPath, [
      { status: 400, steps: [{ body: { error: { message: 'Bad result' } } }] },
      saying('You rolled six.')
    ]);
    await rounds.answer('dice', 'seven');
    await chat.expectState(0, 'error');
    await expect(rounds.node).toContainText('Bad result');
    await expect(rounds.result('dice')).toHaveValue('seven');
    await rounds.answer('dice', '6');
    await chat.expectState(0, 'succeeded');
    await expect(rounds.node).toContainText('You rolled six.');

    // A reply stopped within a call keeps what arrived of it.
    await provider.script({
      steps: [
        { delta: 'Again.' },
        { tool_calls: [call(0, 'b', 'dice', '{"si')] },
        { stall: true }
      ]
    });
    await chat.say('Once more');
    const stopped = new Rounds(chat, 1);
    await expect(stopped.calls).toContainText('{"si');
    await chat.stop.click();
    await chat.expectState(1, 'canceled');
    await expect(stopped.node).toContainText('This call was cut off.');
    const notebook = await chat.saved(file, nb => toolOutputs(nb).length === 2);
    expect(toolOutputs(notebook)[1].metadata.turnbook.partial).toBe(true);
  });

  test('of any kind are shown as text and do no harm', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const rounds = new Rounds(chat);
    await chat.create(tmpPath);
    const evil = '<img src=x onerror="window.hurt = true">';
    const long = JSON.stringify({ text: 'x'.repeat(1_000_000) });
    await provider.script({
      steps: [
        {
          tool_calls: [
            call(0, 'a', evil, `{"html": ${JSON.stringify(evil)}}`),
            call(1, 'b', 'broken', '{"a": '),
            call(2, 'c', 'long', long)
          ]
        },
        { tool_calls: [null, 7, 'x', { index: 'one' }, { index: 3 }] },
        { tool_calls: [{ index: 3, function: { name: 5, arguments: [] } }] },
        { finish: 'stop' },
        { done: true }
      ]
    });
    await chat.say('Call');
    await chat.expectState(0, 'succeeded');
    await expect(rounds.calls).toHaveCount(4);
    await expect(rounds.calls.nth(0)).toContainText(evil);
    await expect(rounds.calls.nth(1)).toContainText('{"a": ');
    await expect(rounds.calls.nth(3)).toContainText('(no name)');
    const more = rounds.calls
      .nth(2)
      .getByRole('button', { name: 'Show all (1,000,011 characters)' });
    await expect(more).toHaveAttribute('aria-expanded', 'false');
    expect((await rounds.calls.nth(2).textContent())!.length).toBeLessThan(
      2_000
    );
    await more.click();
    await expect
      .poll(async () => (await rounds.calls.nth(2).textContent())!.length)
      .toBeGreaterThan(1_000_000);
    await rounds.calls
      .nth(2)
      .getByRole('button', { name: 'Show less' })
      .click();

    // Results are shown as text too.
    await rounds.result('broken').fill(evil);
    await chat.message.focus();
    await expect(rounds.node.locator('img')).toHaveCount(0);
    expect(await page.evaluate(() => (window as any).hurt)).toBeUndefined();

    // And all of it is sent back unchanged.
    for (const name of [evil, 'long', '(no name)']) {
      await rounds.result(name).fill('ok');
    }
    await rounds.continue.click();
    await expect(rounds.node).toContainText('You said: Call');
    const { messages } = JSON.parse((await provider.completions())[1].body);
    expect(messages[1].tool_calls[2].function.arguments).toBe(long);
    expect(messages[1].tool_calls[1].function.arguments).toBe('{"a": ');
    expect(messages[3].content).toBe(evil);
    expect(messages).toHaveLength(6);
  });
});
