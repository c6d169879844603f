import { Filtering } from '../support/filtering';
import { expect, test } from '../support/fixtures';
import { openPrepared, type Prepared } from '../support/prepared';

const CELLS: Prepared[] = [
  { id: 'sys', system: 'Be brief.' },
  { id: 'one', user: 'apples one', reply: 'green', topic: 'ml/nlp', star: 1 },
  { id: 'two', user: 'pears two', reply: 'yellow', topic: 'cooking' },
  { id: 'memo', note: 'A note about apples.' },
  { id: 'three', user: 'pears three', reply: 'brown', star: 2 },
  {
    id: 'four',
    user: 'apples four',
    reply: 'red',
    topic: 'ml/vision',
    star: 3
  },
  { id: 'five', user: 'pears five', reply: 'soft', in: false },
  { id: 'six', user: 'apples six', reply: 'sweet', topic: 'ml' }
];
const ALL = CELLS.map(({ id }) => id);
const APPLES = ['sys', 'one', 'memo', 'four', 'six'];

test.describe('the filter', () => {
  test('hides pairs, and keys skip them', async ({ page, tmpPath }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    await filter.expectShown(ALL);
    await expect(filter.counter).toHaveText('6 / 6');

    // `/` focuses the filter, and Esc returns to the cells.
    await chat.message.press('Escape');
    await expect(chat.message).not.toBeFocused();
    await page.keyboard.press('/');
    await expect(filter.input).toBeFocused();
    await page.keyboard.type('apples');
    await filter.expectShown(APPLES);
    await expect(filter.counter).toHaveText('3 / 3');
    await expect(filter.context).toHaveText('3 of 6 shown · 3 / 3');
    expect(
      await page.evaluate(() =>
        (window.jupyterapp.shell.currentWidget as any).content.widgets
          .filter((cell: any) => cell.isHidden)
          .map((cell: any) => cell.model.id)
      )
    ).toEqual(['two', 'three', 'five']);
    await page.keyboard.press('Escape');
    await expect(filter.input).not.toBeFocused();
    await expect(
      chat.panel.locator('.jp-Notebook.jp-mod-commandMode')
    ).toBeVisible();

    // Arrows, J and K.
    expect(await filter.active()).toBe('six');
    const steps: [string, string][] = [
      ['ArrowUp', 'four'],
      ['k', 'memo'],
      ['k', 'one'],
      ['ArrowUp', 'sys'],
      ['j', 'one'],
      ['ArrowDown', 'memo'],
      ['j', 'four'],
      ['j', 'six'],
      ['j', 'six']
    ];
    for (const [key, id] of steps) {
      await page.keyboard.press(key);
      await expect.poll(() => filter.active()).toBe(id);
    }

    // When a filter hides the active cell, a visible one becomes active.
    await filter.apply('pears');
    await filter.expectShown(['sys', 'two', 'memo', 'three', 'five']);
    await expect.poll(() => filter.active()).toBe('five');
  });

  test('is folded away while it is empty and not in use', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    await expect(filter.input).toBeHidden();
    await expect(filter.button).toHaveAttribute('aria-expanded', 'false');
    await expect(filter.counter).toHaveText('6 / 6');

    await filter.button.click();
    await expect(filter.input).toBeFocused();
    await expect(filter.button).toHaveAttribute('aria-expanded', 'true');
    // Its menu belongs to it.
    await chat.panel.getByRole('button', { name: 'Saved' }).click();
    await expect(page.locator('.jp-Turnbook-filter-menu')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(filter.input).toBeFocused();
    await filter.button.click();
    await expect(filter.input).toBeHidden();
    await expect(filter.button).toHaveAttribute('aria-expanded', 'false');

    // What filters is always visible.
    await filter.apply('apples');
    await filter.expectShown(APPLES);
    await expect(filter.input).toBeVisible();
    await chat.message.focus();
    await expect(filter.input).toBeVisible();
    await filter.apply('');
    await filter.expectShown(ALL);
    await expect(filter.input).toBeHidden();
    await expect(
      chat.panel.locator('.jp-Notebook.jp-mod-commandMode')
    ).toBeVisible();
  });

  test('keeps hidden pairs out of selections and marks', async ({
    page,
    tmpPath
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    await filter.apply('apples');
    await filter.expectShown(APPLES);

    // By keys: from the last pair two cells up, across a hidden one.
    await page.keyboard.press('Shift+ArrowUp');
    await expect.poll(() => filter.chosen()).toEqual(['four', 'six']);
    await page.keyboard.press('Shift+K');
    await expect.poll(() => filter.chosen()).toEqual(['memo', 'four', 'six']);
    await page.keyboard.press('Shift+J');
    await expect.poll(() => filter.chosen()).toEqual(['four', 'six']);
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('Shift+ArrowUp');
    await expect
      .poll(() => filter.chosen())
      .toEqual(['one', 'memo', 'four', 'six']);
    await page.keyboard.press('o');

    // Hidden cells are neither marked nor still selected when they show again.
    await filter.apply('');
    await filter.expectShown(ALL);
    expect(await filter.chosen()).not.toContain('two');
    await chat.execute('docmanager:save');
    const notebook = await chat.saved(
      file,
      nb => nb.cells[1].metadata.turnbook?.in === false
    );
    const out = notebook.cells
      .filter((cell: any) => cell.metadata.turnbook?.in === false)
      .map((cell: any) => cell.id);
    expect(out).toEqual(['one', 'four', 'five', 'six']);

    // By mouse: from the first to the last, with hidden ones between.
    await filter.apply('pears');
    await filter.expectShown(['sys', 'two', 'memo', 'three', 'five']);
    const prompt = (id: string) =>
      chat.panel.locator(`[data-turnbook-pair="${id}"] .jp-InputPrompt`);
    await prompt('two').click();
    await prompt('five').click({ modifiers: ['Shift'] });
    await expect
      .poll(() => filter.chosen())
      .toEqual(['two', 'memo', 'three', 'five']);
  });

  test('document search does not stop at hidden cells', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    await filter.apply('apples');
    await filter.expectShown(APPLES);
    await page.keyboard.press('Control+F');
    const search = page.locator('.jp-DocumentSearch-overlay');
    await search.getByPlaceholder('Find').fill('e');
    // `e` is in every pair's text; only visible cells are searched.
    // sys 2, one 2 and 2, memo 2, four 1 and 1, six 1 and 2
    const counter = search.locator('.jp-DocumentSearch-index-counter');
    await expect(counter).toHaveText(/^\d+\/13$/);
    const seen = new Set<string>();
    let at = Number.parseInt(await counter.innerText());
    for (let n = 0; n < 13; n++) {
      await page.keyboard.press('Enter');
      at = (at % 13) + 1;
      await expect(counter).toHaveText(`${at}/13`);
      seen.add(await filter.active());
    }
    expect([...seen].filter(id => !APPLES.includes(id))).toEqual([]);
    expect(seen.size).toBeGreaterThan(2);

    // The search follows the filter.
    await filter.write('pears');
    await filter.expectShown(['sys', 'two', 'memo', 'three', 'five']);
    await expect(counter).toHaveText(/\/11$/);
  });

  test('keeps the last valid filter when there is a typo', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    await filter.write('star>=2');
    await filter.expectShown(['sys', 'memo', 'three', 'four']);
    await filter.paste(' topc:ml/vision');
    await expect(filter.notice).toContainText('Character 9');
    await expect(filter.notice).toContainText('Still in force: star>=2');
    await expect(filter.input).toHaveAttribute('aria-invalid', 'true');
    await filter.expectShown(['sys', 'memo', 'three', 'four']);
    await expect(filter.counter).toHaveText('2 / 2');
    await filter.notice.getByRole('button', { name: /^Use topic/ }).click();
    await expect(filter.input).toHaveText('star>=2 topic:ml/vision');
    await expect(filter.notice).toBeHidden();
    await expect(filter.input).toBeFocused();
    await filter.expectShown(['sys', 'memo', 'four']);

    // Typing on, through incomplete filters, never shows anything else in between.
    await filter.write('age<');
    await expect(filter.notice).toContainText('A value must follow age<');
    await filter.expectShown(['sys', 'memo', 'four']);

    await chat.panel.getByRole('button', { name: 'Clear filter' }).click();
    await filter.expectShown(ALL);
    await expect(filter.notice).toBeHidden();
    await expect(
      chat.panel.getByRole('button', { name: 'Clear filter' })
    ).toBeHidden();
  });

  test('has a history, saved filters and completion @fresh', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    await filter.apply('star>=1');
    await filter.apply('apples');
    await filter.write('');
    await filter.expectShown(ALL);
    await page.keyboard.press('ArrowUp');
    await expect(filter.input).toHaveText('apples');
    await page.keyboard.press('ArrowUp');
    await expect(filter.input).toHaveText('star>=1');
    await filter.expectShown(['sys', 'one', 'memo', 'three', 'four']);
    await page.keyboard.press('ArrowDown');
    await expect(filter.input).toHaveText('apples');
    await filter.expectShown(APPLES);

    // A saved filter can be chosen from the menu after a reload.
    const menu = chat.panel.getByRole('button', { name: 'Saved' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Save this filter…' }).click();
    await page.locator('.jp-Dialog input').fill('Fruit');
    await page
      .locator('.jp-Dialog')
      .getByRole('button', { name: 'Save' })
      .click();
    await chat.reload();
    await expect(chat.message).toBeVisible();
    await filter.expectShown(ALL);
    await filter.open();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Fruit' }).click();
    await expect(filter.input).toHaveText('apples');
    await filter.expectShown(APPLES);

    // Fields, then topics of the chat; the arrows select and Enter accepts.
    const options = page.locator('.cm-tooltip-autocomplete li');
    await filter.write('to');
    await expect(options.filter({ hasText: 'topic:' })).toBeVisible();
    await filter.write('topic:');
    await expect(options).toHaveText([
      'cooking',
      'ml',
      'ml/**',
      'ml/nlp',
      'ml/vision'
    ]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(filter.input).toHaveText('topic:cooking');
    await filter.expectShown(['sys', 'two', 'memo']);
    // A list without a selection does not capture Enter.
    await filter.write('topic:ml');
    await page.keyboard.press('Enter');
    await expect(filter.input).toHaveText('topic:ml');
    await filter.expectShown(['sys', 'memo', 'six']);
  });

  test('says when everything is hidden, and how to show it', async ({
    page,
    tmpPath
  }) => {
    const pairs = CELLS.filter(cell => 'user' in cell);
    const { chat } = await openPrepared(page, tmpPath, pairs);
    const filter = new Filtering(chat);
    await filter.apply('nowhere');
    await filter.expectShown([]);
    await expect(filter.counter).toHaveText('0 / 0');
    await expect(chat.panel.getByText('The filter hides all 6')).toBeVisible();

    // Keys have nothing to act on and change nothing.
    for (const key of ['j', 'k', 's', 'o', 'ArrowUp']) {
      await page.keyboard.press(key);
    }
    // Tab reaches the button that shows everything, and Enter presses it.
    await page.keyboard.press('Tab');
    await expect(
      chat.panel.getByRole('button', { name: 'Show all' })
    ).toBeFocused();
    await page.keyboard.press('Enter');
    await filter.expectShown(pairs.map(({ id }) => id));
    await expect(chat.panel.getByText('The filter hides all')).toBeHidden();
    await expect(filter.input).toBeHidden();
    const marks = await page.evaluate(() =>
      (window.jupyterapp.shell.currentWidget as any).content.widgets.map(
        (cell: any) => cell.model.getMetadata('turnbook')?.star ?? 0
      )
    );
    expect(marks).toEqual([1, 0, 2, 3, 0, 0]);

    // The same if only notes, which always stay, are left.
    await chat.execute('turnbook:add-note');
    await expect(
      chat.panel.locator('.jp-Turnbook-note .cm-content')
    ).toBeFocused();
    await page.keyboard.type('A note stays.');
    await page.keyboard.press('Shift+Enter');
    await filter.apply('nowhere');
    await expect(chat.panel.getByText('The filter hides all 6')).toBeVisible();
    await expect(chat.panel.locator('.jp-Turnbook-note')).toBeVisible();
    await chat.panel.getByRole('button', { name: 'Show all' }).click();
    await expect(chat.pairs).toHaveCount(6);
  });

  test('offers what is below a topic when the topic alone has nothing', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    await filter.apply('topic:ml star:1');
    await filter.expectShown(['sys', 'memo']);
    await chat.panel
      .getByRole('button', { name: 'topic:ml/** star:1 has 1' })
      .click();
    await filter.expectShown(['sys', 'one', 'memo']);
    await expect(filter.input).toHaveText('topic:ml/** star:1');
  });

  test('hides system messages only if it says so', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    await filter.apply('-is:system apples');
    await filter.expectShown(['one', 'memo', 'four', 'six']);
    await filter.apply('-is:system');
    await filter.expectShown(ALL.filter(id => id !== 'sys'));
    await filter.apply('star:3');
    await filter.expectShown(['sys', 'memo', 'four']);
    await filter.apply('last:2');
    await filter.expectShown(['sys', 'memo', 'five', 'six']);
  });

  test('changed while waiting for a reply, does not change the request', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    await filter.apply('star>=2');
    await filter.expectShown(['sys', 'memo', 'three', 'four']);
    await provider.script({
      steps: [
        { delta: 'half ' },
        { wait: 'go' },
        { delta: 'whole' },
        { finish: 'stop' },
        { done: true }
      ]
    });
    await chat.message.fill('A hidden question');
    await chat.message.press('Enter');
    await expect(
      chat.panel.getByRole('button', { name: 'Thinking…' })
    ).toBeDisabled();
    await filter.write('hidden');
    const pending = chat.pairs.filter({ hasText: 'A hidden question' });
    await expect(pending).toContainText('half');
    await filter.write('apples');
    await filter.expectShown(APPLES);
    await expect(filter.newPairs).toContainText('1 new pair hidden');
    await expect(
      chat.panel.getByRole('button', { name: 'Thinking…' })
    ).toBeDisabled();
    await provider.release('go');
    await expect(chat.send).toBeVisible();
    await filter.expectShown(APPLES);
    await filter.newPairs.getByRole('button', { name: 'Show' }).click();
    await expect(pending).toContainText('half whole');
    await filter.newPairs.getByRole('button', { name: 'Hide' }).click();
    await filter.expectShown(APPLES);
    const requests = await provider.completions();
    expect(requests).toHaveLength(1);
    expect(
      JSON.parse(requests[0].body).messages.map(
        (message: any) => message.content
      )
    ).toEqual([
      'Be brief.',
      'pears three',
      'brown',
      'apples four',
      'red',
      'A hidden question'
    ]);
    await filter.apply('');
    await expect(filter.newPairs).toBeHidden();
    await expect(pending).toContainText('half whole');
    const notebook = await chat.saved(file, nb => nb.cells.length === 9);
    expect(notebook.cells[8].metadata.turnbook_run.context).toEqual([
      ['sys', 'sys', 1],
      ['three', 'four', 2]
    ]);
    expect(notebook.cells[8].metadata.turnbook_run.requestHash).toBe(
      requests[0].sha256
    );
  });

  test('keeps what was just sent in sight and in the context, until it is hidden', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    await filter.apply('star>=2');
    await expect(filter.context).toHaveText('2 of 6 shown · 2 / 2');
    await provider.script([
      { steps: [{ delta: 'plums' }, { finish: 'stop' }, { done: true }] },
      { steps: [{ delta: 'more' }, { finish: 'stop' }, { done: true }] },
      { steps: [{ delta: 'fresh' }, { finish: 'stop' }, { done: true }] }
    ]);
    const texts = async (n: number) =>
      JSON.parse((await provider.completions(n))[n - 1].body).messages.map(
        ({ content }: any) => content
      );
    const starred = ['Be brief.', 'pears three', 'brown', 'apples four', 'red'];

    // Its pair has no star, and is seen all the same.
    await chat.say('Which fruit?');
    await chat.expectState(2, 'succeeded');
    await expect(chat.pair(2)).toContainText('plums');
    await expect(filter.context).toHaveText('3 of 7 shown · 3 / 3');
    await expect(filter.newPairs).toContainText(
      '1 new pair does not match the filter. It is shown, and is sent with the next message.'
    );
    expect(await texts(1)).toEqual([...starred, 'Which fruit?']);

    // What is seen is sent.
    await chat.say('And another?');
    await chat.expectState(3, 'succeeded');
    await expect(filter.newPairs).toContainText('2 new pairs do not match');
    expect(await texts(2)).toEqual([
      ...starred,
      'Which fruit?',
      'plums',
      'And another?'
    ]);

    // Hidden, they are not; the button stays under the finger.
    const button = filter.newPairs.getByRole('button');
    await button.click();
    await expect(button).toHaveText('Show');
    await expect(button).toBeFocused();
    await expect(filter.newPairs).toContainText('2 new pairs hidden');
    await expect(filter.context).toHaveText('2 of 8 shown · 2 / 2');
    await chat.say('From scratch?');
    await chat.expectState(2, 'succeeded');
    await expect(chat.pair(2)).toContainText('fresh');
    expect(await texts(3)).toEqual([...starred, 'From scratch?']);
    await expect(filter.newPairs).toContainText('2 new pairs hidden');

    // Another filter decides anew, once the reply is in the document.
    await expect(chat.send).toBeVisible();
    await filter.apply('star>=3');
    await filter.expectShown(['sys', 'memo', 'four']);
    await expect(filter.newPairs).toBeHidden();
  });

  test('does not take a pair away that is edited so that it no longer matches', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    await filter.apply('apples');
    await filter.expectShown(APPLES);
    await provider.script({
      steps: [{ delta: 'purple' }, { finish: 'stop' }, { done: true }]
    });
    await page.keyboard.press('e');
    const editor = chat.pair(2).getByRole('textbox', { name: 'Edited text' });
    await editor.fill('plums six');
    await editor.press('Enter');
    await expect(chat.pair(2)).toContainText('purple');
    await chat.expectState(2, 'succeeded');
    await filter.expectShown(APPLES);
    await expect(filter.newPairs).toContainText('1 new pair does not match');
  });
});
