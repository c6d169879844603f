import { Chat } from '../support/chat';
import { Filtering } from '../support/filtering';
import { expect, test } from '../support/fixtures';
import { breakSends } from '../support/loading';
import { Replay } from '../support/replay';
import { openPrepared } from '../support/prepared';
import { messagesOf, RequestUI, setSetting } from '../support/request';

const CELLS = [
  { id: 'sys-0001', system: 'Answer briefly.' },
  { id: 'pair-0001', user: 'Compare area frames.', reply: 'Area frames are…' },
  { id: 'note-0001', note: 'Never sent.' },
  { id: 'pair-0002', user: 'And dual frames?', reply: 'Dual frames are…' }
];

test.describe('the Request panel', () => {
  test('shows the request of the next message, and follows it', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const request = new RequestUI(chat);
    await chat.message.fill('How many interviewers?');
    await chat.panel
      .getByRole('button', { name: 'Request', exact: true })
      .click();
    await expect(request.rows).toHaveCount(6);
    await expect(request.rows.locator('.jp-Turnbook-section-name')).toHaveText([
      'system',
      'history · user',
      'history · assistant',
      'history · user',
      'history · assistant',
      'user'
    ]);
    await request.expectText(5, 'How many interviewers?');
    await expect(request.part('Prompt')).toContainText('of 120,000');

    // The panel follows the composer and the filter.
    await chat.message.fill('How many interviewers in 15 days?');
    await request.expectText(5, 'How many interviewers in 15 days?');
    await new Filtering(chat).write('dual');
    await expect(request.rows).toHaveCount(4);

    // A link leads to the cell.
    await request
      .row(1)
      .getByRole('button', { name: 'Go to cell 0002' })
      .click();
    await expect(
      chat.panel.locator('[data-turnbook-pair="pair-0002"]')
    ).toHaveClass(/jp-mod-active/);

    // What it showed is what is sent.
    const hash = await request.hash();
    await chat.message.press('Enter');
    const [sent] = await provider.completions(1);
    expect(sent.sha256).toBe(hash);
    expect(messagesOf(sent)).toEqual([
      { role: 'system', content: 'Answer briefly.' },
      { role: 'user', content: 'And dual frames?' },
      { role: 'assistant', content: 'Dual frames are…' },
      { role: 'user', content: 'How many interviewers in 15 days?' }
    ]);
  });

  test('shows the exact bytes of a past pair and their parity', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    const file = await chat.create(tmpPath);
    await request.open();
    await chat.say('One');
    await chat.expectState(0, 'succeeded');
    await expect(request.panel.getByText('agrees ✓')).toBeVisible();
    await request.target.selectOption({ label: 'turn 1 · One' });
    await expect(request.rows).toHaveCount(1);
    const [sent] = await provider.completions(1);
    await expect.poll(() => request.hash()).toBe(sent.sha256);
    const saved = await chat.saved(
      file,
      nb => nb.cells[0].metadata.turnbook_run?.state === 'succeeded'
    );
    expect(saved.cells[0].metadata.turnbook_run.requestHash).toBe(sent.sha256);
  });

  test('warns when the sent bytes are not those that were shown @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    await chat.create(tmpPath);
    await request.open();
    await breakSends(page);
    await page.route(/\/turnbook\/api\/runs(\?.*)?$/, async route => {
      const posted = route.request().postDataJSON();
      await route.continue({
        postData: JSON.stringify({
          ...posted,
          body: posted.body.replace('pay 100', 'pay 900')
        })
      });
    });
    await chat.say('Please pay 100 francs');
    const [sent] = await provider.completions(1);
    expect(messagesOf(sent)[0].content).toBe('Please pay 900 francs');
    await request.panel.getByRole('button', { name: 'differs ✗' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText(sent.sha256);
    await expect(dialog.locator('.cm-content').first()).toContainText('900');
    await expect(dialog.locator('.cm-deletedText')).toContainText('1');
  });

  test('says what to do without a chat, and keeps chats separate', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    await page.evaluate(() =>
      window.jupyterapp.shell.activateById('turnbook-request')
    );
    await expect(request.panel).toContainText('Open a chat');
    const first = await chat.create(tmpPath);
    await chat.message.fill('A secret of the first chat');
    await request.expectText(0, 'A secret of the first chat');
    await request.write(0, 'An edited secret');
    await expect(chat.panel.getByText('Edited request (1)')).toBeVisible();

    await chat.create(tmpPath);
    await expect(request.panel).not.toContainText('secret');
    await expect(chat.panel.getByText(/Edited request/)).toBeHidden();
    await chat.message.fill('Second');
    await request.expectText(0, 'Second');
    await expect(request.rows).toHaveCount(1);
    await expect(
      request.panel.getByText('Edited', { exact: true })
    ).toHaveCount(0);

    await chat.open(first);
    await request.expectText(0, 'An edited secret');
    await expect(request.panel).not.toContainText('Second');
  });

  test('can be turned off with its commands and those of replays; nothing links to it @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    const replay = new Replay(page);
    await chat.create(tmpPath);
    await chat.message.fill('Hello');
    await request.open();
    await request.write(0, 'Hello, edited');
    await chat.message.press('Enter');
    await chat.expectState(0, 'succeeded');
    const usable = () =>
      page.evaluate(() => {
        const { commands } = window.jupyterapp;
        return [
          'turnbook:open-request-editor',
          'turnbook:edit-request',
          'turnbook:apply-to-prompt',
          'turnbook:apply-and-replay',
          'turnbook:toggle-pause',
          'turnbook:pause-next',
          'turnbook:toggle-auto-apply',
          'turnbook:replay',
          'turnbook:replay-pair',
          'turnbook:start-chatting',
          'turnbook:restore-replay',
          'turnbook:export-replay',
          'turnbook:back-to-conversation',
          'turnbook:show-replay-changes'
        ].filter(id => commands.isVisible(id) || commands.isEnabled(id));
      });
    const set = (key: string, value: boolean) => setSetting(page, key, value);
    const button = request.button('Replay edited prompt');
    const part = await request.openPart('Session Snapshot');
    const applyAndReplay = part.getByRole('button', { name: 'Apply & Replay' });
    await expect(button).toBeVisible();
    await expect(applyAndReplay).toBeVisible();
    expect(await usable()).toHaveLength(14);
    // Without replays, their buttons disappear.
    await set('replay.enabled', false);
    await expect(button).toHaveCount(0);
    await expect(applyAndReplay).toHaveCount(0);
    await expect(request.part('Replays')).toHaveCount(0);
    await expect(
      part.getByRole('button', { name: 'Apply to prompt' })
    ).toBeVisible();
    await set('replay.enabled', true);
    await expect(button).toBeVisible();

    // A replay that is open when the panel is disabled no longer links to it.
    const pair = (await chat.pair(0).getAttribute('data-turnbook-pair'))!;
    await replay.open(chat, pair);
    await expect(replay.button('Open request editor')).toBeVisible();
    await set('requestEditor.enabled', false);
    await expect(replay.button('Open request editor')).toHaveCount(0);
    expect(await usable()).toEqual([]);
    await replay.button('Back to conversation').click();
    await expect(request.panel).toBeHidden();
    await expect(chat.panel.getByRole('switch')).toHaveCount(0);
    expect(await usable()).toEqual([]);
    // Running the command anyway does nothing.
    await chat.execute('turnbook:replay', { pair });
    await expect(chat.message).toBeVisible();
    await chat.execute('turnbook:toggle-pause');
    // The mark of an edited request still shows, and opens its bytes.
    await chat
      .pair(0)
      .getByRole('button', { name: 'Edited request (1)' })
      .click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('Hello, edited');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await set('requestEditor.enabled', true);
    await expect(chat.panel.getByRole('switch')).toHaveCount(1);
    await expect(chat.panel.getByRole('switch')).not.toBeChecked();
    expect(await provider.completions()).toHaveLength(1);
  });
});
