import { Chat } from '../support/chat';
import { Listener } from '../support/events';
import { expect, test } from '../support/fixtures';
import { messagesOf, RequestUI, setSetting } from '../support/request';

const banner = 'Paused before sending.';

test.describe('Pause & review', () => {
  test('pauses a message, lets it be edited, and sends exactly that', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    const listener = await Listener.on(page);
    const file = await chat.create(tmpPath);
    const toggle = chat.panel.getByRole('switch', { name: 'Pause & review' });
    const status = page.locator('.jp-Turnbook-modes');
    await expect(toggle).not.toBeChecked();
    await expect(status).toHaveText('');
    await toggle.click();
    await expect(toggle).toBeChecked();
    await expect(status).toContainText('Pause & review: on');

    await chat.message.fill('Hello');
    await chat.message.press('Enter');
    await expect(request.panel.getByText(banner)).toBeVisible();
    await expect(chat.panel.getByText(banner)).toBeVisible();
    await request.paused();
    await expect(status).toContainText('a send is paused');
    await expect(chat.message).toHaveAttribute('readonly');
    await expect(chat.message).toHaveValue('Hello');
    await expect(chat.send).toBeDisabled();
    await expect(chat.pairs).toHaveCount(0);
    // An accidental Enter sends nothing.
    await page.keyboard.press('Enter');
    expect(await provider.completions()).toHaveLength(0);

    await request.write(0, 'Hello, edited');
    const hash = await request.hash();
    await request.button('Resume send').click();
    const [sent] = await provider.completions(1);
    expect(sent.sha256).toBe(hash);
    expect(messagesOf(sent)).toEqual([
      { role: 'user', content: 'Hello, edited' }
    ]);
    await chat.expectState(0, 'succeeded');
    await expect(chat.panel.getByText(banner)).toBeHidden();
    await expect(chat.message).toHaveValue('');
    // The cell has what the user wrote; the request was different.
    const saved = await chat.savedInState(file, 0, 'succeeded');
    expect(saved.cells[0].source).toBe('Hello');
    expect(saved.cells[0].metadata.turnbook_run.requestHash).toBe(hash);

    // Listeners are told about it, in numbers.
    const heard = await listener.until('intercept', 'resume', 'send');
    const { chatId } = saved.metadata.turnbook;
    const told = (event: string) => heard.find(item => item.event === event)!;
    expect(told('intercept')).toMatchObject({
      chat: chatId,
      sections: { user: 1 },
      edited: 0
    });
    expect(told('resume')).toMatchObject({
      chat: chatId,
      kind: 'send',
      edited: 1,
      deleted: 0,
      hash
    });
    expect(told('send')).toMatchObject({ chat: chatId, hash });
    expect(JSON.stringify(heard)).not.toContain('Hello');
  });

  test('returns the text when it is canceled', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    await chat.create(tmpPath);
    await chat.execute('turnbook:pause-next');
    await expect(page.locator('.jp-Turnbook-modes')).toContainText('next send');
    await chat.message.fill('Hello');
    await chat.message.press('Enter');
    await chat.panel.getByRole('button', { name: 'Cancel send' }).click();
    await expect(request.panel.getByText(banner)).toBeHidden();
    await expect(chat.message).toHaveValue('Hello');
    await expect(chat.message).not.toHaveAttribute('readonly');
    await expect(chat.message).toBeFocused();
    expect(await provider.completions()).toHaveLength(0);
    // It applied to one send only.
    await chat.say('Hello again');
    expect(messagesOf((await provider.completions(1))[0])[0].content).toBe(
      'Hello again'
    );
  });

  test('loses nothing and sends nothing when the page is reloaded', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    const file = await chat.create(tmpPath);
    await chat.execute('turnbook:toggle-pause');
    await chat.message.fill('Hello');
    await chat.message.press('Enter');
    await request.paused();
    await request.write(0, 'Hello, edited');
    const hash = await request.hash();
    const saved = await chat.saved(file, () => true);
    expect(JSON.stringify(saved)).not.toContain('Hello');

    await chat.reload();
    await expect(chat.panel.getByText(banner)).toBeVisible();
    await expect(chat.message).toHaveValue('Hello');
    await expect(chat.pairs).toHaveCount(0);
    expect(await provider.completions()).toHaveLength(0);
    await request.open();
    await request.expectText(0, 'Hello, edited');
    await expect.poll(() => request.hash()).toBe(hash);

    // Closing the tab and reopening the chat does the same.
    await page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as any;
      panel.dispose();
    });
    await chat.open(file);
    await expect(chat.panel.getByText(banner)).toBeVisible();
    expect(await provider.completions()).toHaveLength(0);
    await chat.execute('turnbook:resume-send');
    const [sent] = await provider.completions(1);
    expect(sent.sha256).toBe(hash);
    await chat.expectState(0, 'succeeded');
    // The switch stays on after the send.
    await expect(
      chat.panel.getByRole('switch', { name: 'Pause & review' })
    ).toBeChecked();
  });

  test('pauses an edited message that is sent again', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    await chat.createAnswered(tmpPath, 'One');
    await chat.execute('turnbook:toggle-pause');
    await chat.message.press('Escape');
    await chat.resendByKey(chat.pair(0), 'Two');
    await expect(request.panel.getByText(banner)).toBeVisible();
    await expect(chat.pair(0)).toContainText('You said: One');
    await request.expectText(0, 'Two');
    expect(await provider.completions()).toHaveLength(1);

    // After Cancel, it is back in the pair's editor.
    await request.button('Cancel send').click();
    const editor = chat.pair(0).getByRole('textbox', { name: 'Edited text' });
    await expect(editor).toHaveValue('Two');
    await editor.press('Enter');
    await request.paused();
    await request.expectText(0, 'Two');
    await request.write(0, 'Three');
    const hash = await request.hash();

    // And it survives a reload, like any paused message.
    await chat.reload();
    await expect(chat.panel.getByText(banner)).toBeVisible();
    await expect(chat.pair(0)).toContainText('You said: One');
    await request.open();
    await request.expectText(0, 'Three');
    await expect.poll(() => request.hash()).toBe(hash);
    expect(await provider.completions()).toHaveLength(1);
    await request.button('Resume send').click();
    const sent = await provider.completions(2);
    expect(sent[1].sha256).toBe(hash);
    await expect(chat.pair(0)).toContainText('You said: Three');
    await expect(chat.pairs).toHaveCount(1);
  });

  test('can be turned on by a setting, and off in a chat @fresh', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await setSetting(page, 'pauseAndReview', true);
    const toggle = chat.panel.getByRole('switch', { name: 'Pause & review' });
    await expect(toggle).toBeChecked();
    await toggle.click();
    await expect(toggle).not.toBeChecked();
    await chat.create(tmpPath);
    await expect(toggle).toBeChecked();
  });
});
