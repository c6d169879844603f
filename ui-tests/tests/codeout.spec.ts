import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { Beside, code } from '../support/beside';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { gated } from '../support/provider';
import { openPrepared, type Prepared } from '../support/prepared';
import { Replay } from '../support/replay';

const CODE = 'import math\n\nprint(  math.pi )\t# exact ';

const REPLY = `Here:\n\n\`\`\`python\n${CODE}\n\`\`\`\n\nDone.`;

const PAIRS: Prepared[] = [
  { id: 'first', user: 'Show me pi', reply: REPLY },
  {
    id: 'second',
    user: 'And?',
    reply: 'No code, **but** <b onclick=x>this</b>.'
  }
];

/** A notebook with a kernel, which could run something. */
async function withNotebook(
  page: IJupyterLabPageFixture,
  folder: string,
  sources = ['a = 1', 'b = 2']
): Promise<string> {
  const path = `${folder}/work.ipynb`;
  const cells = sources.map(source => code(source));
  await new Beside(page).prepare(path, cells, true);
  return path;
}

/** The cells of an open notebook. */
const cellsOf = (page: IJupyterLabPageFixture, path: string): Promise<any[]> =>
  page.evaluate(path => {
    for (const widget of window.jupyterapp.shell.widgets('main')) {
      const { context, content } = widget as any;
      if (context?.path === path) {
        return content.model.sharedModel.toJSON().cells;
      }
    }
    return [];
  }, path);

const sourcesOf = async (page: IJupyterLabPageFixture, path: string) =>
  (await cellsOf(page, path)).map(({ source }) => source);

/** Undo in a notebook, as its menu does. */
async function undoIn(
  page: IJupyterLabPageFixture,
  path: string
): Promise<void> {
  await page.evaluate(async path => {
    const { commands } = window.jupyterapp;
    await commands.execute('docmanager:open', { path });
    await commands.execute('notebook:undo-cell-action');
  }, path);
}

const blockOf = (chat: Chat, pair = 0): Locator =>
  chat.pair(pair).locator('.jp-OutputArea .jp-Turnbook-code').first();

const action = (block: Locator, name: string): Locator =>
  block.getByRole('button', { name, exact: true });

/** Read a text file; null if there is none. */
const textOf = (
  page: IJupyterLabPageFixture,
  path: string
): Promise<string | null> =>
  page.evaluate(async path => {
    const { contents } = window.jupyterapp.serviceManager;
    try {
      return (
        await contents.get(path, {
          type: 'file',
          format: 'text',
          content: true
        })
      ).content as string;
    } catch (error) {
      return (error as any).response?.status === 404 ? null : String(error);
    }
  }, path);

const writeText = (
  page: IJupyterLabPageFixture,
  path: string,
  content: string
): Promise<unknown> =>
  page.evaluate(
    ([path, content]) =>
      window.jupyterapp.serviceManager.contents
        .save(path, { type: 'file', format: 'text', content })
        .then(() => null),
    [path, content] as const
  );

const diffReply = (path: string) =>
  `\`\`\`diff\n--- a/${path}\n+++ b/${path}\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n\`\`\``;

