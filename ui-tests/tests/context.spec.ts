import { keepMessages, pairMessages } from '../../src/document/messages';
import { TOOL_MIME } from '../../src/document/rounds';
import { Chat } from '../support/chat';
import { Filtering } from '../support/filtering';
import { expect, test } from '../support/fixtures';
import { openPrepared, type Prepared } from '../support/prepared';
import { readScreen } from '../support/screen';

/** One of everything; few enough to fit on the screen. */
const CELLS: Prepared[] = [
  { id: 'system', system: 'Be brief.\nBe kind.' },
  {
    id: 'one',
    user: 'apples',
    reply: 'green',
    topic: 'ml/nlp',
    star: 1,
    days: 9
  },
  { id: 'memo', note: 'Never sent.' },
  { id: 'stopped', user: 'a story', reply: 'Once upon', state: 'canceled' },
  { id: 'failed', user: 'are you there', state: 'error', star: 2 },
  { id: 'broken', user: 'go on', reply: 'half of', state: 'error', days: 5 },
  {
    id: 'two',
    user: 'pears\n\nand plums',
    reply: 'yellow\n\nblue',
    topic: 'cooking',
    in: false
  },
  { id: 'three', user: 'apples again', reply: 'red', model: 'other/m', star: 3 }
];

/** A bitmap of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Filters, and which of the prepared cells give messages under them. */
const FILTERS: [string, string[]][] = [
  ['', ['system', 'one', 'stopped', 'failed', 'broken', 'two', 'three']],
  ['apples', ['system', 'one', 'three']],
  ['topic:ml/**', ['system', 'one']],
  ['star>=2 OR is:stopped', ['system', 'stopped', 'failed', 'three']],
  ['-is:system is:error', ['failed', 'broken']],
  ['is:stopped', ['system', 'stopped']],
  ['is:out OR model:other/*', ['system', 'two', 'three']],
  ['age>3d', ['system', 'one', 'broken']],
  ['-is:system -apples -is:error -user:question', ['stopped', 'two']],
  ['"no such words" OR id:three', ['system', 'three']],
  ['star:0 NOT user:question', ['system', 'stopped', 'broken', 'two']]
];

/** The ids that a list of ranges contains. */
function expand(ranges: [string, string, number][], order: string[]): string[] {
  return ranges.flatMap(([first, last, count]) => {
    const ids = order.slice(order.indexOf(first), order.indexOf(last) + 1);
    expect(ids).toHaveLength(count);
    return ids;
  });
}

