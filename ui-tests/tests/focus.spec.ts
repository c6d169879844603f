import { galata } from '@jupyterlab/galata';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { writeChat } from '../support/prepared';
import {
  below,
  end,
  paragraphs,
  sayAtLength,
  scrollTop,
  wheel
} from '../support/scrolling';

/** A saved chat of `count` pairs with replies. */
async function prepare(chat: Chat, path: string, count: number): Promise<void> {
  await write(chat, path, count);
  await chat.open(path);
}

async function write(chat: Chat, path: string, count: number): Promise<void> {
  const cells = Array.from({ length: count }, (_, n) => ({
    cell_type: 'code',
    id: `pair-${n}`,
    source: `Question ${n}`,
    execution_count: null,
    metadata: {
      turnbook: { topic: '', star: 0, in: true },
      turnbook_run: {
        state: 'succeeded',
        model: 'scripted/scripted',
        createdAt: 1_790_000_000_000 + n,
        updatedAt: 1_790_000_000_000 + n,
        runId: `run-${n}`,
        attempt: 1,
        context: [],
        requestHash: '0'.repeat(64)
      }
    },
    outputs: [
      {
        output_type: 'display_data',
        data: { 'text/markdown': `Answer ${n}\n\n${paragraphs(4)}` },
        metadata: { turnbook: { runId: `run-${n}` } }
      }
    ]
  }));
  const content = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {
      language_info: { name: 'markdown' },
      turnbook: {
        format: 1,
        chatId: crypto.randomUUID(),
        model: 'scripted/scripted',
        topic: ''
      }
    },
    cells
  };
  await writeChat(chat.page, path, content);
}

/** The source of the active cell, and whether the notebook has the focus in command mode. */
const view = (chat: Chat): Promise<{ active: string; inView: boolean }> =>
  chat.page.evaluate(() => {
    const { content } = window.jupyterapp.shell.currentWidget as any;
    return {
      active: content.activeCell.model.sharedModel.getSource(),
      inView:
        content.mode === 'command' &&
        content.node.contains(document.activeElement)
    };
  });

/** Wait until the user no longer counts as typing. */
const quiet = (chat: Chat): Promise<void> =>
  expect
    .poll(() =>
      chat.page.evaluate(
        () =>
          Date.now() -
          (window.jupyterapp.shell.currentWidget as any).composer.lastKey
      )
    )
    .toBeGreaterThan(1100);

