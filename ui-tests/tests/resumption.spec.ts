import { galata } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';
import * as fs from 'fs';
import * as path from 'path';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { waitForRestored } from '../support/loading';
import { resumesBy } from '../support/models';
import { openPrepared } from '../support/prepared';
import { gated, type IScript } from '../support/provider';
import { otherLab, otherTab } from '../support/tabs';

// With the users' defaults: the server retries automatically. Kernels and sessions are not mocked,
// since the server that would respond dies in some tests.
test.use({
  mockSettings: { ...galata.DEFAULT_SETTINGS },
  kernels: null,
  sessions: null,
  terminals: null
});

/** A stream that breaks after some text. */
const broken = (text: string): IScript => ({
  steps: [{ delta: text }, { cut: true }]
});

/** A response that asks to come back in an hour, so that a test has time. */
const later = (): IScript => ({
  status: 503,
  headers: { 'Retry-After': '3600' },
  steps: [{ body: { error: { message: 'Overloaded for now' } } }]
});

const messages = (request: { body: string }): any[] =>
  JSON.parse(request.body).messages;

const barrier = (chat: Chat, n: number): Locator =>
  chat.pair(n).getByRole('group', { name: 'Retry' });

const retryNow = (chat: Chat, n: number): Locator =>
  barrier(chat, n).getByRole('button', { name: 'Retry now' });

const stopRetry = (chat: Chat, n: number): Locator =>
  barrier(chat, n).getByRole('button', { name: 'Stop auto-retry' });

const status = (chat: Chat): Locator =>
  chat.page.locator('.jp-Turnbook-status-button');

/** Wait until the time until the next attempt is shown as less than it was. */
async function countDown(chat: Chat): Promise<void> {
  const rest = async () =>
    Number(/in (\d+) s\./.exec(await barrier(chat, 0).innerText())?.[1]);
  const first = await rest();
  await expect.poll(rest, { intervals: [100] }).toBeLessThan(first);
}

/** The saved replies of a file, one list for each pair. */
const replies = (notebook: any): string[][] =>
  notebook.cells.map((cell: any) =>
    (cell.outputs ?? []).map((output: any) =>
      [output.data['text/markdown']].flat().join('')
    )
  );

