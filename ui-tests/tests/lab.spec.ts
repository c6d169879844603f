import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { gated } from '../support/provider';

test.describe('in JupyterLab', () => {
  test('opens chats as chats, and as plain notebooks on request, without a kernel @smoke @core @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await chat.say('Hello');
    await chat.expectState(0, 'succeeded');
    await chat.saved(file, nb => nb.cells[0].outputs.length === 1);
    await chat.clean();
    await chat.execute('application:close');
    await expect(chat.panel).toHaveCount(0);

    await chat.open(file);
    await expect(chat.pair(0)).toContainText('You said: Hello');
    const sessions = await page.evaluate(async () => {
      const { sessions } = window.jupyterapp.serviceManager;
      await sessions.refreshRunning();
      return [...sessions.running()].map(({ path }) => path);
    });
    expect(sessions.filter(path => path === file)).toEqual([]);
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await chat.clean();
    await chat.execute('application:close');

    await chat.execute('docmanager:open', { path: file, factory: 'Notebook' });
    await expect(
      page.locator('.jp-NotebookPanel:visible .jp-OutputArea-output')
    ).toContainText('You said: Hello');
    await expect(chat.panel).toHaveCount(0);
    expect(await provider.completions()).toHaveLength(1);
  });

  test('creates chats from the launcher and the File menu, in the current folder @fresh', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await page.evaluate(async path => {
      await window.jupyterapp.commands.execute('filebrowser:go-to-path', {
        path
      });
    }, tmpPath);
    await chat.execute('launcher:create');
    await page
      .locator('.jp-LauncherCard:visible', { hasText: /^\s*Chat\s*$/ })
      .click();
    await expect(chat.message).toBeFocused();
    expect(await chat.path()).toBe(`${tmpPath}/Untitled.chat.ipynb`);

    await page.menu.clickMenuItem('File>New>Chat');
    await expect
      .poll(() => chat.path())
      .toBe(`${tmpPath}/Untitled1.chat.ipynb`);
    await expect(
      chat.panel.getByText('A chat that is a notebook')
    ).toBeVisible();
  });

  test('reopens chats in the chat view after a reload, with the layout', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await chat.reload();
    await expect(chat.message).toBeVisible();
    expect(await chat.path()).toBe(file);
  });

  test('lists every command of a chat in the palette', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const commands = await page.evaluate(() =>
      window.jupyterapp.commands
        .listCommands()
        .filter(id => id.startsWith('turnbook:'))
        // It needs a pair as its argument; the status bar gives one.
        .filter(id => id !== 'turnbook:go-to-pair')
        // It is there where a notebook shows an error.
        .filter(id => id !== 'turnbook:explain-error')
        .map(id => ({
          id,
          label: window.jupyterapp.commands.label(id, { isPalette: true })
        }))
    );
    expect(commands.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'turnbook:new-chat',
        'turnbook:send',
        'turnbook:stop',
        'turnbook:retry-now',
        'turnbook:add-system',
        'turnbook:add-note'
      ])
    );
    await chat.execute('apputils:activate-command-palette');
    const palette = page.locator('.lm-CommandPalette');
    await palette
      .getByRole('searchbox')
      .or(palette.locator('input'))
      .first()
      .fill('turnbook');
    // JupyterLab hides disabled entries.
    for (const { label } of commands) {
      await expect(
        palette
          .locator('.lm-CommandPalette-itemLabel', { hasText: label })
          .first()
      ).toBeAttached();
    }
    await page.keyboard.press('Escape');
    await expect(palette).toBeHidden();
  });

  test('has its own context menu on cells', async ({
    page,
    context,
    tmpPath
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await chat.say('Copy this');
    await chat.expectState(0, 'succeeded');
    await chat.pair(0).click({ button: 'right', position: { x: 200, y: 12 } });
    const menu = page.locator('.lm-Menu:visible');
    await expect(menu).toContainText('Add Note');
    await expect(menu).not.toContainText('Cut Cell');
    await menu.getByText('Copy Reply').click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe('You said: Copy this');
  });

  test('gives a copied file its own identity, and none of the replies in progress', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await chat.say('Original');
    await chat.expectState(0, 'succeeded');
    const original = await chat.saved(
      file,
      nb => nb.cells[0].outputs.length === 1
    );
    await provider.script(gated('begins ', 'go', 'and ends'));
    await chat.say('Under way');
    await expect(chat.pair(1)).toContainText('begins');
    await chat.execute('docmanager:save');
    const copy = await page.evaluate(
      async path =>
        (
          await window.jupyterapp.serviceManager.contents.copy(
            path,
            path.split('/').slice(0, -1).join('/')
          )
        ).path,
      file
    );
    expect(copy).toMatch(/\.chat-Copy1\.ipynb$/);
    await chat.open(copy);
    await expect
      .poll(() =>
        page.evaluate(() =>
          (
            window.jupyterapp.shell.currentWidget as any
          ).context.model.getMetadata('turnbook')
        )
      )
      .toMatchObject({
        lineage: { copiedFrom: original.metadata.turnbook.chatId }
      });
    await provider.release('go');
    await chat.message.fill('In the copy');
    await chat.message.press('Enter');
    await page.getByRole('button', { name: 'Use it' }).click();
    await chat.expectState(2, 'succeeded');
    await expect(chat.pair(1)).toContainText('Interrupted');
    await expect(chat.pair(1)).not.toContainText('begins');
    await chat.open(file);
    await expect(chat.pair(1)).toContainText('begins and ends');
  });

  test('reports what it cannot read in a file from elsewhere, and drops nothing', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = `${tmpPath}/odd.chat.ipynb`;
    const odd = {
      cells: [
        {
          cell_type: 'code',
          id: 'odd-cell',
          execution_count: 3,
          metadata: { turnbook_run: { state: 'dancing', extra: [1] } },
          outputs: [],
          source: 'print(1)'
        }
      ],
      metadata: {
        turnbook: {
          format: 99,
          chatId: crypto.randomUUID(),
          future: { a: 1 }
        }
      },
      nbformat: 4,
      nbformat_minor: 5
    };
    await page.evaluate(
      async ([path, content]) => {
        await window.jupyterapp.serviceManager.contents.save(path as string, {
          type: 'notebook',
          format: 'json',
          content
        });
      },
      [file, odd] as const
    );
    await chat.open(file);
    await expect(chat.panel.getByText(/newer Turnbook/)).toBeVisible();
    await chat.say('Still works?');
    await chat.expectState(1, 'succeeded');
    const saved = await chat.saved(file, nb => nb.cells.length === 2);
    expect(saved.metadata.turnbook.future).toEqual({ a: 1 });
    expect(saved.cells[0].metadata.turnbook_run).toEqual({
      state: 'dancing',
      extra: [1]
    });
  });
});
