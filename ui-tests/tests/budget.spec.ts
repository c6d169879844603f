import type { Chat } from '../support/chat';
import { Filtering } from '../support/filtering';
import { expect, test } from '../support/fixtures';
import { chooseSmall, listModels } from '../support/models';
import { openPrepared, type Prepared } from '../support/prepared';

/** 250 tokens of reply and one of message each. */
const pair = (n: number): Prepared => ({
  id: `p${n}`,
  user: `q ${n}`,
  reply: `r${n} `.padEnd(1000, 'word ')
});
/** A system message of 10 tokens, a note, and seven pairs. */
const CELLS: Prepared[] = [
  { id: 'sys', system: 'Be brief. '.repeat(4) },
  { id: 'memo', note: 'x'.repeat(5000) },
  ...[1, 2, 3, 4, 5, 6, 7].map(pair)
];

/** The ids of the pairs that are marked as OUT, in order. */
function marked(chat: Chat): Promise<(string | null)[]> {
  return chat.panel
    .locator('[data-turnbook-ooc]')
    .evaluateAll(cells =>
      cells.map(cell => cell.getAttribute('data-turnbook-pair'))
    );
}

test.describe('the budget', () => {
  test('leaves out the oldest pairs and shows that', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    await expect(filter.counter).toHaveText('7 / 7');
    await expect.poll(() => marked(chat)).toEqual([]);

    // Nothing is OUT: Shift+O says so.
    await chat.message.press('Escape');
    await page.keyboard.press('Shift+O');
    await expect(
      page.getByText('All 7 visible pairs are included.')
    ).toBeVisible();

    // 2,000 tokens, 1,875 of them for requests, 800 reserved: 1,075, of which the system message takes 10.
    await chooseSmall(servers, chat);
    await expect(filter.counter).toHaveText('4 / 7');
    await expect.poll(() => marked(chat)).toEqual(['p1', 'p2', 'p3']);
    const out = chat.panel.locator('[data-turnbook-pair="p3"]');
    await out.scrollIntoViewIfNeeded();
    await expect(out).toContainText('OUT');
    await expect(
      chat.panel.locator('[data-turnbook-pair="p4"]')
    ).not.toContainText('OUT');
    await expect(out.locator('.jp-Cell-outputWrapper')).not.toHaveCSS(
      'opacity',
      '1'
    );
    const tooltip = [
      '4 of 7 visible pairs are sent with the next message.',
      '3 do not fit and are left out; Shift+O shows where.',
      '',
      'System: 10 tokens',
      'History: 1,004 tokens',
      'Message: 0 tokens',
      'In all: ~1,014 tokens',
      'Kept free for the reply: 800',
      'Limit: 1,875 of the model’s 2,000'
    ];
    await expect(chat.panel.locator('.jp-Turnbook-counter')).toHaveAttribute(
      'title',
      tooltip.join('\n')
    );

    // A message that fills the window leaves no room for pairs.
    await chat.message.fill('m'.repeat(1075 * 4));
    await expect(filter.counter).toHaveText('0 / 7');
    await chat.message.press('Escape');
    await page.keyboard.press('Shift+O');
    await expect(
      page.getByText('None of the 7 visible pairs is included.')
    ).toBeVisible();
    await chat.message.fill('');
    await expect(filter.counter).toHaveText('4 / 7');

    // While a pair is edited, the budget is that of the edited request.
    await chat.message.press('Escape');
    await page.keyboard.press('k');
    await expect.poll(() => filter.active()).toBe('p6');
    await chat.editByKey();
    await expect(filter.counter).toHaveText('4 / 5');
    await expect.poll(() => marked(chat)).toEqual(['p1']);
    await page.keyboard.press('Escape');
    await expect(filter.counter).toHaveText('4 / 7');

    // The text being written counts: 61 tokens still fit, 62 do not.
    const estimate = chat.panel.getByRole('status', { name: 'Token estimate' });
    await expect(estimate).toHaveText('~1,014');
    await chat.message.fill('m'.repeat(61 * 4));
    await expect(estimate).toHaveText('~1,075');
    await expect(filter.counter).toHaveText('4 / 7');
    await chat.message.fill('m'.repeat(61 * 4 + 1));
    await expect(filter.counter).toHaveText('3 / 7');
    await expect(estimate).toHaveText('~825');
    await expect.poll(() => marked(chat)).toEqual(['p1', 'p2', 'p3', 'p4']);

    // Shift+O goes to the first pair of the context.
    await chat.message.press('Escape');
    await page.keyboard.press('Shift+O');
    await expect.poll(() => filter.active()).toBe('p5');
    await expect(
      chat.panel.locator('[data-turnbook-pair="p5"]')
    ).toBeInViewport();

    // What is OUT is not sent.
    await chat.message.press('Enter');
    const [request] = await provider.completions(1);
    expect(
      JSON.parse(request.body).messages.map((message: any) =>
        message.content.slice(0, 4).trim()
      )
    ).toEqual(['Be b', 'q 5', 'r5 w', 'q 6', 'r6 w', 'q 7', 'r7 w', 'mmmm']);
    await expect(chat.send).toBeVisible();

    // A filter makes room.
    await filter.apply('"q 1" OR "q 2"');
    await expect(filter.counter).toHaveText('2 / 2');
    await expect.poll(() => marked(chat)).toEqual([]);

    // So does another model.
    await filter.apply('');
    await expect(filter.counter).not.toHaveText('8 / 8');
    await chat.model.selectOption('scripted/scripted');
    await expect(filter.counter).toHaveText('8 / 8');
    await expect.poll(() => marked(chat)).toEqual([]);
  });

  test('is estimated once when the user stops typing', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const estimate = chat.panel.getByRole('status', { name: 'Token estimate' });
    await expect(estimate).toHaveText('~1,767');
    const counted = await page.evaluate(() => {
      const { budgets } = (window.jupyterapp.shell.currentWidget as any)
        .session;
      const { get } = Object.getOwnPropertyDescriptor(
        Object.getPrototypeOf(budgets),
        'state'
      )!;
      const seen = { count: 0 };
      Object.defineProperty(budgets, 'state', {
        configurable: true,
        get() {
          seen.count++;
          return get!.call(budgets);
        }
      });
      (window as any).estimates = seen;
      // Forty keys, faster than any hand and any slow machine.
      const field = document.activeElement as HTMLTextAreaElement;
      const { set } = Object.getOwnPropertyDescriptor(
        HTMLTextAreaElement.prototype,
        'value'
      )!;
      for (let n = 1; n <= 40; n++) {
        set!.call(field, 'm'.repeat(n));
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      }
      return seen.count;
    });
    expect(counted).toBe(0);
    await expect(chat.message).toHaveValue('m'.repeat(40));
    await expect(estimate).toHaveText('~1,777');
    // News of the models or of the journal may come meanwhile; no key adds one of its own.
    expect(
      await page.evaluate(() => (window as any).estimates.count)
    ).toBeLessThan(10);
  });

  test('asks before sending if the setting says so @fresh', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const filter = new Filtering(chat);
    const set = (value: string) =>
      page.evaluate(async overBudget => {
        const registry = await window.galata.getPlugin(
          '@jupyterlab/apputils-extension:settings'
        );
        await registry!.set(
          'jupyterlab-turnbook:chat',
          'overBudget',
          overBudget
        );
      }, value);
    await set('confirm');
    try {
      // Everything fits: no question.
      await chat.say('Fits');
      await chat.expectState(7, 'succeeded');
      await chooseSmall(servers, chat);
      await expect(filter.counter).toHaveText('5 / 8');

      await chat.message.fill('Does not fit');
      await chat.message.press('Enter');
      const dialog = page.locator('.jp-Dialog');
      await expect(dialog).toContainText('Limit: 1,875');
      await dialog.getByRole('button', { name: 'Abort' }).click();
      await expect(dialog).toBeHidden();
      await expect(chat.message).toHaveValue('Does not fit');
      expect(await provider.completions()).toHaveLength(1);

      await chat.message.press('Enter');
      await dialog.getByRole('button', { name: 'Force send' }).click();
      await chat.expectState(8, 'succeeded');
      const [, request] = await provider.completions(2);
      expect(request.body).not.toContain('q 1');
      expect(request.body).toContain('Does not fit');
    } finally {
      await set('mark');
    }
  });

  test('is the same after a reload', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    // The default model takes 4,000 tokens; the pair below has 16,000.
    await listModels(servers, { scripted: 4000, large: 128_000 });
    const cells: Prepared[] = [
      { id: 'long', user: 'tell me', reply: 'word '.repeat(12_800) },
      { id: 'short', user: 'go on', reply: 'and so' }
    ];
    const { chat } = await openPrepared(page, tmpPath, cells, {
      model: 'scripted/large'
    });
    const filter = new Filtering(chat);
    await chat.model.selectOption({ label: 'Refresh models' });
    await expect(filter.counter).toHaveText('2 / 2');

    await chat.reload();
    await expect(filter.counter).toHaveText('2 / 2');
    await expect.poll(() => marked(chat)).toEqual([]);
    await expect(chat.model).toHaveValue('scripted/large');
    await chat.say('and now?');
    const [request] = await provider.completions(1);
    const { model, messages } = JSON.parse(request.body);
    expect(model).toBe('large');
    expect(messages.map(({ content }: any) => content)).toEqual([
      'tell me',
      'word '.repeat(12_800),
      'go on',
      'and so',
      'and now?'
    ]);
    // The server keeps the list for later tests.
    await listModels(servers, { scripted: 128_000, large: 128_000 });
    await chat.model.selectOption({ label: 'Refresh models' });
    await expect(chat.model).toBeEnabled();
    await chat.model.selectOption('scripted/scripted');
    await expect(filter.counter).toHaveText('3 / 3');
  });
});