test.describe('an interrupted reply', () => {
  test('says why, counts down, and continues at the next character @fresh', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await resumesBy(chat, 'prefill', servers);
    await provider.script([
      broken('One two '),
      { status: 503, headers: { 'Retry-After': '10' }, steps: [] },
      gated('three ', 'go', 'four.')
    ]);
    await chat.say('Count');
    // The first wait takes a second; the second as long as the provider asks for.
    await expect(barrier(chat, 0)).toContainText(
      /The provider failed after 8 characters. Next attempt \(3\) in (\d|10) s\./
    );
    await countDown(chat);
    await chat.expectState(0, 'error');
    await expect(chat.pair(0)).toContainText('One two');
    await expect(stopRetry(chat, 0)).toBeVisible();
    await expect(status(chat)).toHaveText('Turnbook: 1 retry waiting');

    await expect(chat.pair(0)).toContainText('One two three');
    await chat.expectState(0, 'awaiting');
    await expect(barrier(chat, 0)).toBeHidden();
    await expect(status(chat)).toHaveText('Turnbook: 1 stream');
    await provider.release('go');
    await chat.expectState(0, 'succeeded');
    await expect(status(chat)).toHaveText('Turnbook: idle');

    const notebook = await chat.savedInState(file, 0, 'succeeded');
    expect(replies(notebook)).toEqual([['One two three four.']]);
    const requests = await provider.completions();
    expect(requests).toHaveLength(3);
    expect(messages(requests[0])).toHaveLength(1);
    for (const request of requests.slice(1)) {
      expect(messages(request)[1]).toEqual({
        role: 'assistant',
        content: 'One two '
      });
    }

    // Every attempt is listed, with its exact request.
    await chat.message.press('Escape');
    await chat.begin('turnbook:attempts');
    const dialog = page.getByRole('dialog', { name: 'Attempts' });
    await expect(dialog.locator('tbody tr')).toHaveCount(3);
    await expect(dialog.locator('tbody tr').nth(0)).toContainText(
      '[error: network]'
    );
    await expect(dialog.locator('tbody tr').nth(1)).toContainText(
      'by the server itself'
    );
    await expect(dialog.locator('tbody tr').nth(2)).toContainText('complete');
    await dialog.getByRole('button', { name: 'Show request' }).nth(2).click();
    const shown = page.getByRole('dialog', { name: 'Request as it was sent' });
    await expect(shown).toContainText('One two');
    await shown.getByRole('button', { name: 'Close' }).click();
    await expect(dialog.locator('tbody tr')).toHaveCount(3);
  });

  test('is not retried when that would not help, and says what will @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await provider.script({
      status: 401,
      steps: [{ body: { error: { message: 'Bad key' } } }]
    });
    await chat.say('Hello');
    await expect(barrier(chat, 0)).toContainText(
      'The provider refused the key. Give the provider a valid key, then retry.'
    );
    await expect(stopRetry(chat, 0)).toHaveCount(0);
    await barrier(chat, 0).getByRole('button', { name: 'Providers…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Models and providers' });
    await expect(dialog.getByLabel('Start from')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    // The user can, once the key is right.
    await retryNow(chat, 0).click();
    await chat.expectState(0, 'succeeded');
    expect(await provider.completions()).toHaveLength(2);
  });

  test('stays a manual barrier after Stop auto-retry: reload, another browser, restart @fresh', async ({
    page,
    browser,
    baseURL,
    provider,
    mortal,
    tmpPath
  }) => {
    test.slow();
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await provider.script(later());
    await chat.say('Hello');
    await expect(barrier(chat, 0)).toContainText('Next attempt (2) in 60 min');
    await chat.savedInState(file, 0, 'error');
    // The countdown continues after a reload.
    await chat.reload();
    await expect(barrier(chat, 0)).toContainText('Next attempt (2) in');
    await stopRetry(chat, 0).click();
    await expect(barrier(chat, 0)).toContainText('Auto-retry is off.');
    await expect(status(chat)).toHaveText('Turnbook: idle');

    await chat.reload();
    await expect(barrier(chat, 0)).toContainText('Auto-retry is off.');
    const context = await browser.newContext({ baseURL });
    const other = await otherTab(context, file);
    await expect(barrier(other, 0)).toContainText('Auto-retry is off.');
    await context.close();
    await mortal.kill();
    await mortal.start();
    await chat.reload();
    await expect(barrier(chat, 0)).toContainText('Auto-retry is off.');
    expect(await provider.completions()).toHaveLength(1);

    // A manual attempt does not turn auto-retry back on.
    await provider.script(later());
    await retryNow(chat, 0).click();
    await chat.saved(file, ({ cells }) => {
      const { attempt, state } = cells[0].metadata.turnbook_run;
      return attempt === 2 && state === 'error';
    });
    await expect(barrier(chat, 0)).toContainText('Auto-retry is off.');
    expect(await provider.completions()).toHaveLength(2);
    await retryNow(chat, 0).click();
    await chat.expectState(0, 'succeeded');
    await expect(barrier(chat, 0)).toBeHidden();
  });

  test('is sent again unless the provider is known to continue: dimmed meanwhile, then a version @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await provider.script([
      broken('One two three '),
      {
        steps: [
          { delta: 'One two' },
          { wait: 'further' },
          { delta: ' three four' },
          { wait: 'end' },
          { delta: ' five.' },
          { finish: 'stop' },
          { done: true }
        ]
      }
    ]);
    await chat.say('Count');
    const stream = chat.pair(0).locator('.jp-Turnbook-pairStatus-stream');
    await expect(chat.pair(0)).toContainText('starting again');
    await expect(stream).toHaveText('One two three');
    await expect(stream).toHaveCSS('opacity', '0.5');
    await expect(
      chat.pair(0).getByText('One two').filter({ visible: true })
    ).toHaveCount(1);
    await provider.release('further');
    await expect(stream).toHaveText('One two three four');
    await expect(stream).toHaveCSS('opacity', '1');
    await expect(chat.pair(0)).not.toContainText('starting again');
    await provider.release('end');
    await chat.expectState(0, 'succeeded');
    await expect(chat.pair(0)).toContainText('3 out · in 2 attempts');
    const notebook = await chat.savedInState(file, 0, 'succeeded');
    expect(replies(notebook)).toEqual([['One two three four five.']]);
    const { turnbook_run: run, turnbook_versions: versions } =
      notebook.cells[0].metadata;
    expect(versions.map((v: any) => [v.reply, v.partial])).toEqual([
      ['One two three ', true]
    ]);
    expect(run.seams).toBeUndefined();
    expect(run.usage).toMatchObject({ attempts: 2, unreported: 1 });
    const [first, second] = await provider.completions();
    expect(second.sha256).toBe(first.sha256);
    const text = chat.pair(0).locator('.jp-OutputArea');
    await expect(text).toHaveText('One two three four five.');
    await chat
      .pair(0)
      .getByRole('button', { name: 'Previous version' })
      .click();
    await expect(
      chat.pair(0).locator('.jp-Turnbook-pastVersion')
    ).toContainText(/One two three\s*$/);
  });

  test('shows and saves the seam when the model was asked to continue @fresh', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await resumesBy(chat, 'instruct', servers);
    const rest = (text: string): IScript => ({
      steps: [{ delta: text }, { finish: 'stop' }, { done: true }]
    });
    await provider.script([
      broken('```python\nfor x in y:\n    print('),
      rest('Sure! Here is the rest: x)\n```\n')
    ]);
    await chat.say('Write code');
    await chat.expectState(0, 'succeeded');
    const pair = chat.pair(0);
    await expect(pair).toContainText('joined from 2 attempts');
    const seam = pair.locator('.jp-Turnbook-seam');
    await expect(seam).toBeVisible();
    await expect(seam).toHaveAccessibleName(/continued in another attempt/);
    // The mark is where the next attempt starts, and adds no text to the reply.
    await expect(pair.locator('pre')).toHaveText(
      'for x in y:\n    print(Sure! Here is the rest: x)\n'
    );
    expect(
      await seam.evaluate(node => {
        const range = document.createRange();
        range.setStart(node.closest('pre')!, 0);
        range.setEndBefore(node);
        return range.toString();
      })
    ).toBe('for x in y:\n    print(');

    await provider.script([
      broken('The quick brown '),
      rest('brown fox jumps.'),
      broken('To begin with, '),
      rest('To begin with, this is all of it.')
    ]);
    await chat.say('Overlap');
    await chat.expectState(1, 'succeeded');
    await chat.say('Repeat');
    await chat.expectState(2, 'succeeded');
    const notebook = await chat.savedInState(file, 2, 'succeeded');
    expect(replies(notebook).slice(1)).toEqual([
      ['The quick brown fox jumps.'],
      ['To begin with, this is all of it.']
    ]);
    expect(
      notebook.cells.map((cell: any) => cell.metadata.turnbook_run.seams)
    ).toEqual([[{ at: 32 }], [{ at: 16, removed: 6 }], undefined]);

    await chat.reload();
    await expect(chat.pair(0).locator('.jp-Turnbook-seam')).toBeVisible();
    await expect(chat.pair(1)).toContainText('joined from 2 attempts');
    await expect(chat.pair(1).locator('.jp-Turnbook-seam')).toHaveCount(1);
    await expect(chat.pair(2).locator('.jp-Turnbook-seam')).toHaveCount(0);
  });
});