test.describe('the context', () => {
  test('is what the screen shows, under any filter', async ({
    page,
    provider,
    tmpPath
  }) => {
    await page.setViewportSize({ width: 1280, height: 2000 });
    const { chat, file } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    const prepared = CELLS.map(({ id }) => id);
    const screens: string[][] = [];
    for (const [n, [text, expected]] of FILTERS.entries()) {
      await filter.apply(text);
      // A reply is drawn slightly later than its message.
      const replies = CELLS.filter(
        cell => 'reply' in cell && expected.includes(cell.id)
      ).length;
      await expect
        .poll(async () => {
          const { cells, messages } = await readScreen(chat);
          const drawn = messages.filter(({ role }) => role === 'assistant');
          return [
            cells.filter(id => prepared.includes(id)),
            drawn.length >= replies
          ];
        })
        .toEqual([expected, true]);
      await chat.message.fill(`question ${n}`);
      const screen = await readScreen(chat);
      const count = screen.cells.filter(id => id !== 'system').length;
      await expect(filter.counter).toHaveText(`${count} / ${count}`);
      await chat.message.press('Enter');
      const request = (await provider.completions(n + 1))[n];
      expect(JSON.parse(request.body)).toEqual({
        model: 'scripted',
        messages: [
          ...screen.messages,
          { role: 'user', content: `question ${n}` }
        ],
        stream: true,
        stream_options: { include_usage: true }
      });
      screens.push(screen.cells);
      await expect(chat.send).toBeVisible();
    }

    // The file says the same of each, and its hash is that of the provider's bytes.
    const notebook = await chat.saved(
      file,
      nb =>
        nb.cells.filter(
          (cell: any) => cell.metadata.turnbook_run?.state === 'succeeded'
        ).length ===
        FILTERS.length + 3
    );
    const order = notebook.cells.map((cell: any) => cell.id);
    const requests = await provider.completions();
    expect(requests).toHaveLength(FILTERS.length);
    for (const [n, cells] of screens.entries()) {
      const cell = notebook.cells[CELLS.length + n];
      expect(cell.source).toBe(`question ${n}`);
      const { context, requestHash } = cell.metadata.turnbook_run;
      expect(expand(context, order)).toEqual(cells);
      expect(requestHash).toBe(requests[n].sha256);
    }
  });

  test('can be verified: Show request has the exact bytes', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS.slice(0, 3));
    await chat.say('Prove it: "ünïcode" 🙂');
    await chat.expectState(1, 'succeeded');
    const [request] = await provider.completions();
    await chat.message.press('Escape');
    await chat
      .pair(1)
      .getByRole('button', { name: /^Show request/i })
      .click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('The hash agrees');
    await expect(dialog).toContainText(request.sha256);
    await expect(dialog).toContainText('Prove it: "ünïcode" 🙂');
    await dialog.getByRole('button', { name: 'Raw' }).click();
    const raw = dialog.getByRole('region', { name: 'Raw request' });
    await expect
      .poll(() => raw.evaluate(node => node.textContent))
      .toBe(request.body);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();

    // A manipulated record is detected.
    await page.evaluate(() => {
      const { content } = window.jupyterapp.shell.currentWidget as any;
      const { sharedModel } = content.activeCell.model;
      const run = sharedModel.getMetadata('turnbook_run');
      sharedModel.setMetadata('turnbook_run', {
        ...run,
        requestHash: '0'.repeat(64)
      });
    });
    const close = async () => {
      await expect(dialog.getByRole('button', { name: 'Close' })).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
    };
    const opened = chat.execute('turnbook:show-request');
    await expect(dialog).toContainText('The hash differs');
    await close();
    await opened;

    // For a pair that this journal does not know, it says so.
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    const second = chat.execute('turnbook:show-request');
    await expect(dialog).toContainText(
      'The journal no longer has this request'
    );
    await close();
    await second;
  });

  test('that differs from the text of a cell is shown next to it', async ({
    page,
    provider,
    tmpPath
  }) => {
    const picture = {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:,' } }
      ]
    };
    const secret = { role: 'user', content: 'Something else' };
    const pair = (id: string, user: string, kept: unknown) => ({
      id,
      user,
      reply: 'I see.',
      kept
    });
    const said = (user: string) => pairMessages({ user, reply: 'I see.' });
    const reply = { role: 'assistant', content: 'I see.' };
    const seen = 'What is this?\n\n[image]';
    const { chat } = await openPrepared(page, tmpPath, [
      pair('rich', seen, keepMessages([picture, reply], said(seen))),
      pair('crafted', 'Hello', keepMessages([secret], said('Hello'))),
      pair('broken', 'Good day', { json: '{', textHash: 'x' })
    ]);
    const json = (n: number) => chat.pair(n).locator('.jp-Turnbook-kept');
    await expect(json(0)).toContainText('Sent as JSON');
    await expect(json(0)).not.toContainText('image_url');
    await json(0).locator('summary').click();
    await expect(json(0)).toContainText('"image_url"');
    await expect(json(1)).toContainText('The text above is not what is sent');
    await expect(json(1).getByText('"Something else"')).toBeVisible();
    await expect(json(2)).toHaveCount(0);
    await expect(chat.panel).toContainText(
      'The messages kept in cell broken cannot be read; its text is sent instead.'
    );
    await chat.say('And now?');
    await chat.expectState(3, 'succeeded');
    const [sent] = await provider.completions();
    expect(JSON.parse(sent.body).messages).toEqual([
      picture,
      reply,
      secret,
      ...said('Good day'),
      { role: 'user', content: 'And now?' }
    ]);
  });

  test('of a stopped reply has the text that the cell shows', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const filter = new Filtering(chat);
    await expect(filter.counter).toHaveText('0 / 0');
    await provider.script([
      { steps: [{ delta: 'Once upon' }, { stall: true }] },
      { steps: [{ wait: 'never' }] }
    ]);
    await chat.say('A story');
    await expect(chat.pair(0)).toContainText('Once upon');
    await chat.stop.click();
    await chat.expectState(0, 'canceled');
    await expect(chat.send).toBeVisible();

    // One that was stopped before any text came.
    await chat.say('Another');
    await provider.completions(2);
    await chat.stop.click();
    await chat.expectState(1, 'canceled');
    await expect(chat.send).toBeVisible();
    // Text that is not sent is not shown either.
    await expect(chat.pair(0)).toContainText('[INTERRUPTED]');
    await expect(chat.pair(1)).not.toContainText('[INTERRUPTED]');
    await chat.message.fill('And now?');
    const screen = await readScreen(chat);
    await chat.submit();
    const request = (await provider.completions(3))[2];
    expect(JSON.parse(request.body).messages).toEqual([
      ...screen.messages,
      { role: 'user', content: 'And now?' }
    ]);
    expect(screen.messages).toEqual([
      { role: 'user', content: 'A story' },
      { role: 'assistant', content: 'Once upon\n\n[INTERRUPTED]' },
      { role: 'user', content: 'Another' }
    ]);
  });

  test('is what the screen shows, for any notebook', async ({
    page,
    provider,
    tmpPath
  }) => {
    await page.setViewportSize({ width: 1280, height: 3000 });
    const marks = {
      collapsed: true,
      scrolled: true,
      jupyter: { source_hidden: true, outputs_hidden: true }
    };
    const display = (data: object) => ({
      output_type: 'display_data',
      data,
      metadata: {}
    });
    const cell = (id: string, source: string, outputs: object[]) => ({
      cell_type: 'code',
      id,
      source,
      execution_count: null,
      metadata: marks,
      outputs
    });
    const result = { role: 'tool', tool_call_id: 'c1', content: 'answered' };
    const many = Array.from({ length: 60 }, (_, n) =>
      display({ 'text/plain': `line ${n}` })
    );
    const cells = [
      { cell_type: 'raw', id: 'sys', source: 'Be brief.', metadata: marks },
      {
        cell_type: 'markdown',
        id: 'memo',
        source: '# Memo',
        metadata: { ...marks, 'jp-MarkdownHeadingCollapsed': true }
      },
      cell('image', 'draw it', [
        display({ 'image/png': PNG, 'text/plain': 'unseen figure' })
      ]),
      cell('tool', 'look it up', [
        display({
          [TOOL_MIME]: { results: [result] },
          'text/markdown': 'unseen round',
          'text/plain': 'unseen too'
        })
      ]),
      cell('error', '1/0', [
        { output_type: 'stream', name: 'stdout', text: '10%\r100% done\n' },
        {
          output_type: 'error',
          ename: 'ZeroDivisionError',
          evalue: 'division by zero',
          traceback: ['\u001b[31mTraceback\u001b[0m', 'division by zero']
        }
      ]),
      cell('both', 'two kinds', [
        display({ 'text/plain': 'plain words' }),
        display({ 'text/markdown': 'marked words' })
      ]),
      cell('many', 'count', many)
    ];
    const file = `${tmpPath}/foreign.chat.ipynb`;
    await page.evaluate(
      async ([path, content]) => {
        await window.jupyterapp.serviceManager.contents.save(path, {
          type: 'notebook',
          format: 'json',
          content
        });
      },
      [
        file,
        { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 } as any
      ] as const
    );
    const chat = new Chat(page);
    await chat.open(file);
    await expect(chat.pairs).toHaveCount(5);
    for (const [n, text] of [
      [1, 'answered'],
      [2, 'division by zero'],
      [3, 'plain words'],
      [3, 'marked words'],
      [4, 'line 59']
    ] as const) {
      await expect(chat.pair(n)).toContainText(text);
    }

    // Neither the gutter nor the plain notebook's commands hide anything.
    const area = chat.pair(2).locator('.jp-Cell-outputArea');
    for (const place of ['.jp-OutputArea-promptOverlay', '.jp-Collapser']) {
      for (const gutter of await chat.pair(2).locator(place).all()) {
        await gutter.dispatchEvent('click');
      }
    }
    await expect(chat.pair(2)).not.toHaveClass(/jp-mod-outputsScrolled/);
    await expect(area).toBeVisible();
    for (const command of [
      'notebook:hide-all-cell-code',
      'notebook:hide-all-cell-outputs'
    ]) {
      await chat.execute(command);
    }

    await chat.message.fill('and now?');
    const screen = await chat.panel
      .locator('.jp-Turnbook-notebook')
      .evaluate(node => ({
        all: (node as HTMLElement).innerText,
        // The texts of pairs: messages, outputs and rounds, but no controls.
        texts: [
          ...node.querySelectorAll<HTMLElement>(
            '.jp-Turnbook-pair .cm-line, .jp-Turnbook-system .cm-line, .jp-Turnbook-text, .jp-Turnbook-pair .jp-Turnbook-markdown, .jp-Turnbook-longText-text'
          )
        ].map(part => part.innerText.trim())
      }));
    await chat.message.press('Enter');
    const [request] = await provider.completions(1);
    const { messages } = JSON.parse(request.body);
    const sent: string[] = messages.map(({ content }: any) => content);
    for (const line of sent.slice(0, -1).flatMap(one => one.split('\n'))) {
      expect(screen.all).toContain(line);
    }
    expect(screen.texts.length).toBeGreaterThan(60);
    for (const text of screen.texts) {
      expect(sent.join('\n')).toContain(text.replace(/^c1: /, ''));
    }
    expect(sent).toContain('100% done\n\nTraceback\ndivision by zero');
    expect(sent.join()).not.toContain('unseen');
    expect(await chat.panel.innerText()).not.toContain('unseen');
    await chat.expectState(5, 'succeeded');

    // The chat neither writes nor removes these marks.
    await chat.execute('docmanager:save');
    const notebook = await chat.saved(file, nb => nb.cells.length === 8);
    expect(
      notebook.cells
        .slice(0, 7)
        .map(({ metadata: { trusted: _, ...metadata } }: any) => metadata)
    ).toEqual(cells.map(({ metadata }) => metadata));
  });
});