test.describe('scrolling', () => {
  test('starts at the end, goes to what is sent, and follows only a user at the end', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await prepare(chat, `${tmpPath}/long.chat.ipynb`, 30);
    await expect(chat.pairs.last()).toBeInViewport();
    await expect.poll(() => below(chat)).toBeLessThan(48);
    await expect(chat.message).toBeFocused();

    await wheel(chat, -3000);
    await expect.poll(() => below(chat)).toBeGreaterThan(500);
    await provider.script({
      steps: [
        { wait: 'begin' },
        { delta: paragraphs(12, 'first') },
        { wait: 'more' },
        { delta: paragraphs(12, 'second') },
        { wait: 'last' },
        { delta: paragraphs(12, 'third') },
        { wait: 'end' },
        ...end
      ]
    });
    await chat.message.fill('What now?');
    await chat.message.press('Enter');
    const pair = chat.pair(30);
    await expect(pair).toBeInViewport();
    await expect(pair).toContainText('thinking…');

    // At the end, the view stays there while the reply grows, and the focus stays.
    await provider.release('begin');
    await expect(pair).toContainText('first 11');
    await expect.poll(() => below(chat)).toBeLessThan(48);
    await expect(chat.message).toBeFocused();

    // A user who scrolled up is left alone.
    await wheel(chat, -400);
    await expect.poll(() => below(chat)).toBeGreaterThan(200);
    const at = await scrollTop(chat);
    await provider.release('more');
    await expect(pair).toContainText('second 11');
    expect(Math.abs((await scrollTop(chat)) - at)).toBeLessThan(2);

    // Back at the end, it follows again.
    await wheel(chat, 5000);
    await expect.poll(() => below(chat)).toBeLessThan(48);
    await provider.release('last');
    await expect(pair).toContainText('third 11');
    await expect.poll(() => below(chat)).toBeLessThan(48);
    await provider.release('end');
    await chat.expectState(30, 'succeeded');
  });

  test('stays at a pair that is shown before all cells are drawn', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await write(chat, `${tmpPath}/early.chat.ipynb`, 90);
    // While the user types, only what is needed is drawn.
    await page.evaluate(() => {
      const type = () => window.dispatchEvent(new Event('input'));
      (window as any).typing = setInterval(type, 50);
    });
    await chat.open(`${tmpPath}/early.chat.ipynb`);
    await expect(chat.panel.getByText('Answer 89')).toBeInViewport();
    await page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as any;
      panel.reveal(panel.content.widgets[80]);
    });
    const shown = chat.panel.getByText('Question 80');
    await expect(shown).toBeInViewport();
    await page.evaluate(() => clearInterval((window as any).typing));
    await expect(chat.pairs).toHaveCount(90);
    await expect(shown).toBeInViewport();
  });

  test('stays at a pair in the middle when it is sent again', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await prepare(chat, `${tmpPath}/middle.chat.ipynb`, 30);
    await expect.poll(() => below(chat)).toBeLessThan(48);
    const pair = chat.panel.locator('[data-turnbook-pair="pair-10"]');
    await page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as any;
      panel.content.activeCellIndex = 10;
      panel.content.deselectAll();
      panel.enterView();
      panel.reveal(panel.content.widgets[10]);
    });
    await provider.script({
      steps: [
        { wait: 'begin' },
        { delta: 'Another answer' },
        { wait: 'end' },
        ...end
      ]
    });
    await chat.resendByKey(pair, 'Another question');
    const seen = async (words: string) => {
      await expect(pair).toContainText(words);
      await expect(pair.getByText('Another question')).toBeInViewport();
      expect(await below(chat)).toBeGreaterThan(500);
    };
    await seen('thinking…');
    await provider.release('begin');
    await seen('Another answer');
    await provider.release('end');
    await expect(pair).toHaveAttribute('data-turnbook-state', 'succeeded');
    await seen('Another answer');
  });
});