test.describe('the seed’s scenarios', () => {
  test('a window closed in the middle: the reply is complete when it opens again @fresh', async ({
    page,
    context,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await provider.script([
      broken('In the '),
      gated('In the back', 'go', 'ground.')
    ]);
    await chat.say('Where?');
    await expect(chat.pair(0)).toContainText('In the');
    await page.close();
    // The server continues without an open page.
    await provider.completions(2);
    await provider.release('go');
    const again = await otherTab(context, file);
    await again.expectState(0, 'succeeded');
    await expect(again.pair(0)).toContainText('In the background.');
    // The first attempt may have been saved before; the whole reply follows.
    const notebook = await again.saved(file, nb =>
      JSON.stringify(nb).includes('background')
    );
    expect(replies(notebook)).toEqual([['In the background.']]);
    expect(
      notebook.cells[0].metadata.turnbook_versions.map((v: any) => v.reply)
    ).toEqual(['In the ']);
    expect(await provider.completions()).toHaveLength(2);
  });

  test('a reply that the user stopped stays stopped @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await provider.script({ steps: [{ delta: 'half' }, { stall: true }] });
    await chat.say('Go');
    await expect(chat.pair(0)).toContainText('half');
    await chat.stop.click();
    await chat.expectState(0, 'canceled');
    await chat.reload();
    await chat.expectState(0, 'canceled');
    await expect(barrier(chat, 0)).toContainText('Stopped after 4 characters.');
    await expect(retryNow(chat, 0)).toBeVisible();
    await expect(stopRetry(chat, 0)).toHaveCount(0);
    await chat.say('Next');
    await chat.expectState(1, 'succeeded');
    const sent = (await provider.completions(2))[1];
    expect(messages(sent)[1].content).toBe('half\n\n[INTERRUPTED]');
    expect(await provider.completions()).toHaveLength(2);
  });

  test('three chats interrupted by the server’s death continue together @fresh', async ({
    page,
    provider,
    servers,
    mortal,
    tmpPath
  }) => {
    test.slow();
    const chat = new Chat(page);
    const files: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      files.push(await chat.create(tmpPath));
      await resumesBy(chat, 'prefill', servers);
      await provider.script({
        steps: [{ delta: `${name} begins, ` }, { stall: true }]
      });
      await chat.say(name);
      await expect(chat.pair(0)).toContainText('begins');
    }
    await expect(status(chat)).toHaveText('Turnbook: 3 streams');
    await mortal.kill();
    await expect(status(chat)).toHaveText('Turnbook: no connection');
    await provider.script(
      files.map(() => gated('goes ', 'go', 'on and ends.'))
    );
    await mortal.start();
    await provider.completions(6, 60);
    await expect(status(chat)).toHaveText('Turnbook: 3 streams', {
      timeout: 45_000
    });
    await provider.release('go');
    for (const [n, name] of ['a', 'b', 'c'].entries()) {
      await chat.open(files[n]);
      await chat.expectState(0, 'succeeded');
      const text = `${name} begins, goes on and ends.`;
      await expect(chat.pair(0)).toContainText(text);
      const notebook = await chat.savedInState(files[n], 0, 'succeeded');
      expect(replies(notebook)).toEqual([[text]]);
    }
    expect(await provider.completions()).toHaveLength(6);
  });
});

