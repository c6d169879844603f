import type { Page } from '@playwright/test';
import { gzipSync } from 'node:zlib';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared, preparedNotebook, writeChat } from '../support/prepared';
import { setSetting } from '../support/request';

/** What a page may load of Turnbook before anything of it is used, in compressed bytes. */
const START_BYTES = 150_000;

/** The tokenizer is larger than all else together; the rest of what a chat needs is not. */
const TOKENIZER_BYTES = 600_000;

/** What files are in compressed bytes. */
async function sizes(page: Page, files: string[]): Promise<number[]> {
  const found: number[] = [];
  for (const file of files) {
    const body = await (await page.request.get(file)).body();
    found.push(gzipSync(body).length);
  }
  return found;
}

const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);

/** The files of Turnbook that a page has loaded. */
function loaded(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter(name => name.includes('/jupyterlab-turnbook/static/'))
  );
}

test.describe('at the start of a page', () => {
  test('little is loaded, and the rest with the first chat, in the tab that waits for it @fresh', async ({
    page,
    tmpPath
  }) => {
    const files = await loaded(page);
    const bytes = sum(await sizes(page, files));
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(START_BYTES);

    // What needs no chat can be used, and has its name.
    const commands = (id: string) =>
      page.evaluate(id => {
        const { commands } = window.jupyterapp;
        return [commands.label(id), commands.isEnabled(id)];
      }, id);
    expect(await commands('turnbook:manage-providers')).toEqual([
      'Add or Edit Providers…',
      true
    ]);
    expect(await commands('turnbook:regenerate')).toEqual([
      'Regenerate',
      false
    ]);

    const path = `${tmpPath}/first.chat.ipynb`;
    await writeChat(
      page,
      path,
      preparedNotebook([{ id: 'one', user: 'Hi', reply: 'Hello' }])
    );
    await page.filebrowser.refresh();
    await page
      .locator('.jp-DirListing-item', { hasText: 'first.chat.ipynb' })
      .dblclick();
    const chat = new Chat(page);
    await expect(chat.message).toBeFocused();
    await expect(chat.pair(0)).toContainText('Hello');
    expect(await chat.path()).toBe(path);
    await expect(
      page.getByRole('tab', { name: 'first.chat.ipynb' })
    ).toHaveCount(1);
    expect((await loaded(page)).length).toBeGreaterThan(files.length);
    expect(await commands('turnbook:focus-composer')).toContain(true);
  });

  test('the tokenizer is loaded only when it is chosen @fresh', async ({
    page,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, [
      { id: 'one', user: 'Hi', reply: 'Hello' }
    ]);
    await chat.say('More');
    await chat.expectState(1, 'succeeded');
    const files = await loaded(page);
    expect(Math.max(...(await sizes(page, files)))).toBeLessThan(
      TOKENIZER_BYTES
    );
    await setSetting(page, 'tokenizer', 'gpt');
    try {
      const isTokenizer = async () => {
        const more = (await loaded(page)).filter(file => !files.includes(file));
        return sum(await sizes(page, more)) > TOKENIZER_BYTES;
      };
      await expect.poll(isTokenizer).toBe(true);
    } finally {
      await setSetting(page, 'tokenizer', undefined);
    }
  });

  test('a chat is read as text, and read again so; what the user trusts stays trusted @fresh', async ({
    page,
    tmpPath
  }) => {
    const asked: string[] = [];
    page.on('request', request => {
      const { pathname, searchParams } = new URL(request.url());
      if (
        request.method() === 'GET' &&
        pathname.includes('/api/contents/') &&
        pathname.endsWith('read.chat.ipynb') &&
        searchParams.get('content') === '1'
      ) {
        asked.push(searchParams.get('type') ?? '');
      }
    });
    const path = `${tmpPath}/read.chat.ipynb`;
    const content = preparedNotebook([
      { id: 'one', user: 'Hi', reply: 'Hello' }
    ]);
    // Only where it is trusted is such a picture shown.
    content.cells.push({
      cell_type: 'code',
      id: 'plot',
      execution_count: 1,
      metadata: {},
      source: 'plot()',
      outputs: [
        {
          output_type: 'display_data',
          metadata: {},
          data: { 'image/svg+xml': '<svg/>', 'text/plain': 'no picture' }
        }
      ]
    });
    content.cells.forEach((cell: any) => (cell.metadata.trusted = true));
    await writeChat(page, path, content);
    const open = (factory?: string) =>
      page.evaluate(
        async ([path, factory]) => {
          const { commands } = window.jupyterapp;
          await commands.execute('docmanager:open', { path, factory });
        },
        [path, factory] as const
      );
    await open();
    const chat = new Chat(page);
    await expect(chat.message).toBeFocused();
    await expect(chat.pair(0)).toContainText('Hello');
    expect(asked).toEqual(['file']);
    await chat.execute('docmanager:reload');
    await expect.poll(() => asked).toEqual(['file', 'file']);

    await open('Notebook');
    const picture = page.locator('.jp-Notebook .jp-RenderedSVG');
    await expect(picture.filter({ visible: true })).toHaveCount(1);
    expect(asked).toEqual(['file', 'file']);
  });
});
