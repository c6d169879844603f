/** From a notebook into a message by `@`, and from the reply back into the notebook. */
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

import { Beside, code } from '../support/beside';
import { expect, test } from '../support/fixtures';
import { Filtering } from '../support/filtering';
import { messagesOf } from '../support/request';

const REPLY = 'Here:\n\n```python\nprint(total)\n```\n';

const sourcesOf = (page: IJupyterLabPageFixture, path: string) =>
  page.evaluate(file => {
    const panel = [...window.jupyterapp.shell.widgets('main')].find(
      widget => (widget as any).context?.path === file
    ) as any;
    return panel.content.model.sharedModel.cells.map(
      (cell: { source: string }) => cell.source
    );
  }, path);

test('a cell is referred to, and code of the reply is inserted below it and undone @smoke', async ({
  page,
  provider,
  tmpPath
}) => {
  const beside = new Beside(page);
  const { chat } = beside;
  const path = `${tmpPath}/sum.ipynb`;
  await beside.prepare(path, [code('total = 1'), code('other = 2')]);
  await beside.select(0);
  await beside.button.click();
  await expect(chat.message).toBeFocused();
  await chat.message.pressSequentially('@total');
  await page
    .getByRole('listbox', { name: 'References' })
    .getByRole('option', { name: /sum\.ipynb · cell 1/ })
    .click();
  await expect(beside.chips).toHaveText([/sum\.ipynb · cell 1/]);
  await provider.reply(REPLY);
  await chat.say('Print it');
  await chat.expectState(0, 'succeeded');
  const [request] = await provider.completions();
  expect(messagesOf(request)[0].content).toBe(
    'Cell: sum.ipynb · cell 1\n\n```python\ntotal = 1\n```\n\nPrint it'
  );
  await chat
    .pair(0)
    .getByRole('button', { name: 'Insert below', exact: true })
    .click();
  await expect
    .poll(() => sourcesOf(page, path))
    .toEqual(['total = 1', 'print(total)', 'other = 2']);
  await beside.activate(path);
  await chat.execute('notebook:undo-cell-action');
  await expect
    .poll(() => sourcesOf(page, path))
    .toEqual(['total = 1', 'other = 2']);
});

test('a chat in a sidebar of 320 px does it too, and nothing is cut off', async ({
  page,
  provider,
  tmpPath
}) => {
  const beside = new Beside(page);
  const { chat } = beside;
  const path = `${tmpPath}/sum.ipynb`;
  await beside.prepare(path, [code('total = 1'), code('other = 2')]);
  await beside.select(0);
  await beside.button.click();
  await expect(chat.message).toBeFocused();
  await chat.execute('turnbook:toggle-sidebar');
  await expect(page.locator('#jp-right-stack .jp-Turnbook-chat')).toBeVisible();
  const width = async () => (await chat.panel.boundingBox())?.width ?? 0;
  const [handle, edge] = await Promise.all([
    page
      .locator(
        '#jp-main-split-panel > .lm-SplitPanel-handle:not(.lm-mod-hidden)'
      )
      .last()
      .boundingBox(),
    chat.panel.boundingBox()
  ]);
  const x = handle!.x + handle!.width / 2;
  await page.mouse.move(x, handle!.y + 200);
  await page.mouse.down();
  await page.mouse.move(x + edge!.width - 320, handle!.y + 200, { steps: 3 });
  await page.mouse.up();
  await expect
    .poll(async () => Math.abs((await width()) - 320))
    .toBeLessThanOrEqual(1);

  /** What can be operated and is not wholly within the width of the chat. */
  const cutOff = () =>
    chat.panel.evaluate(panel => {
      const { left, right } = panel.getBoundingClientRect();
      return [
        ...panel.querySelectorAll(
          'button, input, select, textarea, jp-button, [role="button"], [data-turnbook-pair]'
        )
      ]
        .filter(node => {
          const box = node.getBoundingClientRect();
          return (
            box.width > 1 &&
            node.checkVisibility({ visibilityProperty: true }) &&
            (box.left < left - 1 || box.right > right + 1)
          );
        })
        .map(node => node.outerHTML.slice(0, 120));
    });
  await expect.poll(cutOff).toEqual([]);

  await chat.message.pressSequentially('@total');
  const options = page.getByRole('listbox', { name: 'References' });
  const optionsEnd = async () => {
    const box = await options.boundingBox();
    return box ? box.x + box.width : Infinity;
  };
  await expect.poll(optionsEnd).toBeLessThanOrEqual(page.viewportSize()!.width);
  await options.getByRole('option', { name: /sum\.ipynb · cell 1/ }).click();
  await expect(beside.chips).toHaveText([/sum\.ipynb · cell 1/]);
  await expect.poll(cutOff).toEqual([]);
  await provider.reply(REPLY);
  await chat.message.fill('Print it');
  await chat.send.click();
  await chat.expectState(0, 'succeeded');
  await expect.poll(cutOff).toEqual([]);

  await chat
    .pair(0)
    .getByRole('button', { name: 'Insert below', exact: true })
    .click();
  await expect
    .poll(() => sourcesOf(page, path))
    .toEqual(['total = 1', 'print(total)', 'other = 2']);

  await chat.message.fill('Something else');
  await expect(chat.send).toBeEnabled();
  await chat.message.press('Enter');
  await chat.expectState(1, 'succeeded');
  const filtering = new Filtering(chat);
  await filtering.write('print');
  await expect(chat.pairs).toHaveCount(1);
  await expect.poll(cutOff).toEqual([]);
});
