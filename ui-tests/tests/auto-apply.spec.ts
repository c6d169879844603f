import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared } from '../support/prepared';
import { messagesOf, RequestUI } from '../support/request';

const CELLS = [{ id: 'sys-0001', system: 'Answer briefly.' }];

/** What the composer shows for a message whose request is edited. */
function edited(chat: Chat) {
  return chat.panel.locator('.jp-Turnbook-editedChip', {
    hasText: 'Edited request (1)'
  });
}

test.describe('Auto-apply', () => {
  test('keeps the edits of a send, applies them to later ones, and can be turned off @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const request = new RequestUI(chat);
    const toggle = request.toggle('Auto-apply');
    await chat.message.fill('One');
    await request.open();
    await expect(toggle).not.toBeChecked();
    await toggle.click();
    await expect(page.locator('.jp-Turnbook-modes')).toContainText(
      'Auto-apply: on'
    );
    await expect(
      chat.panel.getByRole('button', { name: 'Auto-apply' })
    ).toBeVisible();
    await request.write(0, 'Answer in verse.');
    await expect(
      request.row(0).getByRole('button', { name: 'Keep' })
    ).toHaveCount(0);
    await chat.submit();
    await chat.expectState(0, 'succeeded');
    expect(messagesOf((await provider.completions(1))[0])[0].content).toBe(
      'Answer in verse.'
    );

    // The next message gets it too, and says so before it is sent.
    await chat.message.fill('Two');
    await expect(edited(chat)).toBeVisible();
    await expect(request.row(0).getByText('Edited')).toBeVisible();
    await expect(
      request.row(0).getByText('auto', { exact: true })
    ).toBeVisible();
    await chat.submit();
    await chat.expectState(1, 'succeeded');
    expect(messagesOf((await provider.completions(2))[1])[0].content).toBe(
      'Answer in verse.'
    );

    // A single rule can be turned off.
    const part = await request.openPart('Auto-apply');
    await part.getByRole('switch', { name: 'Rule: edit system' }).click();
    await chat.message.fill('Three');
    await expect(edited(chat)).toBeHidden();
    await chat.submit();
    await chat.expectState(2, 'succeeded');
    expect(messagesOf((await provider.completions(3))[2])[0].content).toBe(
      'Answer briefly.'
    );
    await part.getByRole('switch', { name: 'Rule: edit system' }).click();
    // So can Auto-apply as a whole.
    await toggle.click();
    await chat.message.fill('Four');
    await expect(edited(chat)).toBeHidden();
  });

  test('applies to its chat, or to all chats @fresh', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const request = new RequestUI(chat);
    await chat.message.fill('One');
    await request.open();
    // While it is off, single edits can be kept.
    await expect(request.toggle('Auto-apply')).not.toBeChecked();
    await request.write(0, 'Answer in verse.');
    await request.row(0).getByRole('button', { name: 'Keep' }).click();
    await chat.say('One');
    await chat.expectState(0, 'succeeded');
    await chat.message.fill('Two');
    await request.expectText(0, 'Answer in verse.');
    await expect(
      request.row(0).getByText('auto', { exact: true })
    ).toBeVisible();
    const part = await request.openPart('Auto-apply');
    const scope = part.getByRole('combobox', { name: 'Where it applies' });
    await expect(scope).toHaveValue('chat');

    const other = new Chat(page);
    await other.create(tmpPath);
    await other.execute('turnbook:add-system');
    await page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as any;
      const cell = panel.content.widgets.find(
        (one: any) => one.model.type === 'raw'
      );
      cell.model.sharedModel.setSource('Answer briefly.');
    });
    await other.message.fill('Another chat');
    await request.toggle('Auto-apply').click();
    await request.expectText(0, 'Answer briefly.');
    await expect(edited(other)).toBeHidden();

    await other.open(`${tmpPath}/prepared.chat.ipynb`);
    await scope.selectOption('all');
    await page.evaluate(() => {
      const { shell } = window.jupyterapp;
      const other = [...shell.widgets('main')].find(
        one =>
          (one as any).context &&
          !(one as any).context.path.endsWith('prepared.chat.ipynb')
      );
      shell.activateById(other!.id);
    });
    await request.expectText(0, 'Answer in verse.');
    await expect(edited(other)).toBeVisible();
  });
});
