import { execFileSync } from 'child_process';
import { writeFileSync } from 'fs';
import * as path from 'path';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';

const python =
  process.env.TURNBOOK_PYTHON ?? path.join(__dirname, '../../.venv/bin/python');

/** Reply outputs of a notebook. */
const replies = (notebook: any): any[] =>
  notebook.cells.flatMap((cell: any) =>
    (cell.outputs ?? []).filter((output: any) => output.metadata?.turnbook)
  );

const textOf = (value: string | string[]): string =>
  Array.isArray(value) ? value.join('') : value;

test.describe('a chat', () => {
  test('streams a reply into a cell and keeps it @smoke', async ({
    page,
    provider,
    tmpPath
  }, info) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    expect(file).toMatch(/\.chat\.ipynb$/);
    await provider.script({
      steps: [
        { wait: 'begin' },
        { delta: 'Paris is ' },
        { wait: 'more' },
        { delta: 'the **capital**.' },
        { finish: 'stop', usage: { completion_tokens: 5 } },
        { done: true }
      ]
    });
    await chat.say('What is the capital of France?');

    // The message shows at once, with a badge and no empty reply; the composer stays enabled.
    await expect(chat.pair(0)).toContainText('What is the capital of France?');
    await expect(chat.pair(0)).toContainText('thinking…');
    await expect(
      chat.panel.getByRole('button', { name: 'Thinking…' })
    ).toBeDisabled();
    await expect(chat.message).toHaveValue('');
    await chat.message.fill('my next thought');

    await provider.release('begin');
    await expect(chat.pair(0)).toContainText('Paris is');
    await expect(chat.pair(0)).not.toContainText('thinking…');
    await chat.expectState(0, 'awaiting');

    await provider.release('more');
    await chat.expectState(0, 'succeeded');
    await expect(chat.pair(0).locator('strong')).toHaveText('capital');
    await expect(chat.send).toBeEnabled();

    const notebook = await chat.saved(file, nb => replies(nb).length === 1);
    expect(textOf(replies(notebook)[0].data['text/markdown'])).toBe(
      'Paris is the **capital**.'
    );
    const requests = await provider.completions();
    expect(requests).toHaveLength(1);
    expect(notebook.cells[0].metadata.turnbook_run.requestHash).toBe(
      requests[0].sha256
    );
    expect(notebook.metadata.language_info.name).toBe('markdown');
    expect(JSON.stringify(notebook)).not.toContain('"trusted":true');

    // The file is a valid notebook and reads well elsewhere.
    const copy = info.outputPath('copy.ipynb');
    writeFileSync(copy, JSON.stringify(notebook));
    execFileSync(python, [
      '-c',
      'import nbformat, sys; nbformat.validate(nbformat.read(sys.argv[1], 4))',
      copy
    ]);
    const html = execFileSync(
      python,
      ['-m', 'nbconvert', '--to', 'html', '--stdout', copy],
      { stdio: ['ignore', 'pipe', 'ignore'] }
    ).toString();
    expect(html).toContain('What is the capital of France?');
    expect(html).toContain('<strong>capital</strong>');

    // After a reload everything is back: the reply, and the message being written.
    await chat.reload();
    await expect(chat.message).toHaveValue('my next thought');
    await expect(chat.pair(0)).toContainText('Paris is the capital.');
    await chat.expectState(0, 'succeeded');
    expect(await provider.completions()).toHaveLength(1);
  });

  test('continues after a reload in the middle of a reply @smoke @core', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await provider.script({
      steps: [
        { delta: 'before ' },
        { wait: 'reloaded' },
        { delta: 'after' },
        { finish: 'stop' },
        { done: true }
      ]
    });
    await chat.say('Tell me.');
    await expect(chat.pair(0)).toContainText('before');
    await chat.reload();
    await expect(chat.pair(0)).toContainText('before');
    await expect(
      chat.panel.getByRole('button', { name: 'Thinking…' })
    ).toBeVisible();
    // All commands are there, though the page was told to open this chat while it started.
    await expect(
      chat.panel.getByRole('button', { name: 'System', exact: true })
    ).toBeVisible();
    await provider.release('reloaded');
    await chat.expectState(0, 'succeeded');
    await expect(chat.pair(0)).toContainText('before after');
    const notebook = await chat.saved(file, nb => replies(nb).length === 1);
    expect(textOf(replies(notebook)[0].data['text/markdown'])).toBe(
      'before after'
    );
    expect(await provider.completions()).toHaveLength(1);
  });

  test('sends the visible cells, but not notes', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await chat.say('First?');
    await chat.expectState(0, 'succeeded');

    await chat.panel
      .getByRole('button', { name: 'System', exact: true })
      .click();
    await expect(
      chat.panel.locator('.jp-Turnbook-system .cm-content')
    ).toBeFocused();
    await page.keyboard.type('Be brief.');
    await page.keyboard.press('Escape');
    await chat.execute('turnbook:add-note');
    await expect(
      chat.panel.locator('.jp-Turnbook-note .cm-content')
    ).toBeFocused();
    await page.keyboard.type('A note to myself.');
    await page.keyboard.press('Shift+Enter');
    await expect(chat.panel.locator('.jp-Turnbook-note')).toContainText('note');
    await expect(chat.panel.locator('.jp-Turnbook-system')).toContainText(
      'system'
    );

    await chat.say('Second?');
    await chat.expectState(1, 'succeeded');
    const [, second] = await provider.completions();
    expect(JSON.parse(second.body).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'First?' },
      { role: 'assistant', content: 'You said: First?' },
      { role: 'user', content: 'Second?' }
    ]);
  });

  test('stops a reply and tells the model', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await provider.script({ steps: [{ delta: 'Once upon' }, { stall: true }] });
    await chat.say('A story, please.');
    await expect(chat.pair(0)).toContainText('Once upon');
    // Esc moves to the notebook and stops nothing.
    await chat.message.press('Escape');
    await expect(chat.message).not.toBeFocused();
    await chat.expectState(0, 'awaiting');
    await page.keyboard.press('i');
    await page.keyboard.press('i');
    await chat.expectState(0, 'canceled');
    await expect(chat.pair(0)).toContainText('Once upon');
    await expect(chat.pair(0)).toContainText('[INTERRUPTED]');
    await expect(chat.stop).toBeHidden();

    await page.keyboard.press('Enter');
    await expect(chat.message).toBeFocused();
    await chat.say('Another.');
    await chat.expectState(1, 'succeeded');
    const [, second] = await provider.completions();
    expect(JSON.parse(second.body).messages[1]).toEqual({
      role: 'assistant',
      content: 'Once upon\n\n[INTERRUPTED]'
    });
  });

  test('shows an error and retries on request', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await provider.script({
      status: 503,
      steps: [{ body: { error: { message: 'Overloaded for now' } } }]
    });
    await chat.say('Are you there?');
    await chat.expectState(0, 'error');
    await expect(chat.pair(0)).toContainText(/\[error: (server|503)\]/);
    await expect(chat.pair(0)).toContainText('Overloaded for now');
    await chat.pair(0).getByRole('button', { name: 'Retry now' }).click();
    await chat.expectState(0, 'succeeded');
    await expect(chat.pair(0)).toContainText('You said: Are you there?');
    const [first, second] = await provider.completions();
    expect(second.body).toBe(first.body);
  });

  test('returns a refused message to the composer', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await provider.script({ steps: [{ delta: 'busy' }, { stall: true }] });
    await chat.say('First tab');
    await expect(chat.pair(0)).toContainText('busy');

    // A page that does not know about the run asks for a second one in the same chat.
    const chatId = await page.evaluate(
      () =>
        (
          window.jupyterapp.shell.currentWidget as any
        ).context.model.getMetadata('turnbook').chatId
    );
    const status = await page.evaluate(
      async ([chatId, token]) => {
        const { serverSettings } = window.jupyterapp.serviceManager;
        const xsrf = document.cookie.match(/_xsrf=([^;]+)/)?.[1] ?? '';
        const response = await fetch(
          `${serverSettings.baseUrl}turnbook/api/runs`,
          {
            method: 'POST',
            headers: {
              'Content-Type': 'application/json',
              'X-XSRFToken': xsrf,
              ...(token ? { Authorization: `token ${token}` } : {})
            },
            body: JSON.stringify({
              id:
                crypto.randomUUID?.() ?? '00000000-0000-4000-8000-000000000001',
              chat: chatId,
              pair: 'other',
              cell: {
                cell_type: 'code',
                id: 'other',
                source: 'x',
                metadata: {},
                outputs: [],
                execution_count: null
              },
              after: null,
              provider: 'scripted',
              body: '{"model":"scripted","messages":[]}'
            })
          }
        );
        return response.status;
      },
      [chatId, '']
    );
    expect(status).toBe(409);
    expect(await provider.completions()).toHaveLength(1);

    // The provider is gone: the text returns to the composer and the pair is removed.
    await chat.stop.click();
    await chat.expectState(0, 'canceled');
    await page.evaluate(() => {
      const { session } = window.jupyterapp.shell.currentWidget as any;
      session.model = 'nobody/none';
    });
    await chat.message.fill('Not lost');
    await chat.submit();
    await expect(chat.panel.getByRole('alert')).toContainText(
      'Nothing was sent'
    );
    await expect(chat.message).toHaveValue('Not lost');
    await expect(chat.pairs).toHaveCount(1);
    const { cells } = await chat.saved(file, ({ cells }) =>
      cells.every(
        (cell: any) => cell.metadata.turnbook_run?.state === 'canceled'
      )
    );
    expect(cells.map((cell: any) => cell.source)).toEqual(['First tab']);
  });
});

