/** What people hear who do not see the screen, and whether they get everywhere. */
import { Axe } from '../support/axe';
import { Beside, code } from '../support/beside';
import { Chat } from '../support/chat';
import { Filtering } from '../support/filtering';
import { expect, test } from '../support/fixtures';
import { openPrepared, type Prepared } from '../support/prepared';
import { editLive, Replay } from '../support/replay';
import { RequestUI, setSetting } from '../support/request';
import { call, calling, Rounds, saying } from '../support/tools';

const CHAT = '.jp-Turnbook-chat:not(.lm-mod-hidden)';
const COMPOSER = `${CHAT} .jp-Turnbook-composer`;
const DIALOG = '.jp-Dialog';
const MENU = '.lm-Menu:not(.lm-mod-hidden)';
const PANEL = '.jp-Turnbook-panel';
const REPLAY = '.jp-Turnbook-replay:not(.lm-mod-hidden)';

const RICH = `# Frames

See \`x\`, **bold** and a [link](https://example.org):

\`\`\`python
print("long", 1)  # comment
\`\`\`

$$E = mc^2$$ and \\(x\\)

| a | b |
|---|---|
| 1 | 2 |

> quoted

- [ ] to do
- [x] done
`;

const CELLS: Prepared[] = [
  { id: 'sys-0001', system: 'Answer briefly.' },
  { id: 'note-001', note: '# A note\n\nwith a [link](#a) and `code`' },
  {
    id: 'rich',
    user: 'Which frames?\n\n```py\nprint(1)\n```',
    reply: RICH,
    topic: 'survey/frames',
    star: 2
  },
  {
    id: 'long',
    user: 'Long?',
    reply: Array.from({ length: 60 }, (_, n) => `Line ${n}\n`).join('\n'),
    in: false
  },
  {
    id: 'stopped',
    user: 'Stop?',
    reply: 'It was stopped',
    state: 'canceled',
    topic: 'survey'
  },
  { id: 'failed', user: 'Fail?', reply: 'It failed', state: 'error' }
];

