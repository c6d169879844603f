import { Beside, code } from '../support/beside';
import { expect, test } from '../support/fixtures';
import { waitForRestored } from '../support/loading';
import { messagesOf } from '../support/request';

test('asking about cells opens the chat beside the notebook, and sends nothing @smoke @core', async ({
  page,
  provider,
  tmpPath
}) => {
  const beside = new Beside(page);
  const { chat } = beside;
  const file = `${tmpPath}/analysis.ipynb`;
  await beside.prepare(file, [code('a = 1'), code('b = a + 1'), code('')]);
  await expect(beside.says('Start a chat about this notebook')).toBeVisible();
  await beside.select(0, 1);
  await chat.execute('turnbook:ask-about-cell');

  await expect(chat.message).toBeFocused();
  await expect(chat.message).toHaveValue('');
  await expect(beside.chips).toHaveText([
    /analysis\.ipynb · cell 1/,
    /analysis\.ipynb · cell 2/
  ]);
  expect(await chat.path()).toBe(`${tmpPath}/analysis.chat.ipynb`);
  await expect(beside.says('Open the chat about this notebook')).toBeVisible();
  const boxes = await Promise.all([
    beside.notebook.boundingBox(),
    chat.panel.boundingBox()
  ]);
  expect(boxes[1]!.x).toBeGreaterThanOrEqual(boxes[0]!.x + boxes[0]!.width);
  expect(await provider.completions()).toEqual([]);

  await chat.say('What is b?');
  await chat.expectState(0, 'succeeded');
  const [request] = await provider.completions();
  expect(messagesOf(request)).toEqual([
    {
      role: 'user',
      content: [
        'Cell: analysis.ipynb · cell 1\n\n```python\na = 1\n```',
        'Cell: analysis.ipynb · cell 2\n\n```python\nb = a + 1\n```',
        'What is b?'
      ].join('\n\n')
    }
  ]);
  const saved = await chat.savedInState(
    `${tmpPath}/analysis.chat.ipynb`,
    0,
    'succeeded'
  );
  expect(saved.metadata.turnbook.about).toBe(file);

  // The same chat again.
  await beside.activate(file);
  await beside.select(1);
  await chat.execute('turnbook:ask-about-cell');
  await expect(beside.chips).toHaveText([/cell 2/]);
  expect(await chat.path()).toBe(`${tmpPath}/analysis.chat.ipynb`);
  await expect(chat.pairs).toHaveCount(1);
});

test('an error of a kernel is explained with its cell, and a draft stays', async ({
  page,
  provider,
  tmpPath
}) => {
  const beside = new Beside(page);
  const { chat } = beside;
  const file = `${tmpPath}/broken.ipynb`;
  await beside.prepare(file, [code('total = 0\n10 / total')], true);
  const explain = beside.notebook
    .locator('.jp-OutputArea')
    .getByRole('button', { name: 'Explain This Error' });
  const tool = beside.tool('turnbook:explain-error');
  await expect(tool).toBeHidden();
  await expect(explain).toHaveCount(0);
  await beside.run(file);
  await beside.select(0);
  await expect(explain).toHaveCount(1);
  await tool.click();

  await expect(chat.message).toHaveValue(
    'Explain this error and how to fix it.'
  );
  await expect(chat.message).toBeFocused();
  await expect(beside.chips).toHaveText([
    /broken\.ipynb · cell 1/,
    /broken\.ipynb · error of cell 1/
  ]);
  expect(await provider.completions()).toEqual([]);
  await chat.submit();
  await chat.expectState(0, 'succeeded');
  const [request] = await provider.completions();
  const { content } = messagesOf(request)[0] as { content: string };
  expect(content).toContain(
    'Cell: broken.ipynb · cell 1\n\n```python\ntotal = 0\n10 / total\n```'
  );
  expect(content).toContain('Output: broken.ipynb · error of cell 1\n\n```\n');
  expect(content).toContain('ZeroDivisionError: division by zero');
  expect(content).not.toContain('\u001b');
  expect(content.endsWith('\n\nExplain this error and how to fix it.')).toBe(
    true
  );

  await chat.message.fill('My own words');
  await explain.click();
  await expect(beside.chips).toHaveCount(2);
  await expect(chat.message).toHaveValue('My own words');
});