test.describe('what a file says', () => {
  test('never causes a request, and can be retried by hand @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, [
      { id: 'first', user: 'One', reply: 'Half', state: 'error' }
    ]);
    await expect(barrier(chat, 0)).toContainText(
      'Interrupted after 4 characters. This server has no record of the request.'
    );
    await expect(stopRetry(chat, 0)).toHaveCount(0);
    expect(await provider.completions()).toHaveLength(0);
    await retryNow(chat, 0).click();
    await chat.expectState(0, 'succeeded');
    await expect(chat.pair(0)).toContainText('You said: One');
    expect(await provider.completions()).toHaveLength(1);
  });
});

test.describe('the connection to the server', () => {
  test('polls while no socket gets through, and uses a socket again later @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    test.slow();
    let blocked = true;
    const tries: number[] = [];
    await page.routeWebSocket(/turnbook\/api\/stream/, socket => {
      tries.push(Date.now());
      if (blocked) {
        void socket.close({ code: 1006 + 5, reason: 'blocked' });
      } else {
        socket.connectToServer();
      }
    });
    await page.reload({ waitForIsReady: false } as object);
    await waitForRestored(page);
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await chat.sayGated(
      provider,
      'Through a proxy',
      'slowly ',
      'go',
      'but surely'
    );
    await expect.poll(() => tries.length).toBeGreaterThanOrEqual(2);
    await expect(status(chat)).toHaveText('Turnbook: 1 stream');
    await provider.release('go');
    await chat.expectState(0, 'succeeded');
    await expect(chat.pair(0)).toContainText('slowly but surely');
    await expect.poll(() => polls(chat)).toBe(true);

    blocked = false;
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect.poll(() => polls(chat)).toBe(false);
    await chat.sayGated(provider, 'Without one', 'fast ', 'next', 'again');
    await provider.release('next');
    await chat.expectState(1, 'succeeded');
    expect(await provider.completions()).toHaveLength(2);
  });

  test('is checked at once when the network is back, and the true state shows @fresh', async ({
    page,
    context,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await chat.sayGated(provider, 'Cut the cable', 'before, ', 'go', 'after.');
    await context.setOffline(true);
    await provider.release('go');
    await context.setOffline(false);
    await chat.expectState(0, 'succeeded');
    const notebook = await chat.saved(
      file,
      nb => nb.cells[0].outputs?.length === 1
    );
    expect(replies(notebook)).toEqual([['before, after.']]);
    expect(await provider.completions()).toHaveLength(1);
  });
});