test.describe('code from a reply', () => {
  test('is inserted and replaces a cell, exactly and undone in one step, and nothing is run', async ({
    page,
    tmpPath
  }) => {
    const path = await withNotebook(page, tmpPath);
    const { chat } = await openPrepared(page, tmpPath, PAIRS);
    const block = blockOf(chat);
    await block.hover();
    const insert = action(block, 'Insert below');
    await expect(insert).toHaveAttribute(
      'title',
      'Insert below the active cell of work.ipynb'
    );
    await insert.click();
    await expect
      .poll(() => sourcesOf(page, path))
      .toEqual(['a = 1', CODE, 'b = 2']);
    const [, cell] = await cellsOf(page, path);
    expect(cell).toMatchObject({
      cell_type: 'code',
      outputs: [],
      execution_count: null
    });
    expect(Object.keys(cell.metadata)).toEqual(['turnbook_from']);
    expect(cell.metadata.turnbook_from.pair).toBe('first');

    // What was inserted is the active cell now; the third is not touched.
    await action(block, 'Replace cell').click();
    await expect(page.locator('.Toastify')).toContainText(
      'Replaced cell 2 of work.ipynb'
    );
    await undoIn(page, path);
    await undoIn(page, path);
    await expect.poll(() => sourcesOf(page, path)).toEqual(['a = 1', 'b = 2']);

    await chat.open(`${tmpPath}/prepared.chat.ipynb`);
    await action(block, 'Replace cell').click();
    await expect.poll(() => sourcesOf(page, path)).toEqual([CODE, 'b = 2']);
    await undoIn(page, path);
    await expect.poll(() => sourcesOf(page, path)).toEqual(['a = 1', 'b = 2']);
    for (const cell of await cellsOf(page, path)) {
      expect([cell.outputs, cell.execution_count]).toEqual([[], null]);
    }
    // The first thing that the kernel runs is this.
    const counted = await page.evaluate(async path => {
      for (const widget of window.jupyterapp.shell.widgets('main')) {
        const { context } = widget as any;
        if (context?.path === path) {
          const { kernel } = context.sessionContext.session;
          const reply = await kernel.requestExecute({ code: 'pass' }).done;
          return reply.content.execution_count;
        }
      }
    }, path);
    expect(counted).toBe(1);
  });

  test('goes by key from the focused block, which Tab reaches', async ({
    page,
    context,
    tmpPath
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const path = await withNotebook(page, tmpPath);
    const { chat } = await openPrepared(page, tmpPath, PAIRS);
    const block = blockOf(chat);
    await expect(block).toHaveAttribute('tabindex', '0');
    await chat.choose(0);
    await block.focus();
    await page.keyboard.press('b');
    await expect
      .poll(() => sourcesOf(page, path))
      .toEqual(['a = 1', CODE, 'b = 2']);
    await expect(block).toBeFocused();
    await page.keyboard.press('Shift+B');
    await expect(page.locator('.Toastify')).toContainText('Replaced cell 2');
    // The buttons are one stop, and arrows go through them.
    await page.keyboard.press('Tab');
    await expect(action(block, 'Copy code')).toBeFocused();
    await page.keyboard.press('ArrowLeft');
    await expect(action(block, 'New notebook')).toBeFocused();
    await page.keyboard.press('ArrowLeft');
    await expect(action(block, 'Replace cell')).toBeFocused();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => sourcesOf(page, path))
      .toEqual(['a = 1', CODE, CODE, 'b = 2']);
    await block.focus();
    await page.keyboard.press('c');
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(CODE);
    await expect(block).toBeFocused();
    await page.keyboard.press('n');
    await expect
      .poll(() => sourcesOf(page, `${tmpPath}/prepared-code.ipynb`))
      .toEqual([CODE]);
  });

  test('makes a new notebook, and leads back to the reply', async ({
    page,
    tmpPath
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, PAIRS);
    await action(blockOf(chat), 'New notebook').click();
    const path = `${tmpPath}/prepared-code.ipynb`;
    await expect.poll(() => sourcesOf(page, path)).toEqual([CODE]);
    const [cell] = await cellsOf(page, path);
    expect(cell.outputs).toEqual([]);
    const notebook = page.locator('.jp-NotebookPanel:not(.jp-Turnbook-chat)');
    await notebook.locator('.jp-Cell').first().click({ button: 'right' });
    await page
      .locator('.lm-Menu:visible')
      .getByText('Show Where This Came From')
      .click();
    await expect.poll(() => chat.path()).toBe(file);
    await expect(chat.pair(0)).toHaveClass(/jp-mod-active/);
    await expect(page.locator('.Toastify__toast--warning')).toHaveCount(0);
  });

  test('in replays and earlier versions can only be copied', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await provider.reply(REPLY);
    await provider.reply('No code.');
    await chat.createAnswered(tmpPath, 'Show me pi');
    await expect(action(blockOf(chat), 'Insert below')).toBeVisible();
    await chat.choose(0);
    await chat.execute('turnbook:regenerate');
    await expect(chat.pair(0).locator('.jp-OutputArea')).toContainText(
      'No code.'
    );
    await chat.execute('turnbook:previous-version');
    const past = chat.pair(0).locator('.jp-Turnbook-pastVersion');
    await expect(action(past, 'Copy code')).toBeVisible();
    await expect(action(past, 'Insert below')).toHaveCount(0);
    await provider.reply(REPLY);
    await chat.say('Again');
    await chat.expectState(1, 'succeeded');
    const replay = new Replay(page);
    await replay.open(chat);
    await expect(action(replay.panel, 'Copy code')).toBeVisible();
    await expect(action(replay.panel, 'Insert below')).toHaveCount(0);
  });

  test('that was replaced since is shown as the version that it was', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await provider.reply(REPLY);
    await provider.reply('No code.');
    const file = await chat.createAnswered(tmpPath, 'Show me pi');
    const path = await withNotebook(page, tmpPath);
    await chat.open(file);
    await action(blockOf(chat), 'Insert below').click();
    await expect.poll(() => sourcesOf(page, path)).toHaveLength(3);
    await chat.choose(0);
    await chat.execute('turnbook:regenerate');
    await expect(chat.pair(0).locator('.jp-OutputArea')).toContainText(
      'No code.'
    );
    await chat.expectState(0, 'succeeded');
    await chat.execute('docmanager:open', { path });
    await chat.execute('turnbook:show-origin');
    await expect.poll(() => chat.path()).toBe(file);
    await expect(page.locator('.Toastify')).toContainText(
      'The version that this cell came from is shown'
    );
    await expect(
      chat.pair(0).locator('.jp-Turnbook-pastVersion')
    ).toContainText('math.pi');
  });

  test('without a notebook says what to do', async ({ page, tmpPath }) => {
    const { chat } = await openPrepared(page, tmpPath, PAIRS);
    await action(blockOf(chat), 'Insert below').click();
    const toast = page.locator('.Toastify');
    await expect(toast).toContainText('No notebook is open.');
    await toast.getByRole('button', { name: 'New notebook' }).click();
    const path = `${tmpPath}/prepared-code.ipynb`;
    await expect.poll(() => sourcesOf(page, path)).toEqual([CODE]);
  });

  test('has its buttons while the reply streams once it is complete', async ({
    page,
    provider,
    tmpPath
  }) => {
    const path = await withNotebook(page, tmpPath);
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await provider.script(
      gated('```python\nx = 1\n```\n\nand\n\n```python\ny = ', 'gate', '2\n```')
    );
    await chat.say('Go');
    const stream = chat.pair(0).locator('.jp-Turnbook-pairStatus-stream');
    const blocks = stream.locator('.jp-Turnbook-code');
    await expect(blocks).toHaveCount(2);
    await expect(action(blocks.nth(0), 'Insert below')).toBeVisible();
    await expect(blocks.nth(1)).toContainText('y =');
    await expect(action(blocks.nth(1), 'Copy code')).toBeVisible();
    await expect(action(blocks.nth(1), 'Insert below')).toHaveCount(0);
    await action(blocks.nth(0), 'Insert below').click();
    await expect
      .poll(() => sourcesOf(page, path))
      .toEqual(['a = 1', 'x = 1', 'b = 2']);
    await provider.release('gate');
    await chat.expectState(0, 'succeeded');
    const landed = chat.pair(0).locator('.jp-OutputArea .jp-Turnbook-code');
    await expect(action(landed.nth(1), 'Insert below')).toBeVisible();
  });

  test('a reply becomes a notebook, whose Markdown has no tags of the reply', async ({
    page,
    tmpPath
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, PAIRS);
    await chat.choose(0);
    await page.keyboard.press('Shift+ArrowDown');
    await chat.execute('turnbook:reply-to-notebook');
    const path = `${tmpPath}/prepared-code.ipynb`;
    await expect
      .poll(async () =>
        (await cellsOf(page, path)).map(cell => [cell.cell_type, cell.source])
      )
      .toEqual([
        ['markdown', '> Show me pi'],
        ['markdown', 'Here:'],
        ['code', CODE],
        ['markdown', 'Done.'],
        ['markdown', '> And?'],
        ['markdown', 'No code, **but** &lt;b onclick=x>this</b>.']
      ]);
    for (const cell of await cellsOf(page, path)) {
      expect(
        Object.keys(cell.metadata).filter(key => key !== 'trusted')
      ).toEqual(['turnbook_from']);
    }
    await chat.open(file);
    await chat.choose(1);
    await chat.tool(1, /^More actions/).click();
    await expect(
      page.locator('.lm-Menu:visible').getByText('Reply to Notebook')
    ).toBeVisible();
    await page.keyboard.press('Escape');
  });

  test('what hostile metadata names cannot be found, and is said', async ({
    page,
    tmpPath
  }) => {
    const path = await withNotebook(page, tmpPath);
    const set = (value: unknown) =>
      page.evaluate(
        ([path, value]) => {
          for (const widget of window.jupyterapp.shell.widgets('main')) {
            const { context, content } = widget as any;
            if (context?.path === path) {
              const [cell] = content.model.sharedModel.cells;
              cell.setMetadata('turnbook_from', value);
            }
          }
        },
        [path, value] as const
      );
    const sha256 = '0'.repeat(64);
    const toast = page.locator('.Toastify');
    await set({ chatId: '../../etc', pair: '__proto__', run: '', sha256 });
    await page.evaluate(() =>
      window.jupyterapp.commands.execute('turnbook:show-origin')
    );
    await expect(toast).toContainText('cannot be found: it was deleted');
    await set({ chatId: 'x'.repeat(1_000_000), pair: '', run: 3, sha256 });
    await page.evaluate(() =>
      window.jupyterapp.commands.execute('turnbook:show-origin')
    );
    await expect(toast).toContainText('cannot be read');
    await expect.poll(() => new Chat(page).path()).toBe(path);
  });
});