test.describe('axe finds nothing in', () => {
  test.beforeEach(async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    // So tall that all cells are drawn and in view.
    await page.setViewportSize({ width: 1280, height: 2000 });
  });

  test('the first screens', async ({ page, tmpPath }) => {
    const axe = new Axe(page);
    const chat = new Chat(page);
    await axe.expectNothing('cards', '.jp-LauncherCard[title*="chat" i]');
    await chat.create(tmpPath);
    await axe.expectNothing('an empty chat', CHAT);
    await chat.message.press('Escape');
    await page.keyboard.press('?');
    await axe.expectNothing('keys and filters', '.jp-Turnbook-help');
    await page.keyboard.press('Escape');
    await chat.panel.getByRole('button', { name: 'Take the tour' }).click();
    const tour = page.getByRole('dialog', { name: 'Tour' });
    for (let step = 1; step <= 5; step++) {
      await expect(tour).toContainText(`${step} of 5`);
      await axe.expectNothing(`step ${step} of the tour`, '.jp-Turnbook-tour');
      if (step < 5) {
        await tour.getByRole('button', { name: 'Next' }).click();
      }
    }
    await page.keyboard.press('Escape');
    await chat.execute('turnbook:example-chat', { cwd: tmpPath });
    await expect(chat.panel).toContainText('Try it on this chat');
    await chat.atRest();
    await axe.expectNothing('the example', CHAT);
  });

  test('cells, their marks and the filter', async ({ page, tmpPath }) => {
    const axe = new Axe(page);
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    await expect(chat.panel.locator('mjx-container').first()).toBeVisible();
    await axe.expectNothing('cells', CHAT);
    await chat.choose(2);
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await axe.expectNothing('several selected', CHAT);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('F');
    await axe.expectNothing('an unfolded reply', CHAT);
    await chat.choose(4);
    await chat.editByKey();
    await axe.expectNothing('Edit & Resend', CHAT);
    await page.keyboard.press('Escape');
    await chat.choose(0);
    await page.keyboard.press('Enter');
    await axe.expectNothing('a system message being edited', CHAT);
    await page.keyboard.press('Escape');
    await chat.pair(0).locator('.jp-InputPrompt').click({ button: 'right' });
    await axe.expectNothing('the menu of a pair', MENU);
    await page.keyboard.press('Escape');

    const filtering = new Filtering(chat);
    await filtering.write('top');
    await axe.expectNothing(
      'completion',
      `${CHAT} .jp-Turnbook-filter`,
      '.cm-tooltip-autocomplete'
    );
    await filtering.write('topci:x');
    await expect(filtering.notice).toBeVisible();
    await axe.expectNothing('a wrong filter', `${CHAT} .jp-Turnbook-filter`);
    await chat.panel.getByRole('button', { name: 'Saved' }).click();
    await axe.expectNothing('saved filters', '.jp-Turnbook-filter-menu');
    await page.keyboard.press('Escape');
    await filtering.write('nothing-has-this');
    await expect(chat.pairs).toHaveCount(0);
    await axe.expectNothing('all hidden', CHAT);
    await filtering.write('');

    await chat.panel.getByRole('button', { name: 'Topics' }).click();
    await axe.expectNothing('topics', '[role="tree"][aria-label="Topics"]');
    await page.keyboard.press('Escape');
    const topic = chat.panel.getByRole('textbox', { name: 'Topic' });
    await topic.fill('sur');
    await axe.expectNothing(
      'topics to choose from',
      COMPOSER,
      '[role="listbox"]'
    );
    await topic.fill('a//b');
    await axe.expectNothing('a wrong topic', COMPOSER);
  });

  test('what can be done with code', async ({ page, tmpPath }) => {
    const axe = new Axe(page);
    await page.evaluate(
      path =>
        window.jupyterapp.serviceManager.contents
          .save(path, { type: 'file', format: 'text', content: '1\n' })
          .then(() => null),
      `${tmpPath}/x`
    );
    const diff = (file: string) =>
      `--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-1\n+2\n`;
    const { chat } = await openPrepared(page, tmpPath, [
      {
        id: 'diff',
        user: 'Change it',
        reply: `\`\`\`diff\n${diff('x')}${diff('gone')}\`\`\``
      }
    ]);
    const block = chat.pair(0).getByRole('group', { name: 'Code block: diff' });
    await chat.choose(0);
    await block.focus();
    await axe.expectNothing('a block with the focus', CHAT);
    await page.keyboard.press('d');
    await expect(page.locator(DIALOG)).toContainText('There is no such file');
    await axe.expectNothing('a diff, and a file that it misses', DIALOG);
    await page.keyboard.press('Escape');
    await expect(block).toBeFocused();
  });

  test('a reply under way, tools, versions and retries @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const axe = new Axe(page);
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const dialog = page.locator(DIALOG);
    await provider.script({
      steps: [
        { headers: true },
        { wait: 'text' },
        { delta: 'Growing **text** ' },
        { wait: 'end' },
        { finish: 'stop' },
        { done: true }
      ]
    });
    await chat.say('Think');
    await expect(chat.pair(0)).toContainText('thinking…');
    await axe.expectNothing('thinking', CHAT);
    await page.locator('.jp-Turnbook-status-button').click();
    await axe.expectNothing(
      'the status bar',
      '.jp-Turnbook-statusMenu',
      '.jp-Turnbook-status'
    );
    await page.keyboard.press('Escape');
    await provider.release('text');
    await expect(chat.pair(0)).toContainText('Growing');
    await axe.expectNothing('streaming', CHAT);
    await provider.release('end');
    await chat.expectState(0, 'succeeded');

    await chat.message.press('Escape');
    await chat.resendByKey(chat.pair(0), 'Think again');
    const previous = chat
      .pair(0)
      .getByRole('button', { name: 'Previous version' });
    await expect(previous).toBeVisible();
    await chat.expectState(0, 'succeeded');
    await previous.click();
    await axe.expectNothing('an earlier version', CHAT);

    const dice = call(0, 'a', 'dice', '{"n": 2}');
    await provider.script(calling('Let me see.', dice));
    await chat.say('Roll');
    await expect(new Rounds(chat, 1).result('dice')).toBeVisible();
    await axe.expectNothing('a tool round', CHAT);
    await chat.begin('turnbook:show-request');
    await expect(dialog).toContainText('The hash agrees');
    await axe.expectNothing('Show Request', DIALOG);
    await dialog.getByRole('button', { name: 'Raw' }).click();
    await axe.expectNothing('its bytes', DIALOG);
    await dialog.getByRole('button', { name: 'Show response' }).click();
    await expect(dialog.getByRole('listitem').first()).toBeVisible();
    await dialog.getByText(/^\d+ headers?$/).click();
    await axe.expectNothing('Show Response', DIALOG);
    await dialog.getByRole('button', { name: 'Raw' }).click();
    await axe.expectNothing('the bytes of a response', DIALOG);
    await page.keyboard.press('Escape');

    await setSetting(page, 'autoRetry', true);
    await provider.script({
      status: 503,
      headers: { 'Retry-After': '3600' },
      steps: [{ body: { error: { message: 'Overloaded for now' } } }]
    });
    await chat.say('Fail');
    await expect(
      chat.pair(2).getByRole('button', { name: 'Stop auto-retry' })
    ).toBeVisible();
    await axe.expectNothing('a countdown', CHAT);
    await chat.begin('turnbook:attempts');
    await expect(dialog).toContainText('503');
    await axe.expectNothing('attempts', DIALOG);
    await page.keyboard.press('Escape');
    await chat.begin('turnbook:usage');
    await expect(dialog.getByRole('table')).toHaveCount(2);
    await axe.expectNothing('totals', DIALOG, '.jp-Turnbook-usageStatus');
    await page.keyboard.press('Escape');
    // A dialog that closes gives the focus back to where it was before.
    await expect(dialog).toHaveCount(0);
    await chat.choose(0);
    await page.keyboard.press('x');
    await expect(dialog.getByRole('button', { name: 'Delete' })).toBeVisible();
    await axe.expectNothing('a question before deleting', DIALOG);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await chat.begin('turnbook:recovered-replies');
    await expect(dialog.getByRole('listitem').first()).toBeVisible();
    await axe.expectNothing('recovered replies', DIALOG);
    await page.keyboard.press('Escape');
    await chat.begin('turnbook:name-chat');
    await axe.expectNothing('the name of a chat', DIALOG);
    await page.keyboard.press('Escape');
  });

  test('a notebook with its chat, beside it and in the sidebar', async ({
    page,
    tmpPath
  }) => {
    const axe = new Axe(page);
    const beside = new Beside(page);
    const file = `${tmpPath}/failed.ipynb`;
    const error = {
      output_type: 'error',
      ename: 'ValueError',
      evalue: 'no',
      traceback: ['ValueError: no']
    };
    await beside.prepare(file, [code('fail()', [error])]);
    await beside.select(0);
    await axe.expectNothing(
      'the buttons',
      '.jp-Turnbook-chatButton',
      '.jp-Turnbook-explainError'
    );
    await beside.chat.execute('turnbook:explain-error');
    await expect(beside.chips).toHaveCount(2);
    await axe.expectNothing('a chat beside a notebook', CHAT);
    await beside.chat.execute('turnbook:toggle-sidebar');
    await expect(beside.chat.message).toBeFocused();
    // JupyterLab's own button for the tools that have no room is not included.
    await axe.expectNothing(
      'a chat in the sidebar',
      COMPOSER,
      `${CHAT} .jp-Turnbook-notebook`
    );
    await beside.chat.begin('turnbook:show-asking-code');
    await axe.expectNothing('the code that asks kernels', DIALOG);
  });

  test('references, what is sent of them and what they are now', async ({
    page,
    provider,
    tmpPath
  }) => {
    const axe = new Axe(page);
    const chat = new Chat(page);
    const file = `${tmpPath}/plan.md`;
    await page.contents.uploadContent('One\n', 'text', file);
    await chat.create(tmpPath);
    await chat.message.pressSequentially('@plan.md');
    await expect(page.getByRole('option', { name: /plan\.md/ })).toBeVisible();
    await axe.expectNothing('the list', '.jp-Turnbook-references', COMPOSER);
    await page.keyboard.press('Enter');
    await expect(chat.panel.getByText(file)).toBeVisible();
    await axe.expectNothing('a chip', COMPOSER);
    await provider.reply('Good.');
    await chat.say('Is it good?');
    await chat.expectState(0, 'succeeded');
    await page.contents.uploadContent('Two\n', 'text', file);
    await chat
      .pair(0)
      .getByRole('button', { name: /^Show what is sent/ })
      .click();
    await axe.expectNothing('what is sent', DIALOG);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.getByLabel('Changes since')).toContainText('Two');
    await axe.expectNothing('what has changed', DIALOG);
    await page.keyboard.press('Escape');
    await axe.expectNothing('the pair', CHAT);
  });

  test('models, providers and options', async ({ page, servers, tmpPath }) => {
    const axe = new Axe(page);
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await chat.model.focus();
    await page.keyboard.press('Enter');
    await axe.expectNothing('the model menu', '.jp-Turnbook-modelMenu');
    await page.keyboard.type('zzz');
    await axe.expectNothing('no such model', '.jp-Turnbook-modelMenu');
    await page.keyboard.press('Escape');

    await chat.begin('turnbook:manage-providers');
    const providers = page.getByRole('dialog', {
      name: 'Models and providers'
    });
    await axe.expectNothing('providers', DIALOG);
    await providers.getByLabel('Name').fill('not a name');
    await page.keyboard.press('Enter');
    await axe.expectNothing('a wrong name', DIALOG);
    await providers.getByLabel('Name').fill('added');
    await providers.getByLabel('Base URL').fill(servers.url);
    await providers.getByLabel('API key').fill(servers.key);
    await providers.getByRole('button', { name: 'Test' }).click();
    await expect(providers).toContainText('It works');
    await providers.getByLabel('Model to try').selectOption('scripted');
    await providers.getByRole('button', { name: 'Try what it can do' }).click();
    await expect(
      providers
        .getByRole('list', { name: 'What scripted can do' })
        .getByRole('listitem')
    ).toHaveCount(5);
    await axe.expectNothing('what a model can do', DIALOG);
    await providers.getByRole('button', { name: 'Save' }).click();
    await providers.getByRole('button', { name: 'Delete added' }).click();
    await axe.expectNothing('a saved provider', DIALOG);
    await providers.getByRole('button', { name: 'Yes, delete' }).click();
    await expect(providers).toContainText('are deleted');
    await page.keyboard.press('Escape');

    await chat.begin('turnbook:local-models');
    const models = page.getByRole('dialog', { name: 'Local models' });
    await expect(models.getByRole('listitem').first()).toBeVisible();
    await axe.expectNothing('local models', DIALOG);
    await page.keyboard.press('Escape');

    await chat.panel.getByRole('button', { name: 'Add an option' }).click();
    const option = page.getByRole('dialog');
    await option
      .getByRole('combobox', { name: 'Option' })
      .selectOption('temperature');
    const value = option.getByRole('textbox', { name: 'Value' });
    await value.fill('hot');
    await value.press('Enter');
    await axe.expectNothing('a wrong option', DIALOG);
    await value.fill('0.2');
    await value.press('Enter');
    await expect(option).toHaveCount(0);
    await axe.expectNothing('options', COMPOSER);
  });

  test('the Request panel and its parts', async ({ page, tmpPath }) => {
    const axe = new Axe(page);
    const { chat } = await openPrepared(page, tmpPath, CELLS.slice(0, 4));
    const request = new RequestUI(chat);
    await chat.message.fill('Go on');
    await request.open();
    await axe.expectNothing('a request', PANEL);
    await request.write(0, 'Answer at length.');
    await request.header(1).hover();
    await request
      .row(1)
      .getByRole('button', { name: 'Delete section' })
      .click();
    await request.header(2).hover();
    await request.row(2).getByRole('button', { name: 'As JSON' }).click();
    await request.toggle('Auto-apply').click();
    await axe.expectNothing('edits', PANEL, COMPOSER);
    await request.button('Diff').click();
    await axe.expectNothing('differences', PANEL);
    await request.button('Diff').click();
    await chat.execute('turnbook:pause-next');
    await chat.message.press('Enter');
    await request.paused();
    await axe.expectNothing('a paused message', PANEL, COMPOSER);
    await request.button('Replay edited prompt').click();
    await expect(new Replay(page).badge).toBeVisible();
    await new Replay(page).button('Back to conversation').click();
    for (const name of [
      'Options',
      'Session Snapshot',
      'Versions',
      'Auto-apply',
      'Replays'
    ]) {
      const part = await request.openPart(name);
      await axe.expectNothing(name, PANEL);
      if (name === 'Session Snapshot') {
        await part.getByRole('button', { name: 'Tree' }).click();
        await axe.expectNothing('the tree', PANEL);
      }
      await part.getByRole('button', { name, exact: true }).click();
    }
  });

  test('structured replies, their option and reasoning', async ({
    page,
    provider,
    tmpPath
  }) => {
    const axe = new Axe(page);
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    await chat.create(tmpPath);
    await chat.panel.getByRole('button', { name: 'Add an option' }).click();
    const option = page.getByRole('dialog');
    await option
      .getByRole('combobox', { name: 'Option' })
      .selectOption('response_format');
    await option.getByRole('button', { name: 'JSON with a schema' }).click();
    await axe.expectNothing('a response format', DIALOG);
    await option.getByRole('button', { name: 'Set for this chat' }).click();
    await expect(option).toHaveCount(0);
    const thought = { reasoning_content: 'Let me see.' };
    const replies = [
      JSON.stringify({
        title: 'x'.repeat(2000),
        score: 2,
        tags: Array.from({ length: 60 }, (_, n) => `tag ${n}`)
      }),
      '```json\n{"title": "a", "score": 1, "score": 0.5, "tags": []}\n```',
      'No.'
    ];
    await provider.script([
      {
        steps: [
          { chunk: { choices: [{ index: 0, delta: thought }] } },
          { tool_calls: [call(0, 'c', 'look', '{}')] },
          { finish: 'tool_calls' },
          { done: true }
        ]
      },
      ...replies.map(saying)
    ]);
    await chat.say('Look');
    await chat.expectState(0, 'succeeded');
    await new Rounds(chat).answer('look', 'nothing');
    const view = (n: number) =>
      chat.pair(n).getByRole('group', { name: 'Structured reply' });
    await expect(view(0)).toContainText('1 error');
    await chat.say('In a block');
    await expect(view(1)).toContainText('matches the schema');
    await chat.say('Or not');
    await expect(view(2)).toContainText('Not JSON');
    await axe.expectNothing('trees', CHAT);
    await view(1).getByRole('button', { name: 'Show text' }).click();
    await axe.expectNothing('a text', CHAT);
    await request.open();
    await request.panel
      .locator('[data-turnbook-kind="reasoning"]')
      .first()
      .getByRole('button', { name: 'reasoning' })
      .click();
    await axe.expectNothing('reasoning', PANEL);
  });

  test('a replay, its record and a chat from it', async ({ page, tmpPath }) => {
    const axe = new Axe(page);
    const { chat } = await openPrepared(page, tmpPath, CELLS.slice(0, 3));
    await chat.message.fill('Go on');
    await editLive(chat, 'Answer briefly.', 'Answer at length.');
    const replay = new Replay(page);
    await replay.open(chat);
    await replay.panel.getByText('Options and hash').click();
    await axe.expectNothing('a replay', REPLAY);
    await replay.panel.locator('.jp-Turnbook-chip.jp-mod-edited').focus();
    await axe.expectNothing('a change', '[role="tooltip"]');
    await replay.cells.last().click({ button: 'right' });
    await axe.expectNothing('the menu of a replay', MENU);
    await page.keyboard.press('Escape');
    await replay.button('Export replay record').click();
    await axe.expectNothing('the name of a record', DIALOG);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('shared');
    await dialog.getByRole('button', { name: 'Ok' }).click();
    const toast = page.locator('.Toastify__toast', { hasText: 'Exported to' });
    await expect(toast).toBeVisible();
    await replay.button('Start chatting from this replay').click();
    await expect(chat.panel.locator('.jp-Turnbook-forkBar')).toBeVisible();
    await axe.expectNothing('a chat from a replay', CHAT);
    await chat.execute('docmanager:open', {
      path: `${tmpPath}/shared.replay.ipynb`
    });
    await expect(replay.banner).toContainText('from a record of chat');
    await axe.expectNothing('a record', REPLAY);

    const file = await chat.createAnswered(tmpPath, 'First');
    const pair = (await chat.pair(0).getAttribute('data-turnbook-pair'))!;
    await replay.open(chat, pair);
    await chat.open(file);
    await chat.deleteLastByKey();
    await expect(chat.pairs).toHaveCount(0);
    await page.getByRole('tab', { name: 'Replay cleared' }).click();
    await axe.expectNothing('a cleared replay', REPLAY);
  });
});

