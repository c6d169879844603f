import { isDeepStrictEqual } from 'util';

import { Filtering } from '../support/filtering';
import { expect, test } from '../support/fixtures';
import { openPrepared, type Prepared } from '../support/prepared';

const CELLS: Prepared[] = [
  { id: 'one', user: 'First', reply: 'a', topic: 'ml/nlp' },
  { id: 'two', user: 'Second', reply: 'b', topic: 'ml/nlp/old' },
  { id: 'memo', note: 'A note has no marks.' },
  { id: 'three', user: 'Third', reply: 'c', topic: 'cooking' },
  { id: 'four', user: 'Fourth', reply: 'd' }
];

/** The marks of a notebook's cells, in order. */
const marksIn = (notebook: any): unknown[] =>
  notebook.cells.map((cell: any) => cell.metadata.turnbook ?? null);

const BEFORE = [
  { topic: 'ml/nlp' },
  { topic: 'ml/nlp/old' },
  null,
  { topic: 'cooking' },
  null
];

test.describe('marks', () => {
  test('are set by keys, from the cell and for a selection', async ({
    page,
    tmpPath
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    const cell = (id: string) =>
      chat.panel.locator(`[data-turnbook-pair="${id}"]`);
    const expectMarks = async (marks: unknown[]) => {
      await chat.execute('docmanager:save');
      const notebook = await chat.saved(file, nb =>
        isDeepStrictEqual(marksIn(nb), marks)
      );
      expect(marksIn(notebook)).toEqual(marks);
    };
    await chat.message.press('Escape');
    await expect.poll(() => filter.active()).toBe('four');

    // Star: by key up to three and back to none, and from the cell's toolbar.
    await page.keyboard.press('s');
    await page.keyboard.press('s');
    await expect(cell('four').locator('.jp-InputPrompt')).toHaveText('★★');
    await page.keyboard.press('s');
    await page.keyboard.press('s');
    await expect(cell('four').locator('.jp-InputPrompt')).toHaveText('');
    await cell('four').getByRole('button', { name: /star/i }).click();
    await expect(cell('four').locator('.jp-InputPrompt')).toHaveText('★');
    await expectMarks([...BEFORE.slice(0, 4), { star: 1 }]);

    // In and out: a mark for filters only.
    await cell('four')
      .getByRole('button', { name: /in or out/i })
      .click();
    await expect(
      cell('four').locator('.jp-Turnbook-pairStatus-excluded')
    ).toHaveText('marked out');
    await expect(filter.counter).toHaveText('4 / 4');
    await filter.apply('is:in');
    await filter.expectShown(['one', 'two', 'memo', 'three']);
    await filter.apply('');
    await filter.expectShown(['one', 'two', 'memo', 'three', 'four']);

    // A topic for a selection with a note in it.
    await cell('four').locator('.jp-InputPrompt').click();
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('Shift+ArrowUp');
    await expect
      .poll(() => filter.chosen())
      .toEqual(['two', 'memo', 'three', 'four']);
    await page.keyboard.press('t');
    await page.locator('.jp-Dialog input').fill(' plans / 2027 ');
    await page.keyboard.press('Enter');
    await expect(page.locator('.jp-Dialog')).toBeHidden();
    await expectMarks([
      { topic: 'ml/nlp' },
      { topic: 'plans/2027' },
      null,
      { topic: 'plans/2027' },
      { star: 1, in: false, topic: 'plans/2027' }
    ]);
    await page.keyboard.press('s');
    await expect(cell('two').locator('.jp-InputPrompt')).toHaveText('★');
    await expect(cell('four').locator('.jp-InputPrompt')).toHaveText('★');

    // Undo removes them; marks set in quick succession are one step.
    const now = () =>
      page.evaluate(() =>
        (window.jupyterapp.shell.currentWidget as any).content.widgets.map(
          (widget: any) => widget.model.getMetadata('turnbook') ?? null
        )
      );
    await expect(async () => {
      await page.keyboard.press('Control+Z');
      expect(await now()).toEqual(BEFORE);
    }).toPass();
    await expect(cell('four').locator('.jp-InputPrompt')).toHaveText('');
    await expectMarks(BEFORE);
  });

  test('give new pairs the topic of the composer', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, CELLS);
    const topic = chat.panel.getByRole('textbox', { name: 'Topic' });
    await topic.fill('ml / vision');
    await topic.press('Enter');
    await expect(topic).toHaveValue('ml/vision');
    await chat.say('With a topic');
    await chat.expectState(4, 'succeeded');
    await expect(
      chat.pair(4).getByRole('button', { name: 'ml/vision' })
    ).toBeVisible();
    const notebook = await chat.saved(file, nb => nb.cells.length === 6);
    expect(notebook.cells[5].metadata.turnbook).toEqual({ topic: 'ml/vision' });
    expect(notebook.metadata.turnbook.topic).toBe('ml/vision');
    // Marks are not sent.
    expect((await provider.completions())[0].body).not.toContain('vision');

    // It stays after a reload, until it is changed.
    await chat.reload();
    await expect(topic).toHaveValue('ml/vision');
    await topic.fill('');
    await topic.press('Enter');
    await chat.say('Without');
    await chat.expectState(5, 'succeeded');
    const later = await chat.saved(file, nb => nb.cells.length === 7);
    expect(later.cells[6].metadata.turnbook).toBeUndefined();
  });

  test('topics are a tree with counts, and a click filters', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    const open = chat.panel
      .getByRole('toolbar')
      .first()
      .getByRole('button', { name: /topics/i });
    await open.click();
    const tree = page.getByRole('tree', { name: 'Topics' });
    await expect(tree.getByRole('treeitem')).toHaveCount(4);
    await expect(tree.locator('.jp-Turnbook-topics-name')).toHaveText([
      'cooking',
      'ml',
      'nlp',
      'old'
    ]);
    await expect(tree.locator('.jp-Turnbook-topics-count')).toHaveText([
      '1',
      '2',
      '2',
      '1'
    ]);
    await tree.getByRole('treeitem', { name: 'nlp, 2 pairs' }).click();
    await expect(tree).toBeHidden();
    await expect(filter.input).toHaveText('topic:ml/nlp/**');
    await filter.expectShown(['one', 'two', 'memo']);

    // With Shift, only that topic; counts do not depend on the filter.
    await open.click();
    await expect(tree.getByRole('treeitem')).toHaveCount(4);
    await tree
      .getByRole('treeitem', { name: 'nlp, 2 pairs' })
      .click({ modifiers: ['Shift'] });
    await expect(filter.input).toHaveText('topic:ml/nlp');
    await filter.expectShown(['one', 'memo']);

    // Clicking a pair's own topic filters too.
    await chat.pair(0).getByRole('button', { name: 'ml/nlp' }).click();
    await expect(filter.input).toHaveText('topic:ml/nlp/**');
    await filter.expectShown(['one', 'two', 'memo']);
  });
});
