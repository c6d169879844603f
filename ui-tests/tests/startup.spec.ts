import type { Page } from '@playwright/test';
import { gzipSync } from 'node:zlib';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { preparedNotebook, writeChat } from '../support/prepared';

/** What a page may load of Turnbook before anything of it is used, in compressed bytes. */
const START_BYTES = 150_000;

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
    let bytes = 0;
    for (const file of files) {
      const body = await (await page.request.get(file)).body();
      bytes += gzipSync(body).length;
    }
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
});