test.describe('a diff in a reply', () => {
  test('is looked at by key, applied to the file that it names, and undone', async ({
    page,
    tmpPath
  }) => {
    await writeText(page, `${tmpPath}/poem.txt`, 'one\r\ntwo\r\nthree');
    const { chat } = await openPrepared(page, tmpPath, [
      { id: 'only', user: 'Change it', reply: diffReply('poem.txt') }
    ]);
    await chat.choose(0);
    await blockOf(chat).focus();
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog', { name: 'Apply this diff?' });
    await expect(dialog).toContainText('poem.txt');
    await expect(dialog.locator('.cm-content')).toContainText('zwei');
    expect(await textOf(page, `${tmpPath}/poem.txt`)).toBe(
      'one\r\ntwo\r\nthree'
    );
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
    await expect
      .poll(() => textOf(page, `${tmpPath}/poem.txt`))
      .toBe('one\r\nzwei\r\nthree');
    await page
      .locator('.Toastify')
      .getByRole('button', { name: 'Undo' })
      .click();
    await expect
      .poll(() => textOf(page, `${tmpPath}/poem.txt`))
      .toBe('one\r\ntwo\r\nthree');
  });

  test('is undone in the editor of a file that was opened since', async ({
    page,
    tmpPath
  }) => {
    const file = `${tmpPath}/poem.txt`;
    await writeText(page, file, 'one\r\ntwo\r\nthree');
    const { chat } = await openPrepared(page, tmpPath, [
      { id: 'only', user: 'Change it', reply: diffReply('poem.txt') }
    ]);
    await action(blockOf(chat), 'Apply diff…').click();
    const dialog = page.getByRole('dialog', { name: 'Apply this diff?' });
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
    await expect.poll(() => textOf(page, file)).toBe('one\r\nzwei\r\nthree');
    await page.evaluate(async path => {
      const { commands } = window.jupyterapp;
      await commands.execute('docmanager:open', { path, factory: 'Editor' });
    }, file);
    const editor = page.locator('.jp-FileEditor:visible .cm-content');
    await expect(editor).toContainText('zwei');
    await page
      .locator('.Toastify')
      .getByRole('button', { name: 'Undo' })
      .click();
    await expect(page.locator('.Toastify')).toContainText('Undone');
    await expect(editor).toContainText('two');
    expect(await textOf(page, file)).toBe('one\r\ntwo\r\nthree');
  });

  test('changes an open file in its editor, where it can be undone', async ({
    page,
    tmpPath
  }) => {
    const file = `${tmpPath}/poem.txt`;
    await writeText(page, file, 'one\ntwo\nthree\n');
    const source = () =>
      page.evaluate(path => {
        for (const widget of window.jupyterapp.shell.widgets('main')) {
          const { context } = widget as any;
          if (context?.path === path) {
            return context.model.sharedModel.getSource() as string;
          }
        }
        return '';
      }, file);
    await page.evaluate(async path => {
      const { commands } = window.jupyterapp;
      const widget = await commands.execute('docmanager:open', {
        path,
        factory: 'Editor'
      });
      await widget.context.ready;
      // Not saved.
      widget.context.model.sharedModel.updateSource(13, 13, '\nfour');
    }, file);
    expect(await source()).toBe('one\ntwo\nthree\nfour\n');
    const { chat } = await openPrepared(page, tmpPath, [
      { id: 'only', user: 'Change it', reply: diffReply('poem.txt') }
    ]);
    await action(blockOf(chat), 'Apply diff…').click();
    const dialog = page.getByRole('dialog', { name: 'Apply this diff?' });
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
    await expect.poll(source).toBe('one\nzwei\nthree\nfour\n');
    expect(await textOf(page, file)).toBe('one\ntwo\nthree\n');
    await page.evaluate(async path => {
      const { commands } = window.jupyterapp;
      await commands.execute('docmanager:open', { path });
      await commands.execute('fileeditor:undo');
    }, file);
    await expect.poll(source).toBe('one\ntwo\nthree\nfour\n');
  });

  test('that does not fit, or reaches for another place, changes nothing', async ({
    page,
    tmpPath
  }) => {
    await writeText(page, `${tmpPath}/poem.txt`, 'other\n');
    const { chat } = await openPrepared(page, tmpPath, [
      { id: 'a', user: 'One', reply: diffReply('poem.txt') },
      { id: 'b', user: 'Two', reply: diffReply('../../../etc/passwd') }
    ]);
    const dialog = page.getByRole('dialog', { name: 'Apply this diff?' });
    for (const [pair, words] of [
      [0, 'Change 1 of 1 does not fit'],
      [1, 'is not a path below the folder']
    ] as const) {
      await action(blockOf(chat, pair), 'Apply diff…').click();
      await expect(dialog).toContainText(words);
      await expect(
        dialog.getByRole('button', { name: 'Apply', exact: true })
      ).toBeDisabled();
      // Keys reach it once it has the focus.
      await expect
        .poll(() =>
          dialog.evaluate(node => node.contains(document.activeElement))
        )
        .toBe(true);
      await page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
    }
    expect(await textOf(page, `${tmpPath}/poem.txt`)).toBe('other\n');
  });

  test('for a file that changes meanwhile writes nothing', async ({
    page,
    tmpPath
  }) => {
    await writeText(page, `${tmpPath}/poem.txt`, 'one\ntwo\nthree\n');
    const { chat } = await openPrepared(page, tmpPath, [
      { id: 'only', user: 'Change it', reply: diffReply('poem.txt') }
    ]);
    await action(blockOf(chat), 'Apply diff…').click();
    const dialog = page.getByRole('dialog', { name: 'Apply this diff?' });
    await expect(dialog).toContainText('poem.txt');
    await writeText(page, `${tmpPath}/poem.txt`, 'one\ntwo\nthree\nfour\n');
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
    await expect(page.locator('.Toastify')).toContainText(
      'was changed meanwhile, so nothing was written'
    );
    expect(await textOf(page, `${tmpPath}/poem.txt`)).toBe(
      'one\ntwo\nthree\nfour\n'
    );
  });
});
