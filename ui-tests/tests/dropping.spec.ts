import type { Locator } from '@playwright/test';

import { Beside, code } from '../support/beside';
import { expect, test } from '../support/fixtures';

test('a cell, a file and selected text that are dropped on the messages are attached', async ({
  page,
  provider,
  tmpPath
}) => {
  const beside = new Beside(page);
  const { chat } = beside;
  await page.contents.uploadContent('42', 'text', `${tmpPath}/rain.txt`);
  await beside.prepare(`${tmpPath}/rain.ipynb`, [
    code('a = 1'),
    code('text = 2\nprint(text)')
  ]);
  await beside.button.click();
  await expect(chat.message).toBeFocused();
  await chat.say('First');
  await chat.say('Second');
  await chat.expectState(1, 'succeeded');
  const dropOn = async (target: Locator) => {
    await page.mouse.down();
    await page.mouse.move(0, 0, { steps: 3 });
    const { x, y } = (await target.boundingBox())!;
    await page.mouse.move(x + 20, y + 10, { steps: 3 });
    await page.mouse.up();
  };
  const messages = chat.panel.locator('.jp-Notebook');
  const cell = beside.notebook.locator('.jp-CodeCell').nth(1);
  await cell.locator('.jp-InputPrompt').hover();
  await dropOn(chat.pair(0));
  await expect(beside.chips).toHaveText([/rain\.ipynb · cell 2/]);
  await expect(chat.message).toBeFocused();
  await expect(chat.pairs).toHaveCount(2);
  await expect(beside.notebook.locator('.jp-CodeCell')).toHaveCount(2);

  await page.filebrowser.openDirectory(tmpPath);
  await page.getByRole('listitem', { name: /^Name: rain\.txt/ }).hover();
  await dropOn(messages);
  await expect(beside.chips).toHaveText([/rain\.ipynb · cell 2/, /rain\.txt/]);

  await cell
    .locator('.cm-line')
    .last()
    .dblclick({ position: { x: 10, y: 5 } });
  await cell
    .locator('.cm-line')
    .last()
    .hover({ position: { x: 10, y: 5 } });
  await dropOn(messages);
  await expect(beside.chips).toHaveText([
    /rain\.ipynb · cell 2/,
    /rain\.txt/,
    /rain\.ipynb · selection in cell 2/
  ]);
  await expect(chat.message).toHaveValue('');
  await expect(cell.locator('.cm-content')).toContainText('print(text)');

  // The chat's own messages are still moved.
  await chat.pair(1).locator('.jp-InputPrompt').hover();
  await dropOn(chat.pair(0));
  await expect(chat.pair(0)).toContainText('Second');
  await expect(chat.pairs).toHaveCount(2);
  await expect(beside.chips).toHaveCount(3);
  expect(await provider.completions()).toHaveLength(2);
});

test('text that a cell shows is attached as a selection; one in an editor says if it is changed since', async ({
  page,
  provider,
  tmpPath
}) => {
  const beside = new Beside(page);
  const { chat } = beside;
  const stdout = { output_type: 'stream', name: 'stdout', text: 'forty two\n' };
  await beside.prepare(`${tmpPath}/rain.ipynb`, [
    code('text = 2\nprint(text)', [stdout]),
    { cell_type: 'markdown', metadata: {}, source: 'Some *prose* here' }
  ]);
  await beside.button.click();
  await expect(chat.message).toBeFocused();
  const drop = async (source: Locator) => {
    const position = { x: 10, y: 8 };
    // JupyterLab lays the notebook out again when the chat opens beside it, which drops a selection.
    await expect
      .poll(async () => {
        await source.dblclick({ position });
        return page.evaluate(
          () =>
            new Promise<string>(resolve =>
              requestAnimationFrame(() =>
                requestAnimationFrame(() =>
                  resolve(String(window.getSelection()))
                )
              )
            )
        );
      })
      .not.toBe('');
    await source.hover({ position });
    await page.mouse.down();
    await page.mouse.move(0, 0, { steps: 3 });
    const { x, y } = (await chat.message.boundingBox())!;
    await page.mouse.move(x + 20, y + 10, { steps: 3 });
    await page.mouse.up();
  };
  const chip = /rain\.ipynb · selection in cell 1/;
  await drop(beside.notebook.locator('.jp-OutputArea-output pre'));
  await expect(beside.chips).toHaveText([chip]);
  const cell = beside.notebook.locator('.jp-CodeCell');
  await drop(cell.locator('.cm-line').last());
  await expect(beside.chips).toHaveText([chip, chip]);
  await expect(chat.message).toHaveValue('');

  await page.evaluate(path => {
    for (const widget of window.jupyterapp.shell.widgets('main')) {
      const { context } = widget as any;
      if (context?.path === path) {
        context.model.sharedModel.cells[0].setSource('text = 3');
      }
    }
  }, `${tmpPath}/rain.ipynb`);
  const [shown, edited] = [beside.chips.first(), beside.chips.last()];
  await expect(edited).toContainText('changed since');
  await expect(shown).not.toContainText('changed since');
  await edited.getByRole('button', { name: /^Show what is sent/ }).click();
  const dialog = page.getByRole('dialog', { name: chip });
  await expect(dialog).toContainText('is not there any more');
  await expect(dialog.getByRole('button', { name: 'Update' })).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Close' }).click();
  expect(await provider.completions()).toHaveLength(0);
});