/** Whether the page polls. */
const polls = (chat: Chat): Promise<boolean> =>
  chat.page.evaluate(
    () =>
      (window.jupyterapp.shell.currentWidget as any).session._options.socket
        .isPolling
  );

test.describe('the status bar', () => {
  test('links to a reply in a closed chat @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.createAnswered(tmpPath, 'An earlier one');
    await provider.script(later());
    await chat.say('Wait for me');
    await expect(barrier(chat, 1)).toContainText('Next attempt (2)');
    await chat.savedInState(file, 1, 'error');
    await chat.clean();
    await chat.execute('application:close');
    await expect(chat.panel).toHaveCount(0);
    await expect(status(chat)).toHaveText('Turnbook: 1 retry waiting');
    await status(chat).click();
    await page
      .getByRole('menuitem', { name: /Wait for me · attempt 2 in/ })
      .click();
    await expect(barrier(chat, 1)).toContainText('Next attempt (2)');
    await expect(chat.pair(1)).toHaveClass(/jp-mod-active/);
    await chat.execute('turnbook:stop-auto-retry');
    await expect(barrier(chat, 1)).toContainText('Auto-retry is off.');
    await expect(status(chat)).toHaveText('Turnbook: idle');
    await expect
      .poll(async () => (await provider.completions()).length)
      .toBe(2);
  });
});

