import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';

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
  await page.keyboard.press('Control+F');
  const search = page.locator('.jp-DocumentSearch-overlay');
  const counter = search.locator('.jp-DocumentSearch-index-counter');
  await search.locator('.jp-DocumentSearch-filter-button').click();
  await search.getByRole('checkbox', { name: 'Search Replies' }).check();
  await search.getByPlaceholder('Find').fill('needle');
  await expect(counter).toHaveText('1/3');
  const current = chat.panel.locator('.jp-OutputArea .jp-current-match');
  const step = async (key: string, at: string) => {
    await page.keyboard.press(key);
    await expect(counter).toHaveText(at);
  };
  await step('Enter', '2/3');
  await expect(current).toBeInViewport();
  await step('Enter', '3/3');
  await expect(
    chat.pair(1).locator('.jp-OutputArea .jp-current-match')
  ).toBeInViewport();
  await step('Shift+Enter', '2/3');
  await expect(
    chat.pair(0).locator('.jp-OutputArea .jp-current-match')
  ).toBeInViewport();

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
