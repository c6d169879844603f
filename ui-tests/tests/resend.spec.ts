import type { Locator } from '@playwright/test';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';

const editor = (pair: Locator): Locator =>
  pair.getByRole('textbox', { name: 'Edited text' });

const messages = (request: { body: string }): any[] =>
  JSON.parse(request.body).messages;

/** A chat with pairs `One`, `Two`, `Three` and replies that echo them. */
async function three(chat: Chat, folder: string): Promise<string> {
  const file = await chat.create(folder);
  for (const [n, text] of ['One', 'Two', 'Three'].entries()) {
    await chat.say(text);
    await chat.expectState(n, 'succeeded');
  }
  return file;
}

test.describe('edit and resend', () => {
  test('edits in place and sends the visible pairs above with the new text', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await three(chat, tmpPath);
    const before = await chat.saved(
      file,
      nb => nb.cells[2]?.outputs.length === 1
    );
    await chat.clean();
    await chat.choose(1);
    await chat.editByKey();
    const two = chat.pair(1);
    await expect(editor(two)).toBeFocused();
    await expect(editor(two)).toHaveValue('Two');
    await expect(two.locator('.jp-Cell-outputArea')).toBeHidden();
    await expect(chat.pair(0)).toHaveCSS('opacity', '1');
    await expect(chat.pair(2)).toHaveCSS('opacity', '0.35');

    // Esc cancels, and nothing has changed.
    await editor(two).fill('Something else');
    await editor(two).press('Escape');
    await expect(editor(two)).toHaveCount(0);
    await expect(two).toContainText('You said: Two');
    await expect(chat.pair(2)).toHaveCSS('opacity', '1');
    expect(await chat.saved(file, () => true)).toEqual(before);
    expect(await provider.completions()).toHaveLength(3);

    // Shift+Enter adds a line, Enter sends.
    await chat.editByKey();
    await editor(two).fill('Two');
    await editor(two).press('Shift+Enter');
    await editor(two).pressSequentially('and a half');
    await expect(editor(two)).toHaveValue('Two\nand a half');
    await editor(two).press('Enter');
    await expect(two).toContainText('You said: Two');
    await chat.expectState(1, 'succeeded');
    const requests = await provider.completions(4);
    expect(messages(requests[3])).toEqual([
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'You said: One' },
      { role: 'user', content: 'Two\nand a half' }
    ]);
    await expect(chat.pairs).toHaveCount(3);
    const notebook = await chat.saved(
      file,
      nb =>
        nb.cells[1].metadata.turnbook_versions?.length === 1 &&
        nb.cells[1].metadata.turnbook_run.state === 'succeeded'
    );
    const [version] = notebook.cells[1].metadata.turnbook_versions;
    expect(version.source).toBe('Two');
    expect(version.reply).toBe('You said: Two');
    expect(version.requestHash).toBe(requests[1].sha256);

    // Ctrl+Enter sends too, and a failed pair can be edited as well.
    await provider.script({
      status: 400,
      steps: [{ body: { error: { code: 'bad', message: 'No' } } }]
    });
    await chat.choose(2);
    await chat.editByKey();
    await editor(chat.pair(2)).fill('Three again');
    await editor(chat.pair(2)).press('Control+Enter');
    await chat.expectState(2, 'error');
    await chat
      .pair(2)
      .locator('.jp-Turnbook-pairStatus')
      .getByRole('button', { name: 'Edit & Resend' })
      .click();
    await expect(editor(chat.pair(2))).toHaveValue('Three again');
    await expect(chat.pair(2).locator('.jp-Turnbook-pairStatus')).toBeHidden();
    await editor(chat.pair(2)).fill('Three at last');
    await editor(chat.pair(2)).press('Enter');
    await chat.expectState(2, 'succeeded');
    await expect(chat.pair(2)).toContainText('You said: Three at last');
    await expect(chat.pair(2)).not.toContainText('[error');
    const last = (await provider.completions(6)).at(-1)!;
    expect(messages(last).at(-1).content).toBe('Three at last');
    expect(messages(last)).toHaveLength(5);
  });

  test('leaves out what the filter hides above the pair', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await three(chat, tmpPath);
    await page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as any;
      panel.filterBar.apply('-One');
    });
    await expect(chat.pairs).toHaveCount(2);
    await chat.choose(2);
    await chat.editByKey();
    await editor(chat.pair(1)).fill('Three?');
    await editor(chat.pair(1)).press('Enter');
    const sent = (await provider.completions(4)).at(-1)!;
    expect(messages(sent).map(({ content }) => content)).toEqual([
      'Two',
      'You said: Two',
      'Three?'
    ]);
  });

  test('keeps versions that can be viewed and restored', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await chat.say('Version one');
    await chat.expectState(0, 'succeeded');
    await chat.choose(0);
    await chat.editByKey();
    await editor(chat.pair(0)).fill('Version two');
    await editor(chat.pair(0)).press('Enter');
    await expect(chat.pair(0)).toContainText('You said: Version two');
    await chat.expectState(0, 'succeeded');

    const pair = chat.pair(0);
    const previous = pair.getByRole('button', { name: 'Previous version' });
    const next = pair.getByRole('button', { name: 'Next version' });
    await expect(next).toBeDisabled();
    await previous.click();
    const past = pair.locator('.jp-Turnbook-pastVersion');
    await expect(past).toContainText('Version one');
    await expect(past).toContainText('You said: Version one');
    await expect(pair.locator('.jp-Cell-outputArea')).toBeHidden();
    await expect(pair.locator('.jp-Cell-inputWrapper')).toBeHidden();
    await expect(previous).toBeDisabled();
    await next.click();
    await expect(past).toHaveCount(0);
    await expect(pair.locator('.jp-Cell-outputArea')).toContainText(
      'You said: Version two'
    );

    // Viewing changes nothing; restoring swaps the two.
    await previous.click();
    await pair.getByRole('button', { name: 'Restore' }).click();
    await expect(past).toHaveCount(0);
    await expect(pair.locator('.jp-Cell-outputArea')).toBeVisible();
    await expect(pair.locator('.jp-Cell-outputArea')).toContainText(
      'You said: Version one'
    );
    await chat.execute('docmanager:save');
    const notebook = await chat.saved(
      file,
      nb => nb.cells[0].source === 'Version one'
    );
    const [other] = notebook.cells[0].metadata.turnbook_versions;
    expect(other.reply).toBe('You said: Version two');

    await chat.reload();
    await expect(pair.locator('.jp-Cell-outputArea')).toContainText(
      'You said: Version one'
    );
    await previous.click();
    await expect(past).toContainText('You said: Version two');

    // The current version is sent, not the one that is shown.
    await chat.say('Go on');
    await chat.expectState(1, 'succeeded');
    expect(messages((await provider.completions(3)).at(-1)!)).toEqual([
      { role: 'user', content: 'Version one' },
      { role: 'assistant', content: 'You said: Version one' },
      { role: 'user', content: 'Go on' }
    ]);
  });

  test('leaves the pair unchanged and keeps the text when it is refused', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await three(chat, tmpPath);
    const before = await chat.saved(
      file,
      nb => nb.cells.length === 3 && nb.cells[2].outputs.length === 1
    );
    const model = 'scripted/scripted';
    await page.evaluate(() => {
      (window.jupyterapp.shell.currentWidget as any).session.model =
        'nobody/none';
    });
    await chat.choose(1);
    await chat.editByKey();
    await editor(chat.pair(1)).fill('Not lost');
    await editor(chat.pair(1)).press('Enter');
    await expect(chat.panel.getByRole('alert')).toContainText(
      'Nothing was sent'
    );
    await chat.expectState(1, 'succeeded');
    await expect(chat.pair(1)).toContainText('You said: Two');
    await expect(chat.pair(1)).not.toContainText('Not lost');
    await expect(
      chat.pair(1).getByRole('button', { name: 'Previous version' })
    ).toHaveCount(0);
    await page.evaluate(name => {
      (window.jupyterapp.shell.currentWidget as any).session.model = name;
    }, model);
    await chat.execute('docmanager:save');
    const after = await chat.saved(
      file,
      nb => nb.metadata.turnbook.model === model
    );
    expect(after.cells[1].source).toEqual(before.cells[1].source);
    expect(after.cells[1].outputs).toEqual(before.cells[1].outputs);
    expect(after.cells[1].metadata).toEqual(before.cells[1].metadata);

    // Editing again starts with the unsent text, even after another pair was edited.
    await chat.choose(0);
    await chat.editByKey();
    await expect(editor(chat.pair(0))).toHaveValue('One');
    await editor(chat.pair(0)).press('Escape');
    await chat.choose(1);
    await chat.editByKey();
    await expect(editor(chat.pair(1))).toHaveValue('Not lost');
    await editor(chat.pair(1)).press('Enter');
    await expect(chat.pair(1)).toContainText('You said: Not lost');
    await chat.expectState(1, 'succeeded');
    expect(await provider.completions()).toHaveLength(4);
  });

  test('does not count a refused attempt: the next one’s reply lands', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await provider.script({
      status: 503,
      steps: [{ body: { error: { message: 'Overloaded' } } }]
    });
    await chat.say('Try me');
    await chat.expectState(0, 'error');
    const run = async (state: string) => {
      const nb = await chat.saved(
        file,
        ({ cells }) => cells[0]?.metadata.turnbook_run?.state === state
      );
      return nb.cells[0].metadata.turnbook_run;
    };
    const failed = await run('error');
    expect(failed.attempt).toBe(1);
    const use = (name: string) =>
      page.evaluate(model => {
        (window.jupyterapp.shell.currentWidget as any).session.model = model;
      }, name);
    await use('nobody/none');
    const refused = chat.panel
      .getByRole('alert')
      .filter({ hasText: 'Nothing was sent' });
    for (const text of ['Refused once', 'Refused twice']) {
      await chat.choose(0);
      await chat.editByKey();
      await editor(chat.pair(0)).fill(text);
      await editor(chat.pair(0)).press('Enter');
      // The text is kept for the next time once it was refused.
      await expect(editor(chat.pair(0))).toHaveCount(0);
      await expect(refused).toBeVisible();
      await chat.expectState(0, 'error');
    }
    await use('scripted/scripted');
    await chat.execute('docmanager:save');
    await chat.clean();
    expect(await run('error')).toEqual(failed);

    await provider.reply('Here at last.');
    await chat.pair(0).getByRole('button', { name: 'Retry now' }).click();
    await chat.expectState(0, 'succeeded');
    await expect(chat.pair(0)).toContainText('Here at last.');
    expect(await run('succeeded')).toMatchObject({ attempt: 2 });
    const sent = await provider.completions(2);
    expect(sent[1].body).toBe(sent[0].body);
  });

  test('waits in its editor while another reply is in progress', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await three(chat, tmpPath);
    await chat.choose(0);
    await chat.editByKey();
    await editor(chat.pair(0)).fill('One, better');
    await provider.script({ steps: [{ delta: 'busy' }, { stall: true }] });
    await chat.say('Four');
    await expect(chat.pair(3)).toContainText('busy');
    await editor(chat.pair(0)).press('Enter');
    await expect(editor(chat.pair(0))).toHaveValue('One, better');
    await expect(chat.pair(0)).toContainText('still in progress');
    await chat.stop.click();
    await chat.expectState(3, 'canceled');
    await expect(chat.send).toBeVisible();
    await editor(chat.pair(0)).press('Enter');
    await expect(chat.pair(0)).toContainText('You said: One, better');
    expect(await provider.completions()).toHaveLength(5);
  });
});
