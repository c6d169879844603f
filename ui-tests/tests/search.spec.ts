import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared, preparedNotebook, writeChat } from '../support/prepared';
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

test('a match in a short reply stays in view while cells above it are drawn', async ({
  page,
  tmpPath
}) => {
  const { chat } = await openPrepared(
    page,
    tmpPath,
    Array.from({ length: 300 }, (_, n) => ({
      id: `p${n}`,
      user: `Question ${n}`,
      reply: n === 60 ? 'A rare word' : `Reply ${n}\n\n${'more\n\n'.repeat(8)}`
    }))
  );
  const pair = (n: number) =>
    chat.panel.locator(`[data-turnbook-pair="p${n}"]`);
  await expect(pair(60)).toHaveCount(0);
  // Not every browser keeps the view in place by itself.
  await chat.panel
    .locator('.jp-WindowedPanel-outer')
    .evaluate(node => node.style.setProperty('overflow-anchor', 'none'));
  const search = new Searching(chat);
  await search.find('a rare word');
  await expect(search.counter).toHaveText('1/1');
  await page.keyboard.press('Enter');
  await search.expectCurrent('A rare word', pair(60).locator('.jp-OutputArea'));
  // Those above it are drawn when the page is idle.
  await expect(pair(50)).toHaveCount(1);
  await chat.atRest();
  expect(
    await search.isSeen('A rare word', pair(60).locator('.jp-OutputArea'))
  ).toBe(true);
});

test('while a reply streams, a search does not highlight all matches again', async ({
  page,
  provider,
  tmpPath
}) => {
  const { chat } = await openPrepared(
    page,
    tmpPath,
    // All of them are in view, and so rendered.
    Array.from({ length: 2 }, (_, n) => ({
      id: `p${n}`,
      user: `Question ${n}`,
      reply: 'hay '.repeat(200)
    }))
  );
  const search = new Searching(chat);
  await search.find('hay');
  await expect(search.counter).toHaveText(/\/400$/);
  await search.expectAll(Array.from({ length: 400 }, () => 'hay'));
  await page.evaluate(() => {
    const counted = { added: 0 };
    const { add } = Highlight.prototype;
    Highlight.prototype.add = function (range) {
      counted.added++;
      return add.call(this, range);
    };
    Object.assign(window, {
      counted,
      restore: () => (Highlight.prototype.add = add)
    });
  });
  await provider.reply('one two three four hay. '.repeat(20), 20);
  await chat.say('Tell me more');
  await expect(search.counter).toHaveText(/\/420$/);
  await chat.expectState(2, 'succeeded');
  await search.expectAll(Array.from({ length: 420 }, () => 'hay'));
  const added = await page.evaluate(() => {
    const { counted, restore } = window as any;
    restore();
    return counted.added as number;
  });
  // Those of the reply, each time that it grew, and the current one.
  expect(added).toBeLessThan(2000);
});

test('a match in a pair with outputs far from the view is shown at once', async ({
  page,
  tmpPath
}) => {
  const cells = Array.from({ length: 200 }, (_, n) => ({
    id: `p${n}`,
    user: `Question ${n}`,
    reply: n === 20 ? 'A rare word' : `Reply ${n}`
  }));
  const content = preparedNotebook(cells);
  // An output below that is out of sight: it is rendered when it comes near, and that is never.
  const { outputs } = content.cells[20];
  outputs.push(
    {
      output_type: 'display_data',
      data: { 'text/plain': 'line\n'.repeat(400) },
      metadata: {}
    },
    {
      output_type: 'display_data',
      data: { 'text/markdown': 'Far *down*' },
      metadata: {}
    }
  );
  const path = `${tmpPath}/far.chat.ipynb`;
  const chat = new Chat(page);
  await writeChat(page, path, content);
  await chat.open(path);
  await chat.atRest();
  const search = new Searching(chat);
  await search.find('a rare word');
  await expect(search.counter).toHaveText('1/1');
  const pair = chat.panel.locator('[data-turnbook-pair="p20"]');
  await expect(pair).toHaveCount(0);
  // A timer after which waiting for the last output ends never runs.
  await page.evaluate(() => {
    const { setTimeout } = window;
    const patient = (work: () => void, ms = 0, ...rest: unknown[]) =>
      ms >= 1000 ? 0 : setTimeout(work, ms, ...rest);
    Object.assign(window, {
      setTimeout: patient,
      restore: () => Object.assign(window, { setTimeout })
    });
  });
  await page.keyboard.press('Enter');
  await search.expectCurrent('A rare word', pair.locator('.jp-OutputArea'));
  await page.evaluate(() => (window as any).restore());
});
