import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared } from '../support/prepared';
import { Searching } from '../support/searching';

test('searching and changing a chat causes no errors in the page @fresh', async ({
  page,
  provider,
  tmpPath
}) => {
  const errors: string[] = [];
  page.on('pageerror', error => errors.push(error.message));
  page.on('console', message => {
    if (message.type() === 'error') {
      errors.push(message.text());
    }
  });
  const chat = new Chat(page);
  await chat.create(tmpPath);
  await chat.say('A needle');
  await chat.expectState(0, 'succeeded');
  const long = Array.from({ length: 60 }, (_, n) => `line ${n}\n\n`).join('');
  await provider.script({
    steps: [{ delta: `${long}the needle` }, { finish: 'stop' }, { done: true }]
  });
  await chat.say('Where?');
  await chat.expectState(1, 'succeeded');

  // In the message, in its reply, and at the end of a reply longer than the screen.
  const view = (index: number) =>
    page.evaluate(n => {
      const panel = window.jupyterapp.shell.currentWidget as any;
      panel.content.activeCellIndex = n;
      panel.content.deselectAll();
      panel.enterView();
    }, index);
  await view(0);
  const search = new Searching(chat);
  await search.find('needle');
  const { counter } = search;
  await expect(counter).toHaveText('1/3');
  const step = async (key: string, at: string) => {
    await page.keyboard.press(key);
    await expect(counter).toHaveText(at);
  };
  await step('Enter', '2/3');
  await search.expectCurrent('needle', chat.pair(0).locator('.jp-OutputArea'));
  await step('Enter', '3/3');
  await search.expectCurrent('needle', chat.pair(1).locator('.jp-OutputArea'));
  await step('Shift+Enter', '2/3');
  await search.expectCurrent('needle', chat.pair(0).locator('.jp-OutputArea'));

  // Cells that are added, changed, hidden and deleted during a search.
  await chat.say('Another needle');
  await chat.expectState(2, 'succeeded');
  await expect(counter).toHaveText(/\/5$/);
  await view(2);
  await chat.editByKey();
  const editor = chat.pair(2).getByRole('textbox', { name: 'Edited text' });
  await editor.fill('Hay');
  await editor.press('Enter');
  await expect(chat.pair(2)).toContainText('You said: Hay');
  await chat.expectState(2, 'succeeded');
  const filter = (words: string) =>
    page.evaluate(text => {
      const panel = window.jupyterapp.shell.currentWidget as any;
      panel.filterBar.apply(text);
    }, words);
  await filter('-Where');
  await expect(chat.pairs).toHaveCount(2);
  await filter('');
  await expect(chat.pairs).toHaveCount(3);
  await expect(chat.send).toBeVisible();
  await view(0);
  await page.keyboard.press('x');
  await page
    .locator('.jp-Dialog')
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(chat.pairs).toHaveCount(2);
  await page.keyboard.press('Control+z');
  await expect(chat.pairs).toHaveCount(3);
  await expect(chat.pair(0)).toContainText('You said: A needle');
  // After two frames, frame callbacks have run.
  await page.evaluate(
    () =>
      new Promise(done =>
        requestAnimationFrame(() => requestAnimationFrame(done))
      )
  );
  expect(errors).toEqual([]);
});

test('a search finds text in replies that are not drawn, and shows it', async ({
  page,
  tmpPath
}) => {
  const { chat } = await openPrepared(
    page,
    tmpPath,
    Array.from({ length: 200 }, (_, n) => ({
      id: `p${n}`,
      user: `Question ${n}`,
      reply:
        n === 20
          ? `Some lines\n\n${'and more\n\n'.repeat(60)}A **rare** word`
          : `Reply ${n}`
    }))
  );
  const pair = chat.panel.locator('[data-turnbook-pair="p20"]');
  await expect(pair).toHaveCount(0);
  const search = new Searching(chat);
  // The words are seen without the marks between them.
  await search.find('a rare word');
  await expect(search.counter).toHaveText('1/1');
  await expect(pair).toHaveCount(0);
  await page.keyboard.press('Enter');
  await search.expectCurrent('A rare word', pair.locator('.jp-OutputArea'));
  await expect(search.counter).toHaveText('1/1');

  // Before the first one comes the last one.
  await search.find('Reply 1');
  await expect(search.counter).toHaveText(/\/111$/);
  await search.find('Reply 100');
  await expect(search.counter).toHaveText('1/1');
  await page.keyboard.press('Shift+Enter');
  await search.expectCurrent(
    'Reply 100',
    chat.panel.locator('[data-turnbook-pair="p100"] .jp-OutputArea')
  );
});

test('a search has options, follows a reply that streams, and leaves nothing behind', async ({
  page,
  provider,
  tmpPath
}) => {
  const chat = new Chat(page);
  await chat.create(tmpPath);
  await provider.script({
    steps: [
      { delta: 'Cat and category, `c.t`\n\n' },
      { wait: 'second-cat' },
      { delta: 'a **CAT** at last' },
      { finish: 'stop' },
      { done: true }
    ]
  });
  await chat.say('Tell me of the cat');
  const pair = chat.pair(0);
  await expect(pair).toContainText('category');
  const search = new Searching(chat);
  await search.find('cat');
  await expect(search.counter).toHaveText(/\/3$/);
  await search.expectAll(['cat', 'Cat', 'cat']);
  await provider.release('second-cat');
  await expect(search.counter).toHaveText(/\/4$/);
  await search.expectAll(['cat', 'Cat', 'cat', 'CAT']);
  await chat.expectState(0, 'succeeded');
  await expect(pair.locator('.jp-Turnbook-streaming')).toHaveCount(0);
  await search.expectAll(['cat', 'Cat', 'cat', 'CAT']);

  await search.toggle('Match Whole Word');
  await search.expectAll(['cat', 'Cat', 'CAT']);
  await search.toggle('Match Case');
  await search.expectAll(['cat']);
  await search.toggle('Match Whole Word');
  await search.expectAll(['cat', 'cat']);
  await search.toggle('Use Regular Expression');
  await search.find('c.t\\b');
  await search.expectAll(['cat', 'c.t']);
  // Nothing in a chat can be replaced by searching.
  await expect(search.overlay.getByPlaceholder('Replace')).toHaveCount(0);
  await expect(
    search.overlay.locator('.jp-DocumentSearch-replace-toggle')
  ).toHaveCount(0);

  await page.keyboard.press('Escape');
  await expect(search.overlay).toHaveCount(0);
  await search.expectAll([]);
  await expect(pair.locator('mark, .cm-searching')).toHaveCount(0);
});