test.describe('the focus when a reply arrives', () => {
  test('is not taken from the palette by a chat that opens slowly @fresh', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    // The first chat of a page has to load its view, too.
    await chat.create(tmpPath);
    const path = `${tmpPath}/slow.chat.ipynb`;
    await write(chat, path, 1);
    // After two frames, Lumino's messages and frame callbacks have been handled.
    const frames = () =>
      page.evaluate(
        () =>
          new Promise(done =>
            requestAnimationFrame(() => requestAnimationFrame(done))
          )
      );
    // The tab is already there when the file is read.
    const file = /api\/contents\/.*slow\.chat\.ipynb\?.*content=1/;
    let arrive = () => {};
    const asked = new Promise<void>(resolve => {
      void page.route(file, async route => {
        resolve();
        await new Promise<void>(go => (arrive = go));
        await route.continue();
      });
    });
    await page.evaluate(path => {
      void window.jupyterapp.commands.execute('docmanager:open', { path });
    }, path);
    await asked;
    await expect(
      page.getByRole('tab', { name: 'slow.chat.ipynb', selected: true })
    ).toBeVisible();
    await frames();
    await chat.execute('apputils:activate-command-palette');
    const search = page.locator('.lm-CommandPalette input').first();
    await expect(search).toBeFocused();
    await page.unroute(file);
    arrive();
    await expect(chat.pairs).toHaveCount(1);
    await frames();
    await expect(search).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(search).toBeHidden();
  });

  test('stays in the composer if the reply fits', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await provider.script({
      steps: [{ delta: 'short' }, { wait: 'end' }, ...end]
    });
    await chat.say('Briefly?');
    await quiet(chat);
    await provider.release('end');
    await chat.expectState(0, 'succeeded');
    await expect(chat.send).toBeVisible();
    await expect(chat.message).toBeFocused();
    await expect(chat.pair(0)).not.toContainText('(new)');
  });

  test('depends on the reply, however long its message is', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const message = Array.from({ length: 70 }, (_, n) => `asked ${n}`);
    await provider.script({
      steps: [{ delta: 'In short' }, { wait: 'end' }, ...end]
    });
    await chat.say(message.join('\n'));
    await expect(chat.pair(0)).toContainText('In short');
    await quiet(chat);
    await provider.release('end');
    await chat.expectState(0, 'succeeded');
    await expect(chat.send).toBeVisible();
    await expect(chat.message).toBeFocused();
    const reply = (n: number) => chat.pair(n).locator('.jp-Cell-outputArea');
    await expect(reply(0).getByText('In short')).toBeInViewport();
    await expect(chat.pair(0)).not.toContainText('(new)');

    // One that does not fit is shown from its beginning.
    await sayAtLength(chat, provider, message.join('\n'), 'long');
    await quiet(chat);
    await provider.release('long');
    await chat.expectState(1, 'succeeded');
    await expect
      .poll(() => view(chat))
      .toEqual({ active: message.join('\n'), inView: true });
    await expect(
      reply(1).getByText('line 0', { exact: true })
    ).toBeInViewport();
    await expect(reply(1).getByText('line 59')).not.toBeInViewport();
  });

  test('goes to a reply that does not fit unless the user is typing', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.createAnswered(tmpPath, 'Before');
    await sayAtLength(chat, provider, 'At length?', 'end');
    await quiet(chat);
    await expect(chat.message).toBeFocused();
    await provider.release('end');
    await chat.expectState(1, 'succeeded');
    await expect(chat.message).not.toBeFocused();
    await expect
      .poll(() => view(chat))
      .toEqual({ active: 'At length?', inView: true });
    await expect(chat.pair(1)).not.toContainText('(new)');
    // It is shown from its beginning.
    await expect(chat.pair(1).getByText('At length?')).toBeInViewport();
    await expect(
      chat.pair(1).getByText('line 0', { exact: true })
    ).toBeInViewport();
  });

  test('is not taken from a user who is typing; the reply is marked until it is viewed', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await sayAtLength(chat, provider, 'At length?', 'end');
    await chat.message.press('a');
    await provider.release('end');
    await expect(async () => {
      await chat.message.press('b');
      await expect(chat.pair(0)).toHaveAttribute(
        'data-turnbook-state',
        'succeeded',
        { timeout: 100 }
      );
    }).toPass({ intervals: [50] });
    await expect(chat.pair(0)).toContainText('(new)');
    await expect(chat.message).toBeFocused();
    await expect(chat.message).toHaveValue(/^ab+$/);
    // Typing on does not count as looking.
    await chat.message.press('c');
    await expect(chat.pair(0)).toContainText('(new)');
    // Going to it does.
    await chat.message.press('Escape');
    await expect(chat.pair(0)).not.toContainText('(new)');
  });

  test.describe('with autoEnterViewOnOverflow off', () => {
    test.use({
      mockSettings: {
        ...galata.DEFAULT_SETTINGS,
        'jupyterlab-turnbook:chat': { autoEnterViewOnOverflow: false }
      }
    });

    test('stays in the composer and the reply is marked', async ({
      page,
      provider,
      tmpPath
    }) => {
      const chat = new Chat(page);
      await chat.create(tmpPath);
      await sayAtLength(chat, provider, 'At length?', 'end');
      await quiet(chat);
      await provider.release('end');
      await chat.expectState(0, 'succeeded');
      await expect(chat.pair(0)).toContainText('(new)');
      await expect(chat.message).toBeFocused();
    });
  });
});