test.describe('a screen reader', () => {
  test('hears where a message is and what became of it, and once how a reply ended', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS.slice(0, 4));
    const region = chat.panel.locator('.jp-Turnbook-announcer');
    await expect(region).toHaveRole('status');
    // Everything that is announced in the chat, wherever.
    await chat.panel.evaluate(node => {
      const heard: string[] = [];
      Object.assign(window, { heard });
      const live = '[role="status"], [role="alert"], [aria-live="polite"]';
      new MutationObserver(changes => {
        for (const { target } of changes) {
          const parent =
            target instanceof Element ? target : target.parentElement;
          const part = parent?.closest(live);
          const text = part?.textContent?.trim();
          if (part?.ariaLive !== 'off' && text && heard.at(-1) !== text) {
            heard.push(text);
          }
        }
      }).observe(node, { childList: true, characterData: true, subtree: true });
    });
    const heard = (): Promise<string[]> =>
      page.evaluate(() => (window as unknown as { heard: string[] }).heard);
    const hears = async (...texts: (string | RegExp)[]) => {
      await expect.poll(async () => (await heard()).length).toBe(texts.length);
      const all = await heard();
      texts.forEach((text, n) => expect(all[n]).toMatch(text));
      await page.evaluate(() => {
        (window as unknown as { heard: string[] }).heard.length = 0;
      });
    };

    const words = 'One two three four five six seven eight nine ten. ';
    await chat.sayGated(provider, 'Count', words, 'more', words.repeat(3));
    await expect(chat.pair(2)).toHaveAccessibleName(
      'Message 3 of 3: Count. Waiting for the reply from scripted.'
    );
    await provider.release('more');
    await chat.expectState(2, 'succeeded');
    await hears(
      'Waiting for the reply.',
      /^\d \/ \d$/,
      'The reply from scripted is complete.'
    );
    await expect(chat.pair(2)).toHaveAccessibleName(
      /^Message 3 of 3: Count\. Reply from scripted: One two three/
    );
    await expect(chat.pair(0)).toHaveAccessibleName(
      'Message 1 of 3: Which frames? Reply from scripted: Frames'
    );

    await chat.sayGated(provider, 'Stop', words, 'never', '');
    await chat.stop.click();
    await chat.expectState(3, 'canceled');
    await hears(
      'Waiting for the reply.',
      /^\d \/ \d$/,
      /^Stopped after \d+ characters\.$/
    );
    await provider.script({ status: 500, steps: [{ body: {} }] });
    await chat.say('Fail');
    await chat.expectState(4, 'error');
    await hears(
      'Waiting for the reply.',
      /^\d \/ \d$/,
      'The provider failed. Auto-retry is off.'
    );

    // Numbers follow the filter.
    const filtering = new Filtering(chat);
    await filtering.apply('Count');
    await expect(chat.pairs).toHaveCount(1);
    await expect(chat.pair(0)).toHaveAccessibleName(/^Message 1 of 1: Count/);
    await expect(
      chat.panel.getByRole('article', { name: /^System message: Answer/ })
    ).toBeVisible();
  });
});

