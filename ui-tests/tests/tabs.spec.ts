import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { TIMES } from '../../src/runs/times';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { gated } from '../support/provider';
import { copyTab, otherTab, twoTabs, twoTabsWithDraft } from '../support/tabs';

const contents = (request: { body: string }): string[] =>
  JSON.parse(request.body).messages.map((message: any) => message.content);

test.describe('two tabs on one chat', () => {
  test('share one reply in progress, and both have it in the end', async ({
    page,
    context,
    provider,
    tmpPath
  }) => {
    test.slow();
    const { a, b, file } = await twoTabs(page, context, tmpPath);

    await a.sayGated(provider, 'Two', 'begins ', 'go', 'and ends');

    // The other tab sees it grow and cannot send.
    await expect(b.pair(1)).toContainText('Two');
    await expect(b.pair(1)).toContainText('begins');
    await expect(
      b.panel.getByRole('button', { name: 'Thinking…' })
    ).toBeDisabled();
    await expect(b.stop).toBeVisible();
    await b.message.fill('Three');
    await b.message.press('Enter');
    await expect(b.message).toHaveValue('Three');
    expect(await provider.completions()).toHaveLength(2);

    await provider.release('go');
    for (const chat of [a, b]) {
      await chat.expectState(1, 'succeeded');
      await expect(chat.pair(1)).toContainText('begins and ends');
      await expect(chat.pairs).toHaveCount(2);
    }
    await a.clean();
    await b.clean();

    // Now the other tab can; its request contains the reply, and the first tab gets the new one too.
    await expect(b.message).toHaveValue('Three');
    await b.submit();
    await b.expectState(2, 'succeeded');
    await a.expectState(2, 'succeeded');
    await expect(a.pair(2)).toContainText('You said: Three');
    const requests = await provider.completions();
    expect(requests).toHaveLength(3);
    expect(contents(requests[2])).toEqual([
      'One',
      'You said: One',
      'Two',
      'begins and ends',
      'Three'
    ]);
    await a.saved(
      file,
      nb => nb.cells.length === 3 && nb.cells[2].outputs.length === 1
    );
    await a.clean();

    // Saving in either tab asks nothing.
    await a.execute('docmanager:save');
    await b.execute('docmanager:save');
    for (const chat of [a, b]) {
      await expect(chat.page.locator('.jp-Dialog')).toHaveCount(0);
    }
  });

  test('are separate when one duplicates the other: the one that sent saves', async ({
    page,
    context,
    provider,
    tmpPath
  }) => {
    test.slow();
    const a = new Chat(page);
    const file = await a.create(tmpPath);
    await a.sayGated(provider, 'One', 'begins ', 'go', 'and ends');
    const b = await copyTab(context, page, file);
    await expect(b.pair(0)).toContainText('begins');
    const saves: number[] = [];
    b.page.on('request', request => {
      if (request.method() === 'PUT' && request.url().includes(file)) {
        saves.push(Date.now());
      }
    });
    const released = Date.now();
    await provider.release('go');
    for (const chat of [a, b]) {
      await chat.expectState(0, 'succeeded');
      await expect(chat.pair(0)).toContainText('begins and ends');
      await chat.clean();
    }
    // The other one saves only if the sender takes longer than it waits for that.
    expect(saves.filter(at => at - released < TIMES.grace)).toEqual([]);
    await a.saved(file, nb => nb.cells[0].outputs.length === 1);
  });

  test('merge a reply in one and a mark that the other saved', async ({
    page,
    context,
    provider,
    tmpPath
  }) => {
    test.slow();
    const { a, b, file } = await twoTabs(page, context, tmpPath);
    await provider.script(gated('begins ', 'go', 'and ends'));
    await a.say('Two');
    await expect(b.pair(1)).toContainText('begins');
    await b.pair(0).locator('.jp-InputPrompt').click();
    await b.execute('turnbook:cycle-star');
    await b.execute('docmanager:save');
    await b.saved(file, nb => nb.cells[0].metadata.turnbook?.star === 1);

    await provider.release('go');
    await a.expectState(1, 'succeeded');
    const notebook = await a.saved(
      file,
      nb => nb.cells[1].outputs.length === 1
    );
    expect(notebook.cells[0].metadata.turnbook.star).toBe(1);
    await expect(a.pair(0)).toContainText('★');
    for (const chat of [a, b]) {
      await expect(chat.pair(1)).toContainText('begins and ends');
      await expect(chat.page.locator('.jp-Dialog')).toHaveCount(0);
    }
  });

  test('can stop each other’s reply', async ({
    page,
    context,
    provider,
    tmpPath
  }) => {
    const a = new Chat(page);
    const file = await a.createSaved(tmpPath, 'One');
    const b = await otherTab(context, file);
    await provider.script({ steps: [{ delta: 'partial' }, { stall: true }] });
    await a.say('Two');
    await expect(b.pair(1)).toContainText('partial');
    // JupyterLab's notification about news may cover it.
    await b.stop.press('Enter');
    await a.expectState(1, 'canceled');
    await b.expectState(1, 'canceled');
    await expect(b.pair(1)).toContainText('partial');
    await expect(b.page.locator('.jp-Dialog')).toHaveCount(0);
    expect(await provider.completions()).toHaveLength(2);
  });

  test('with the same draft send two messages, and lose none', async ({
    page,
    context,
    provider,
    tmpPath
  }) => {
    const { a, b, file } = await twoTabsWithDraft(
      page,
      context,
      tmpPath,
      'from the first'
    );
    await a.submit();
    await a.expectState(1, 'succeeded');
    await expect(b.pair(1)).toContainText('You said: from the first');
    await expect(b.message).toHaveValue('');
    await b.message.fill('from the second');
    await b.submit();
    await b.expectState(2, 'succeeded');
    await expect(a.pair(2)).toContainText('You said: from the second');
    const notebook = await a.saved(
      file,
      nb => nb.cells.length === 3 && nb.cells[2].outputs.length === 1
    );
    expect(notebook.cells.map((cell: any) => cell.source)).toEqual([
      'One',
      'from the first',
      'from the second'
    ]);
    expect(await provider.completions()).toHaveLength(3);
  });

  test('do not send the same draft twice when it was changed in between', async ({
    page,
    context,
    provider,
    tmpPath
  }) => {
    const { a, b } = await twoTabsWithDraft(page, context, tmpPath, 'shared');
    await b.message.fill('shared, and more');
    await a.submit();
    await a.expectState(1, 'succeeded');
    await b.expectState(1, 'succeeded');
    // Text written here stays, and becomes a pair of its own.
    await expect(b.message).toHaveValue('shared, and more');
    await b.submit();
    await b.expectState(2, 'succeeded');
    await expect(a.pair(2)).toContainText('You said: shared, and more');
    await expect(a.pair(1)).toContainText('You said: shared');
    expect(await provider.completions()).toHaveLength(3);
  });
});