test('outputs of a kernel are sent as text, table and image', async ({
  page,
  provider,
  tmpPath
}) => {
  const beside = new Beside(page);
  const { chat } = beside;
  const file = `${tmpPath}/shown.ipynb`;
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==';
  await beside.prepare(
    file,
    [
      code(
        [
          'import base64',
          'from IPython.display import HTML, Image, display',
          'print("10%", end="\\r"); print("all")',
          'display(HTML("<table><tr><th>shop<th>sales</tr><tr><td>A|B<td>3</tr></table>"))',
          `display(Image(base64.b64decode("${png}")))`
        ].join('\n')
      )
    ],
    true
  );
  await beside.run(file);
  await beside.select(0);
  await chat.execute('turnbook:ask-about-output');
  await expect(beside.chips).toHaveCount(2);
  await chat.say('What is this?');
  await chat.expectState(0, 'succeeded');
  const [request] = await provider.completions();
  expect(messagesOf(request)[0].content).toEqual([
    {
      type: 'text',
      text: [
        'Output: shown.ipynb · output of cell 1',
        '',
        '```',
        'all',
        '',
        '| shop | sales |',
        '| --- | --- |',
        '| A\\|B | 3 |',
        '```'
      ].join('\n')
    },
    {
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${png}` }
    },
    { type: 'text', text: 'What is this?' }
  ]);
});

test('a selection in a file or a cell is asked about', async ({
  page,
  tmpPath
}) => {
  const beside = new Beside(page);
  const { chat } = beside;
  const file = `${tmpPath}/util.py`;
  const notebook = `${tmpPath}/both.ipynb`;
  await beside.prepare(notebook, [code('total = 42')]);
  await page.evaluate(async path => {
    const { commands, serviceManager } = window.jupyterapp;
    await serviceManager.contents.save(path, {
      type: 'file',
      format: 'text',
      content: 'import os\n\ndef f():\n    return 1\n'
    });
    await commands.execute('docmanager:open', {
      path,
      factory: 'Editor',
      options: { mode: 'split-right' }
    });
  }, file);
  const enabled = () =>
    page.evaluate(() =>
      window.jupyterapp.commands.isEnabled('turnbook:ask-about-selection')
    );
  const editor = page.locator('.jp-FileEditor:visible .cm-content');
  await expect(editor).toContainText('return 1');
  expect(await enabled()).toBe(false);
  await editor.getByText('def').click();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+End');
  expect(await enabled()).toBe(true);
  await editor.click({ button: 'right', position: { x: 60, y: 60 } });
  await page
    .getByRole('menuitem', { name: 'Ask About This Selection' })
    .click();
  await expect(beside.chips).toHaveText([/util\.py · lines 3–4/]);
  await expect(chat.message).toBeFocused();
  expect(await chat.path()).toBe(`${tmpPath}/util.py.chat.ipynb`);

  await beside.activate(notebook);
  await beside.notebook.getByText('42').dblclick();
  await expect.poll(enabled).toBe(true);
  await chat.execute('turnbook:ask-about-selection');
  await expect.poll(() => chat.path()).toBe(`${tmpPath}/both.chat.ipynb`);
  const attached = page
    .locator('.jp-Turnbook-chat:visible')
    .getByRole('list', { name: 'Attachments' });
  await expect(attached.filter({ hasText: 'both.ipynb' })).toHaveText(
    /both\.ipynb · selection in cell 1/
  );
});

test('the chat of a notebook is found again after renames, open and closed', async ({
  page,
  tmpPath
}) => {
  const beside = new Beside(page);
  const { chat } = beside;
  const rename = (from: string, to: string) =>
    page.evaluate(
      ([before, after]) =>
        window.jupyterapp.serviceManager.contents.rename(before, after),
      [`${tmpPath}/${from}`, `${tmpPath}/${to}`]
    );
  const mine = `${tmpPath}/first.chat.ipynb`;
  await beside.prepare(`${tmpPath}/first.ipynb`, [code('a = 1')]);
  await beside.button.click();
  await expect(chat.message).toBeFocused();
  expect(await chat.path()).toBe(mine);

  await rename('first.ipynb', 'second.ipynb');
  await chat.saved(
    mine,
    nb => nb.metadata.turnbook.about === `${tmpPath}/second.ipynb`
  );
  // The file is there before JupyterLab knows that it is; until then closing would ask.
  await page.waitForFunction(
    () => !(window.jupyterapp.shell.currentWidget as any).context.model.dirty
  );
  await page.evaluate(() => {
    window.jupyterapp.shell.currentWidget!.close();
  });
  await expect(chat.panel).toHaveCount(0);
  await rename('second.ipynb', 'third.ipynb');
  await expect(beside.says('Open the chat about this notebook')).toBeVisible();
  await beside.button.click();
  await expect(chat.message).toBeFocused();
  expect(await chat.path()).toBe(mine);
  await chat.saved(
    mine,
    nb => nb.metadata.turnbook.about === `${tmpPath}/third.ipynb`
  );

  // Another notebook of the old name does not get this chat.
  const looked = page.waitForResponse(response => {
    const { pathname, searchParams } = new URL(response.url());
    return (
      pathname.endsWith('/first.chat.ipynb') &&
      searchParams.get('content') === '1'
    );
  });
  await beside.prepare(`${tmpPath}/first.ipynb`, [code('b = 2')]);
  await looked;
  const another = beside.notebook.filter({ has: page.locator('text=b = 2') });
  await expect(
    another.getByTitle('Start a chat about this notebook', { exact: true })
  ).toBeVisible();
  await another.getByRole('button', { name: 'Chat', exact: true }).click();
  await expect.poll(() => chat.path()).toBe(`${tmpPath}/first1.chat.ipynb`);
});

test('a chat can be moved to the sidebar, where it does all it does, and back', async ({
  page,
  provider,
  tmpPath
}) => {
  const beside = new Beside(page);
  const { chat } = beside;
  const file = `${tmpPath}/aside.ipynb`;
  await beside.prepare(file, [code('a = 1')]);
  await beside.button.click();
  await expect(chat.message).toBeFocused();
  const sidebar = chat.panel.getByRole('button', { name: 'Sidebar' });
  await sidebar.click();
  await expect(page.locator('#jp-right-stack .jp-Turnbook-chat')).toBeVisible();
  await expect(chat.message).toBeFocused();

  await chat.message.fill('From the side');
  await expect(chat.send).toBeEnabled();
  await chat.message.press('Enter');
  await chat.expectState(0, 'succeeded');
  expect(await provider.completions()).toHaveLength(1);
  const { width } = (await chat.panel.boundingBox())!;
  expect(width).toBeGreaterThanOrEqual(320);
  // Keys and commands work as in the main area.
  await chat.message.press('Escape');
  await page.keyboard.press('s');
  await expect
    .poll(() =>
      page.evaluate(() =>
        ['regenerate', 'reply-to-notebook', 'usage', 'replay'].filter(
          id => !window.jupyterapp.commands.isEnabled(`turnbook:${id}`)
        )
      )
    )
    .toEqual([]);

  await beside.activate(file);
  await beside.select(0);
  await chat.execute('turnbook:ask-about-cell');
  await expect(
    page.locator('#jp-right-stack').getByText('aside.ipynb · cell 1')
  ).toBeVisible();
  await expect(chat.message).toBeFocused();

  // In so narrow a chat, some tools are behind a button.
  await chat.panel.getByTitle('More commands').click();
  await page
    .locator('.jp-Toolbar-responsive-popup')
    .getByRole('button', { name: 'Sidebar' })
    .click();
  await expect(
    page.locator('#jp-main-dock-panel .jp-Turnbook-chat')
  ).toBeVisible();
  await expect(beside.chips).toHaveCount(1);
  expect(await chat.path()).toBe(`${tmpPath}/aside.chat.ipynb`);
});

test('a chat in the sidebar is there again after a reload @fresh', async ({
  page,
  tmpPath
}) => {
  const beside = new Beside(page);
  const { chat } = beside;
  const file = `${tmpPath}/stays.ipynb`;
  await beside.prepare(file, [code('a = 1')]);
  await beside.button.click();
  await expect(chat.message).toBeFocused();
  await chat.execute('turnbook:toggle-sidebar');
  const aside = page.locator('#jp-right-stack .jp-Turnbook-chat');
  await expect(aside).toBeVisible();
  const stored = () =>
    page.evaluate(async () => {
      const [, id = 'default'] =
        /\/workspaces\/([^/?]+)/.exec(location.pathname) ?? [];
      const { workspaces } = window.jupyterapp.serviceManager;
      const { data } = await workspaces.fetch(id);
      return JSON.stringify((data['layout-restorer:data'] as any)?.right);
    });
  await expect.poll(stored).toContain('stays.chat.ipynb');
  await page.reload({ waitForIsReady: false } as object);
  await waitForRestored(page);
  await expect(aside).toBeVisible();
  await chat.message.fill('Still here');
  await expect(chat.send).toBeEnabled();
  await chat.message.press('Enter');
  await chat.expectState(0, 'succeeded');
});

test('a variable of a kernel is referred to, and a busy kernel says so', async ({
  page,
  provider,
  tmpPath
}) => {
  const beside = new Beside(page);
  const { chat } = beside;
  const file = `${tmpPath}/values.ipynb`;
  await beside.prepare(
    file,
    [
      code(
        [
          'class Sales:',
          '    said = 0',
          '    def _repr_llm_(self):',
          '        Sales.said += 1',
          '        print("not seen")',
          '        return f"Three sales, {3} in March."',
          'sales = Sales()'
        ].join('\n')
      ),
      code('input("Wait?")')
    ],
    true
  );
  await beside.select(0);
  await chat.execute('notebook:run-cell');
  await beside.idle(file);
  await beside.button.click();
  await expect(chat.message).toBeFocused();
  await chat.message.pressSequentially('How were @sales');
  const list = page.getByRole('listbox', { name: 'References' });
  await list.getByRole('option', { name: /^sales/ }).click();
  await expect(beside.chips).toHaveText([/values\.ipynb · sales/]);
  await chat.say('How were they?');
  await chat.expectState(0, 'succeeded');
  const [request] = await provider.completions();
  expect(messagesOf(request)[0].content).toBe(
    'Variable: values.ipynb · sales\n\n```\nThree sales, 3 in March.\n```\n\nHow were they?'
  );
  await expect(beside.notebook.locator('.jp-OutputArea-output')).toHaveCount(0);
  // It resolves when the dialog is closed.
  await page.evaluate(() => {
    void window.jupyterapp.commands.execute('turnbook:show-asking-code');
  });
  const asking = page.getByRole('dialog', { name: /code that asks/ });
  await expect(asking.getByLabel('Code')).toContainText('value._repr_llm_()');
  await page.keyboard.press('Escape');
  await expect(asking).toHaveCount(0);

  // A cell that waits for an answer keeps the kernel busy.
  await beside.activate(file);
  await beside.select(1);
  await page.evaluate(() => {
    void window.jupyterapp.commands.execute('notebook:run-cell');
  });
  const answer = beside.notebook.getByPlaceholder(/Wait|↑/);
  await expect(answer).toBeVisible();
  await chat.message.click();
  await chat.message.pressSequentially('@');
  await expect(list).toContainText(
    'values.ipynb: The kernel is busy. Ask again when it is idle.'
  );
  await page.keyboard.press('Escape');
  await answer.fill('no');
  await answer.press('Enter');
  await beside.idle(file);
});