test('everything in the Request panel can be reached by Tab, in order', async ({
  page,
  tmpPath
}) => {
  const { chat } = await openPrepared(page, tmpPath, [
    { id: 'sys-0001', system: 'Answer briefly.' },
    { id: 'pair-0001', user: 'Which frames?', reply: 'Area frames.' }
  ]);
  const request = new RequestUI(chat);
  await chat.message.fill('Go on');
  await request.open();
  await request.target.focus();
  const seen: string[] = [];
  for (let n = 0; n < 80; n++) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate(() => {
      const node = document.activeElement as HTMLElement;
      return node.closest('.jp-Turnbook-panel')
        ? (node.getAttribute('aria-label') ?? node.textContent ?? '')
        : null;
    });
    if (name === null) {
      break;
    }
    seen.push(name.trim());
  }
  const expected = [
    'Prompt',
    'system',
    'Add section',
    'Options',
    'Session Snapshot',
    'Versions',
    'Auto-apply',
    'Diff'
  ];
  // A section's name and its text have the same accessible name.
  const stops = [...new Set(seen)].filter(name => expected.includes(name));
  expect(stops).toEqual(expected);
  expect(seen.every(name => name !== '')).toBe(true);
});

test('the whole way goes without a mouse, and the focus is always seen', async ({
  page,
  provider,
  tmpPath
}) => {
  const chat = new Chat(page);
  const { keyboard } = page;
  const request = new RequestUI(chat);
  const replay = new Replay(page);
  /** What has the focus must exist, be in view and look like it. */
  const focused = async (): Promise<string> => {
    const found = await page.evaluate(() => {
      const node = document.activeElement as HTMLElement;
      const { top, bottom, width, height } = node.getBoundingClientRect();
      const style = getComputedStyle(node);
      const isWriting = node.matches(
        'input, textarea, [contenteditable="true"]'
      );
      const isCell = node.matches('.jp-Cell.jp-mod-active');
      return {
        name:
          (node.ariaLabel ?? node.textContent ?? '').trim() +
          (node.isContentEditable ? ', text' : ''),
        isLost: node === document.body,
        isInView:
          width > 0 && height > 0 && bottom > 0 && top < window.innerHeight,
        isMarked:
          isWriting ||
          isCell ||
          style.outlineStyle !== 'none' ||
          style.boxShadow !== 'none' ||
          node.shadowRoot !== null,
        html: node.outerHTML.slice(0, 200)
      };
    });
    const { name, html, ...facts } = found;
    expect(facts, html).toEqual({
      isLost: false,
      isInView: true,
      isMarked: true
    });
    return name;
  };
  /** Press a key until something has the focus, which is checked at each step. */
  const walkTo = async (name: string | RegExp, key = 'Tab') => {
    for (let n = 0; n < 60; n++) {
      await keyboard.press(key);
      const found = await focused();
      if (typeof name === 'string' ? found === name : name.test(found)) {
        return;
      }
    }
    throw new Error(`${key} does not lead to ${name}.`);
  };

  await keyboard.press('Control+Shift+C');
  await keyboard.type('New Chat');
  await keyboard.press('Enter');
  await expect(chat.message).toBeFocused();
  await chat.atRest();
  expect(await chat.path()).toContain(tmpPath);
  for (const [n, text] of ['Which frames?', 'How many days?'].entries()) {
    await keyboard.type(text);
    await expect(chat.send).toBeEnabled();
    await keyboard.press('Enter');
    await chat.expectState(n, 'succeeded');
    await focused();
  }

  // The cells, their marks and their tools.
  await keyboard.press('Escape');
  expect(await focused()).toMatch(/^Message 2 of 2: How many days/);
  await keyboard.press('ArrowUp');
  expect(await focused()).toMatch(/^Message 1 of 2: Which frames/);
  await keyboard.press('s');
  await expect(chat.pair(0).locator('.jp-InputPrompt')).toHaveText('★');
  await focused();
  // The tools follow the active pair with a short delay.
  await expect(chat.tool(0, /^Star/)).toBeVisible();
  // They are seen before the toolbar has one of them as its stop.
  await expect(
    chat.pair(0).locator('.jp-Turnbook-cellToolbar [tabindex="0"]')
  ).toHaveCount(1);
  // Its stop is whichever of its tools was drawn first; the arrows lead to the others.
  await keyboard.press('Tab');
  await focused();
  await expect(
    chat.pair(0).locator('.jp-Turnbook-cellToolbar:focus-within')
  ).toHaveCount(1);
  await walkTo(/^Edit & Resend/, 'ArrowLeft');
  await walkTo(/^Star/, 'ArrowRight');
  await keyboard.press('Enter');
  await expect(chat.pair(0).locator('.jp-InputPrompt')).toHaveText('★★');
  await focused();

  // The filter.
  await keyboard.press('/');
  await focused();
  await keyboard.type('star:2');
  await expect(chat.pairs).toHaveCount(1);
  await keyboard.press('Escape');
  expect(await focused()).toMatch(/^Message 1 of 1: Which frames/);

  // A note is written, left and edited again.
  await keyboard.press('Control+Shift+C');
  await keyboard.type('Add Note');
  await keyboard.press('Enter');
  const note = chat.panel.getByRole('textbox', { name: 'Text of the note' });
  await expect(note).toBeFocused();
  await keyboard.type('To do');
  await keyboard.press('Escape');
  await expect(
    chat.panel.getByRole('article', { name: 'Note: To do' })
  ).toBeFocused();
  await keyboard.press('e');
  await expect(note).toBeFocused();
  await keyboard.type('ne ');
  await keyboard.press('Escape');
  await focused();

  // The request: edited, replayed, and a new chat from it.
  await keyboard.press('Enter');
  await expect(chat.message).toBeFocused();
  await keyboard.type('And the costs?');
  await keyboard.press('Alt+Shift+R');
  await expect(request.panel).toBeFocused();
  await focused();
  await expect(request.row(0)).toBeVisible();
  await walkTo('user, text');
  await keyboard.press('Control+A');
  await keyboard.type('Which lists?');
  await request.expectText(2, 'Which lists?');
  await walkTo('Replay edited prompt');
  await keyboard.press('Enter');
  await expect(replay.panel.locator('.jp-Cell:focus')).toBeVisible();
  await walkTo('Start chatting from this replay', 'Shift+Tab');
  await keyboard.press('Enter');
  await expect(chat.message).toBeFocused();
  await expect(chat.panel).toContainText('Which lists?');
  expect(await provider.completions()).toHaveLength(2);
});