test.describe('rendering', () => {
  test('shows markdown, math, tables and code with a copy button', async ({
    page,
    provider,
    tmpPath,
    context
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const reply = [
      '# Title',
      '',
      '| a | b |',
      '|---|---|',
      '| 1 | 2 |',
      '',
      'Euler: $e^{i\\pi} = -1$, or \\(a_1 + a_2\\), for $5 to $6.',
      '',
      '\\[',
      'x^2 < y',
      '\\]',
      '',
      '$$x$$',
      '',
      '```python',
      'def f(x):',
      '    return x + 1',
      '```'
    ].join('\n');
    await provider.script({
      steps: [{ tokens: reply, every: 5 }, { finish: 'stop' }, { done: true }]
    });
    await chat.say('Show me all.');
    await chat.expectState(0, 'succeeded');
    const pair = chat.pair(0);
    await expect(pair.getByRole('heading', { name: 'Title' })).toBeVisible();
    await expect(pair.getByRole('cell', { name: '2' })).toBeVisible();
    await expect(pair.locator('mjx-container')).toHaveCount(4);
    await expect(pair.locator('mjx-merror')).toHaveCount(0);
    await expect(pair.locator('p', { hasText: 'Euler' })).toContainText(
      'for $5 to $6.'
    );
    await expect(pair.locator('pre span[class]').first()).toBeVisible();
    await pair.locator('pre').hover();
    await pair.getByRole('button', { name: 'Copy code' }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe('def f(x):\n    return x + 1');
  });
});
