import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

import { Listener } from '../support/events';
import { expect, test } from '../support/fixtures';
import { openPrepared } from '../support/prepared';
import { messagesOf, RequestUI } from '../support/request';

const CELLS = [
  { id: 'sys-0001', system: 'Answer briefly.' },
  { id: 'pair-0001', user: 'Which frames?', reply: 'Area frames.' }
];

/** A chat with a message being written, and the cursor in its snapshot. */
async function open(page: IJupyterLabPageFixture, folder: string) {
  const { chat } = await openPrepared(page, folder, CELLS);
  const request = new RequestUI(chat);
  await chat.message.fill('Hello');
  await request.open();
  const original = await request.hash();
  const part = await request.openPart('Session Snapshot');
  const editor = part.getByRole('textbox', {
    name: 'Session Snapshot as JSON'
  });
  const apply = part.getByRole('button', { name: 'Apply to prompt' });
  await editor.click();
  return { request, original, part, editor, apply };
}

test.describe('the Session Snapshot', () => {
  test('is shown, edited, applied and sent', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    // 1. Open a chat and type a prompt.
    const { chat, file } = await openPrepared(page, tmpPath, CELLS);
    const request = new RequestUI(chat);
    await chat.message.fill('How many interviewers?');
    await request.open();
    const original = await request.hash();

    // 2. The snapshot shows turns, tool rounds and options, and no key.
    const part = await request.openPart('Session Snapshot');
    const editor = part.getByRole('textbox', {
      name: 'Session Snapshot as JSON'
    });
    const shown = async () =>
      JSON.parse(
        await editor.evaluate(node =>
          (node as any).cmTile.view.state.doc.toString()
        )
      );
    const snapshot = await shown();
    expect(Object.keys(snapshot)).toEqual([
      'turns',
      'toolCallRounds',
      'requestOptions',
      'endpoint',
      'debugName'
    ]);
    expect(snapshot.debugName).toBe('prepared · turn 2');
    expect(JSON.stringify(snapshot)).toContain('How many interviewers?');
    expect(JSON.stringify(snapshot)).not.toContain(servers.key);

    // It follows every change: of the message, and of edits.
    await chat.message.fill('How many interviewers? And');
    await expect
      .poll(async () => (await shown()).turns[3].message.content)
      .toBe('How many interviewers? And');
    await request.write(2, 'Dual frames.');
    await expect
      .poll(async () => (await shown()).turns[2].message.content)
      .toBe('Dual frames.');
    await request.button('Undo').click();
    await chat.message.fill('How many interviewers?');
    await expect.poll(() => request.hash()).toBe(original);
    await expect.poll(shown).toEqual(snapshot);

    // Applying it unchanged changes no byte.
    await part.getByRole('button', { name: 'Apply to prompt' }).click();
    await expect(part).toContainText('Applied to the prompt');
    expect(await request.hash()).toBe(original);
    await expect(chat.panel.getByText(/Edited request/)).toBeHidden();

    // 3. Edit and apply it: the sections show it, without a warning.
    await editor.click();
    await request.replace(
      JSON.stringify(snapshot, null, 2).replace(
        'How many interviewers?',
        'How many interviewers in 15 days?'
      )
    );
    await part.getByRole('button', { name: 'Apply to prompt' }).click();
    await request.expectText(3, 'How many interviewers in 15 days?');
    await expect(request.row(3).getByText('Edited')).toBeVisible();
    await expect(request.panel.locator('.jp-mod-warning:visible')).toHaveCount(
      0
    );

    // 4. Send it: the provider gets what was applied, byte for byte.
    const hash = await request.hash();
    expect(hash).not.toBe(original);
    await chat.message.press('Enter');
    const [sent] = await provider.completions(1);
    expect(sent.sha256).toBe(hash);
    expect(messagesOf(sent).pop()).toEqual({
      role: 'user',
      content: 'How many interviewers in 15 days?'
    });

    // It is nowhere in the file.
    const saved = await chat.saved(
      file,
      nb => nb.cells[2]?.metadata.turnbook_run?.state === 'succeeded'
    );
    expect(JSON.stringify(saved)).not.toContain('toolCallRounds');
    expect(JSON.stringify(saved)).not.toContain('requestOptions');
  });

  test('changes nothing while it is invalid, and says where', async ({
    page,
    tmpPath
  }) => {
    const { request, original, part, apply } = await open(page, tmpPath);
    await request.replace('{\n  "turns": [');
    await expect(part.getByRole('alert')).toContainText('line 2');
    await expect(apply).toBeDisabled();
    await expect(part.locator('.cm-lint-marker-error')).toBeVisible();
    await request.replace('{"turns": 3}');
    await expect(part.getByRole('alert')).not.toBeEmpty();
    await expect(apply).toBeDisabled();
    expect(await request.hash()).toBe(original);

    // Keys are completed.
    await request.replace('{');
    await page.keyboard.type('"tur');
    await expect(page.locator('.cm-tooltip-autocomplete')).toContainText(
      'turns'
    );
    await page.keyboard.press('Escape');
    await part.getByRole('button', { name: 'Refresh snapshot' }).click();
    await expect(apply).toBeEnabled();
  });

  test('that cannot be rendered leaves the last valid request, and says so', async ({
    page,
    provider,
    tmpPath
  }) => {
    const listener = await Listener.on(page);
    const { request, original, part, editor, apply } = await open(
      page,
      tmpPath
    );
    const text = await editor.evaluate(
      node => (node as any).cmTile.view.state.doc.toString() as string
    );
    await request.replace(
      text.replace('"provider": "scripted"', '"provider": "elsewhere"')
    );
    await apply.click();
    await expect(part.getByRole('alert')).toContainText(
      'The provider is scripted'
    );
    expect(await request.hash()).toBe(original);

    // What Send would refuse is neither applied nor replayed.
    await editor.click();
    await request.replace(text.replace('"Hello"', '""'));
    for (const name of ['Apply to prompt', 'Apply & Replay']) {
      await part.getByRole('button', { name }).click();
      await expect(part.getByRole('alert').first()).toContainText(
        'The prompt is as it was before: This message is empty'
      );
      await part.getByRole('button', { name: 'Dismiss' }).click();
    }
    await request.chat.execute('turnbook:apply-and-replay');
    await expect(part).not.toContainText('Applied to the prompt');
    await expect(request.part('Replays')).not.toContainText('turn 2');
    expect(await request.hash()).toBe(original);
    await request.expectText(3, 'Hello');

    await editor.click();
    await request.replace(text.replace('briefly', 'at length'));
    await apply.click();
    await expect(part).toContainText('Applied to the prompt');
    const hash = await request.hash();
    expect(hash).not.toBe(original);
    const fallback = {
      event: 'fallback',
      reason: 'wrong-snapshot',
      hash: original
    };
    const expected = [
      {
        event: 'apply',
        debugName: 'prepared · turn 2',
        edited: 1,
        deleted: 0,
        hash
      },
      ...Array.from({ length: 4 }, () => fallback)
    ];
    const heard = await listener.until(...expected.map(({ event }) => event));
    expect(heard.sort((a, b) => a.event.localeCompare(b.event))).toMatchObject(
      expected
    );
    expect(JSON.stringify(heard)).not.toContain('at length');
    expect(await provider.completions()).toHaveLength(0);
  });

  test('is one text in two views, and can be copied and downloaded', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const request = new RequestUI(chat);
    await chat.message.fill('Hello');
    await request.open();
    const part = await request.openPart('Session Snapshot');
    await part.getByRole('button', { name: 'Tree' }).click();
    const turns = part.getByRole('button', {
      name: 'Snapshot: turns',
      exact: true
    });
    await expect(turns).toHaveAttribute('aria-expanded', 'true');
    const leaf = part.locator('textarea').filter({ hasText: 'Which frames?' });
    const closed = part.getByRole('button', {
      name: /^Snapshot: turns/,
      expanded: false
    });
    while (await closed.count()) {
      await closed.first().click();
    }
    await leaf.fill('Which frames, again?');
    await part.getByRole('button', { name: 'JSON' }).click();
    await expect(
      part.getByRole('textbox', { name: 'Session Snapshot as JSON' })
    ).toContainText('Which frames, again?');
    const downloading = page.waitForEvent('download');
    await part.getByRole('button', { name: 'Download snapshot' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^snapshot-.*\.json$/);
    await part.getByRole('button', { name: 'Copy snapshot' }).click();
    await expect(part).toContainText('Copied');
    await chat.execute('turnbook:apply-to-prompt');
    await request.expectText(1, 'Which frames, again?');
  });
});