test.describe('the file of a reply', () => {
  test('can be renamed while the reply arrives @fresh', async ({
    page,
    context,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await chat.sayGated(provider, 'Hello', 'on my ', 'go', 'way');
    await page.close();
    const moved = `${tmpPath}/moved.chat.ipynb`;
    fs.renameSync(
      path.join(servers.root, file),
      path.join(servers.root, moved)
    );
    await provider.release('go');
    const other = await otherTab(context, moved);
    // No page saw the move: it could be another file with the same id.
    await other.panel
      .getByRole('button', { name: 'Take over the replies' })
      .click();
    await other.expectState(0, 'succeeded');
    await expect(other.pair(0)).toContainText('on my way');
  });

  test('can be deleted: the reply is recovered into another chat @fresh', async ({
    page,
    context,
    provider,
    servers,
    tmpPath
  }) => {
    test.slow();
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await chat.sayGated(provider, 'Keep this', 'not ', 'go', 'lost');
    await page.close();
    fs.unlinkSync(path.join(servers.root, file));
    await provider.release('go');
    const other = await otherLab(context);
    await expect(status(other)).toHaveText('Turnbook: idle');
    await other.begin('turnbook:recovered-replies');
    const dialog = other.page.getByRole('dialog', {
      name: 'Recovered replies'
    });
    const row = dialog.locator('li', { hasText: 'Keep this' });
    await expect(row).toContainText('not lost');
    await expect(row.getByTitle(file)).toContainText('from Keep this');
    await row.getByRole('button', { name: 'Restore' }).click();
    await expect(row).toHaveCount(0);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(other.message).toBeFocused();
    await other.expectState(0, 'succeeded');
    await expect(other.pair(0)).toContainText('not lost');
    const notebook = await other.saved(
      await other.path(),
      nb => nb.cells.length === 1 && nb.cells[0].outputs?.length === 1
    );
    expect(replies(notebook)).toEqual([['not lost']]);
    expect(await provider.completions()).toHaveLength(1);
  });
});

test.describe('two browsers on one chat', () => {
  test('have the reply once when the sender dies in the middle @smoke @fresh', async ({
    page,
    browser,
    baseURL,
    provider,
    tmpPath
  }) => {
    test.slow();
    const sender = new Chat(page);
    const file = await sender.createSaved(tmpPath, 'One');
    const contexts = await Promise.all(
      ['second', 'third'].map(() => browser.newContext({ baseURL }))
    );
    const others: Chat[] = [];
    for (const context of contexts) {
      others.push(await otherTab(context, file));
    }
    await provider.script([
      broken('The sender '),
      // The second attempt starts over.
      gated('The sender is dead, ', 'go', 'the reply lives.')
    ]);
    await sender.say('Two');
    for (const other of others) {
      await expect(other.pair(1)).toContainText('The sender');
    }
    await page.close();
    for (const other of others) {
      await expect(other.pair(1)).toContainText('The sender is dead,');
    }
    await provider.release('go');
    const text = 'The sender is dead, the reply lives.';
    for (const other of others) {
      await other.expectState(1, 'succeeded');
      await expect(other.pair(1)).toContainText(text);
      await expect(other.pairs).toHaveCount(2);
    }
    const notebook = await others[0].saved(
      file,
      nb =>
        nb.cells.length === 2 &&
        nb.cells[1].metadata.turnbook_run?.state === 'succeeded'
    );
    expect(replies(notebook)).toEqual([['You said: One'], [text]]);
    for (const other of others) {
      await expect(other.page.locator('.jp-Dialog')).toHaveCount(0);
    }
    expect(await provider.completions()).toHaveLength(3);
    await Promise.all(contexts.map(context => context.close()));
  });

  test('recover a pair whose sender died before anything was saved @smoke @fresh', async ({
    page,
    browser,
    baseURL,
    provider,
    tmpPath
  }) => {
    test.slow();
    const sender = new Chat(page);
    const file = await sender.create(tmpPath);
    await provider.script(gated('still ', 'go', 'here'));
    await sender.say('Before any save');
    await provider.completions(1);
    await page.close();
    await provider.release('go');
    const context = await browser.newContext({ baseURL });
    const other = await otherTab(context, file);
    await other.expectState(0, 'succeeded');
    await expect(other.pair(0)).toContainText('still here');
    const notebook = await other.saved(
      file,
      nb => nb.cells.length === 1 && nb.cells[0].outputs?.length === 1
    );
    expect(replies(notebook)).toEqual([['still here']]);
    expect(notebook.cells[0].source).toBe('Before any save');
    expect(await provider.completions()).toHaveLength(1);
    await context.close();
  });
});
