/** The three ways to use replays, through the Request panel. */
import type { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { onDisk, openSurvey, replayEdited } from '../support/replay';
import { messagesOf } from '../support/request';

/** Turn Pause & review on and send a message. */
async function pause(chat: Chat, text: string): Promise<void> {
  await chat.panel.getByRole('switch', { name: 'Pause & review' }).click();
  await chat.message.fill(text);
  await chat.message.press('Enter');
  await expect(
    chat.panel.getByText('Paused before sending.').first()
  ).toBeVisible();
}

test.describe('manual replay', () => {
  test('edits, replays, reviews, and can continue in a fork', async ({
    page,
    provider,
    tmpPath,
    servers
  }) => {
    test.slow();
    const { chat, file, request, replay } = await openSurvey(page, tmpPath);
    const before = onDisk(servers, file);
    await replayEdited(
      request,
      'How many interviewers?',
      'Lists older than two years.'
    );
    await expect(replay.badge).toBeVisible();
    await expect(replay.cells.nth(1)).toContainText('older than two years');
    await expect(replay.cells.nth(1)).toContainText('Edited');
    const first = await replay.record();
    expect(first.hash).toBe(await request.hash());

    // It is listed with state, version and time.
    const part = await request.openPart('Replays');
    const row = part.getByRole('listitem');
    await expect(row).toContainText('turn 2');
    await expect(row).toContainText('ready');
    await expect(row).toContainText(/version \d+ · \d/);

    // An edit in the panel rebuilds the open replay; so does undo.
    await request.write(2, 'Lists older than one year.');
    await expect(replay.cells.nth(1)).toContainText('older than one year');
    await request.button('Undo').click();
    await expect(replay.cells.nth(1)).not.toContainText('older than one year');
    const last = await replay.record();
    expect(last.version).toBeGreaterThan(first.version);

    await replay.button('Start chatting from this replay').click();
    await expect(chat.message).toBeFocused();
    await expect(chat.pairs).toHaveCount(2);
    expect(await provider.completions()).toHaveLength(0);
    expect(onDisk(servers, file).equals(before)).toBe(true);
  });
});

test.describe('replay of a paused message', () => {
  test('leaves it paused; resuming sends what was replayed', async ({
    page,
    provider,
    tmpPath
  }) => {
    test.slow();
    const { chat, request, replay } = await openSurvey(page, tmpPath);
    await pause(chat, 'How many interviewers?');
    await request.paused();
    await request.write(2, 'Lists older than two years.');
    await request.button('Replay edited prompt').click();
    await expect(replay.badge).toBeVisible();
    const { payload } = await replay.record();
    expect(await provider.completions()).toHaveLength(0);
    await expect(request.button('Resume send')).toBeEnabled();

    await request.button('Resume send').click();
    const [sent] = await provider.completions(1);
    expect(sent.body).toBe(payload);
    // It learns that its turn was sent, and with what.
    await expect(replay.panel.getByText('Sent as replayed')).toBeVisible();
    const { loggedHash, hash, requestId } = await replay.record();
    expect(loggedHash).toBe(hash);
    await expect(replay.badge).toHaveAttribute(
      'title',
      `Request ${requestId}\nSHA-256 ${hash}\nprepared · turn 2`
    );
    await replay.button('Back to conversation').click();
    await expect(chat.pairs).toHaveCount(2);
    await chat.expectState(1, 'succeeded');
    // The text was removed while the chat was not visible.
    await expect.poll(() => chat.textHeight()).toBeGreaterThanOrEqual(30);
  });

  test('leaves it paused when a fork is made, and is cleared by cancelling', async ({
    page,
    provider,
    tmpPath,
    servers
  }) => {
    test.slow();
    const { chat, file, request, replay } = await openSurvey(page, tmpPath);
    const before = onDisk(servers, file);
    await pause(chat, 'How many interviewers?');
    await request.button('Replay edited prompt').click();
    await replay.button('Start chatting from this replay').click();
    await expect.poll(() => chat.path()).toContain('-replay.chat.ipynb');
    // Pause & review is off in the fork, whatever it is elsewhere.
    await expect(
      chat.panel.getByRole('switch', { name: 'Pause & review' })
    ).not.toBeChecked();

    await chat.open(file);
    await expect(
      chat.panel.getByText('Paused before sending.').first()
    ).toBeVisible();
    await request.button('Replay edited prompt').click();
    await expect(replay.badge).toBeVisible();
    await request.button('Cancel send').click();
    // The text is back in the composer, and the chat is active.
    await page.getByRole('tab', { name: 'Replay cleared' }).click();
    await expect(replay.banner).toContainText('Replay cleared');
    await expect(replay.banner).toContainText('paused send was cancelled');
    await expect(replay.cells).toHaveCount(0);
    await expect(
      replay.panel.getByRole('textbox', { name: 'Message' })
    ).toBeDisabled();
    await replay.button('Open request editor').click();
    await expect(chat.message).toHaveValue('How many interviewers?');
    await expect.poll(() => chat.textHeight()).toBeGreaterThanOrEqual(30);
    await expect(request.panel).toBeVisible();
    expect(await provider.completions()).toHaveLength(0);
    expect(onDisk(servers, file).equals(before)).toBe(true);
  });
});

test('a closed replay is outdated after an edit, learns what was sent, and is rebuilt when opened', async ({
  page,
  provider,
  tmpPath
}) => {
  test.slow();
  const { chat, request, replay } = await openSurvey(page, tmpPath);
  await chat.message.fill('One');
  await request.open();
  await request.button('Replay edited prompt').click();
  await expect(replay.badge).toBeVisible();
  const first = await replay.record();
  await page.evaluate(() => window.jupyterapp.shell.currentWidget!.close());
  const part = await request.openPart('Replays');
  const row = part.getByRole('listitem');
  await expect(row).toContainText('ready');
  await chat.message.fill('Two');
  await expect(row).toContainText('outdated');
  await chat.message.press('Enter');
  const [sent] = await provider.completions(1);
  // The logged bytes differ from the replay's.
  await expect(row).toContainText('differs from logged');
  await expect(row).toContainText('outdated');
  await row.getByRole('button', { name: 'Open' }).click();
  await expect(replay.panel.getByText('Sent as replayed')).toBeVisible();
  const record = await replay.record();
  expect(record.payload).toBe(sent.body);
  expect(record.requestId).not.toBe(first.requestId);
  await expect(row).toContainText('ready');
  await replay.button('Restore previous replay').click();
  await expect(replay.banner.getByText('differs from logged')).toBeVisible();
});

test.describe('continuing from a replay', () => {
  test('sends the edited history and the new message, and unlocks when paused', async ({
    page,
    provider,
    tmpPath,
    servers
  }) => {
    test.slow();
    const { chat, file, request, replay } = await openSurvey(page, tmpPath);
    const before = onDisk(servers, file);
    await replayEdited(
      request,
      'How many interviewers?',
      'Lists older than two years.'
    );
    await replay.button('Start chatting from this replay').click();
    await expect(chat.message).toBeFocused();
    await expect(chat.pairs).toHaveCount(2);
    await provider.script({
      steps: [{ delta: 'Twelve.' }, { finish: 'stop' }, { done: true }]
    });
    await chat.say('In 15 days?');
    await expect(chat.pairs.last()).toContainText('Twelve.');
    const [sent] = await provider.completions(1);
    expect(messagesOf(sent)).toEqual([
      { role: 'system', content: 'You help to design household surveys.' },
      { role: 'user', content: 'Which frames?' },
      { role: 'assistant', content: 'Lists older than two years.' },
      { role: 'user', content: 'How many interviewers?' },
      { role: 'user', content: 'In 15 days?' }
    ]);
    expect(onDisk(servers, file).equals(before)).toBe(true);

    // The user wants to edit what is sent, so the cells are unlocked.
    const bar = page.getByRole('navigation', {
      name: 'Where this chat comes from'
    });
    await expect(bar).toContainText('locked');
    await chat.panel.getByRole('switch', { name: 'Pause & review' }).click();
    await expect(bar).not.toContainText('locked');
    const fork = await chat.path();
    await chat.execute('docmanager:save');
    await chat.saved(fork, nb => nb.metadata.turnbook.lineage.locked === false);
    await chat.panel.getByRole('switch', { name: 'Pause & review' }).click();

    // Replayed pairs are like any others, and say that they were not sent from here.
    await chat.message.press('Escape');
    await page.evaluate(() => {
      const { content } = window.jupyterapp.shell.currentWidget as any;
      content.activeCellIndex = 1;
    });
    await page.evaluate(() => {
      // It returns when the dialog is closed.
      void window.jupyterapp.commands.execute('turnbook:show-request');
    });
    const dialog = page.locator('.jp-Dialog');
    await expect(dialog).toContainText('not sent from here');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const pair = (await chat.pair(0).getAttribute('data-turnbook-pair'))!;
    await replay.open(chat, pair);
    await expect(replay.cells.last()).toContainText('Which frames?');
    await replay.button('Open request editor').click();
    await expect(request.panel).toContainText('not sent from here');
    await replay.left();
    await page.evaluate(id => {
      void (window.jupyterapp.shell.currentWidget as any).session.resend(
        id,
        'Which lists?'
      );
    }, pair);
    const again = await provider.completions(2);
    expect(messagesOf(again[1])).toEqual([
      { role: 'system', content: 'You help to design household surveys.' },
      { role: 'user', content: 'Which lists?' }
    ]);
  });
});

test('Apply & Replay opens a replay of what the snapshot says', async ({
  page,
  provider,
  tmpPath
}) => {
  test.slow();
  const { chat, request, replay } = await openSurvey(page, tmpPath);
  await chat.message.fill('How many interviewers?');
  await request.open();
  await request.hash();
  const part = await request.openPart('Session Snapshot');
  const editor = part.getByRole('textbox', {
    name: 'Session Snapshot as JSON'
  });
  const text = await editor.evaluate(node =>
    (node as any).cmTile.view.state.doc.toString()
  );
  await editor.click();
  await request.replace(
    text.replace('How many interviewers?', 'How many days?')
  );
  await part.getByRole('button', { name: 'Apply & Replay' }).click();
  await expect(replay.badge).toBeVisible();
  await expect(replay.cells.last()).toContainText('How many days?');
  expect((await replay.record()).payload).toContain('How many days?');
  await replay.button('Start chatting from this replay').click();
  await expect(chat.pairs.last()).toContainText('How many days?');
  expect(await provider.completions()).toHaveLength(0);
});