test('an unsaved reply survives Revert when the file changed outside @fresh', async ({
  page,
  tmpPath
}) => {
  const chat = new Chat(page);
  const file = await chat.createSaved(tmpPath, 'One');
  await chat.clean();
  await chat.execute('docmanager:toggle-autosave');
  await chat.say('Two');
  await chat.expectState(1, 'succeeded');
  // A change that Turnbook cannot reapply, so that JupyterLab has to ask.
  await chat.execute('turnbook:cycle-star');
  await expect(chat.pair(1)).toContainText('★');
  await changeOutside(page, file);

  await chat.begin('docmanager:save');
  await page.getByRole('button', { name: 'Revert' }).click();
  await expect(page.locator('.jp-Dialog')).toHaveCount(0);
  await expect(chat.pair(1)).not.toContainText('★');
  await expect(chat.pair(1)).toContainText('You said: Two');

  // It is not in the file, and neither the page nor the journal treats it as saved.
  await expect
    .poll(() =>
      page.evaluate(
        () => (window.jupyterapp.shell.currentWidget as any).context.model.dirty
      )
    )
    .toBe(true);
  expect(await openReplies(page)).toBe(1);

  await chat.execute('docmanager:save');
  const notebook = await chat.saved(file, nb => nb.cells.length === 2);
  expect(notebook.metadata.outside).toBe(true);
  expect(JSON.stringify(notebook.cells[1].outputs)).toContain('You said: Two');
  await expect.poll(() => openReplies(page)).toBe(0);
});

test('two views of one chat in one page share its replies, and one can be closed', async ({
  page,
  provider,
  tmpPath
}) => {
  const chat = new Chat(page);
  const file = await chat.createAnswered(tmpPath, 'One');
  await chat.execute('docmanager:clone');
  const views = page.locator('.jp-Turnbook-chat:visible');
  await expect(views).toHaveCount(2);
  const [first, second] = [views.nth(0), views.nth(1)];
  const last = (view: Locator) =>
    view.locator('[data-turnbook-pair]:visible').last();
  const box = (view: Locator) => view.getByRole('textbox', { name: 'Message' });

  await provider.script(gated('begins ', 'go', 'and ends'));
  await box(second).fill('Two');
  await expect(
    second.getByRole('button', { name: 'Send', exact: true })
  ).toBeEnabled();
  await box(second).press('Enter');
  await expect(last(second)).toContainText('begins');
  await expect(last(first)).toContainText('begins');
  await box(first).fill('Three');
  await box(first).press('Enter');
  await expect(box(first)).toHaveValue('Three');

  await box(second).focus();
  await chat.execute('application:close');
  await expect(views).toHaveCount(1);
  await provider.release('go');
  await expect(last(first)).toContainText('begins and ends');
  const notebook = await chat.saved(
    file,
    nb => nb.cells[1]?.outputs.length > 0
  );
  expect(notebook.cells[1].outputs).toHaveLength(1);
  await expect(chat.send).toBeEnabled();
  await box(first).press('Enter');
  await expect(last(first)).toContainText('You said: Three');
  expect(contents((await provider.completions())[2])).toEqual([
    'One',
    'You said: One',
    'Two',
    'begins and ends',
    'Three'
  ]);
});

/** Write a mark into the file behind the page's back. */
async function changeOutside(
  page: IJupyterLabPageFixture,
  file: string
): Promise<void> {
  await page.evaluate(async path => {
    const { contents, serverSettings } = window.jupyterapp.serviceManager;
    const { content: text } = await contents.get(path as string, {
      type: 'file',
      format: 'text',
      content: true
    });
    const content = JSON.parse(text);
    content.metadata.outside = true;
    // The page's own contents manager would notify the page.
    await fetch(`${serverSettings.baseUrl}api/contents/${path as string}`, {
      method: 'PUT',
      headers: {
        'Content-Type': 'application/json',
        'X-XSRFToken': /_xsrf=([^;]+)/.exec(document.cookie)?.[1] ?? ''
      },
      body: JSON.stringify({ type: 'notebook', format: 'json', content })
    });
  }, file);
}

/** How many replies of the chat are in the journal but in no saved file. */
function openReplies(page: IJupyterLabPageFixture): Promise<number> {
  return page.evaluate(async () => {
    const { baseUrl } = window.jupyterapp.serviceManager.serverSettings;
    const { session } = window.jupyterapp.shell.currentWidget as any;
    const answer = await fetch(
      `${baseUrl}turnbook/api/runs?open=1&chat=${session.info.chatId}`
    );
    return (await answer.json()).runs.length;
  });
}
