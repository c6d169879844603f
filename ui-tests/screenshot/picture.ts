import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import { mkdirSync, rmSync, writeFileSync } from 'fs';
import * as path from 'path';

import { Chat } from '../support/chat';
import { expect, test as lab } from '../support/fixtures';
import {
  preparedNotebook,
  type Prepared,
  writeChat
} from '../support/prepared';

/** The project's folder. */
export const ROOT = path.join(__dirname, '../..');

/**
 * The UI tests' `test`, in a folder whose name may appear in a picture, and in the light theme
 * whatever the test before has left.
 */
export const test = lab.extend<{ light: void }>({
  tmpPath: async ({ servers }, use) => {
    const folder = path.join(servers.root, 'chats');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    await use('chats');
  },
  light: [
    async ({ page }, use) => {
      await dress(page, 'JupyterLab Light');
      await use();
    },
    { auto: true }
  ]
});

/** Leave only the chat in the page: no launcher, no side bar. */
export async function alone(page: IJupyterLabPageFixture): Promise<void> {
  await page
    .getByRole('tab', { name: 'Launcher' })
    .locator('.lm-TabBar-tabCloseIcon')
    .click();
  await page.sidebar.close('left');
}

/** Save a prepared chat under a name and open it alone. */
export async function openAs(
  page: IJupyterLabPageFixture,
  file: string,
  cells: Prepared[]
): Promise<Chat> {
  const notebook = preparedNotebook(cells);
  // JupyterLab adds it on opening, and the file would count as changed.
  notebook.metadata.kernelspec = { name: '', display_name: '' };
  await writeChat(page, file, notebook);
  const chat = new Chat(page);
  await chat.open(file);
  await alone(page);
  await expect(chat.message).toBeFocused();
  return chat;
}

/** Make a pair active in VIEW mode. */
export async function choose(chat: Chat, id: string): Promise<void> {
  await chat.page.evaluate(pair => {
    const panel = window.jupyterapp.shell.currentWidget as any;
    panel.content.activeCellIndex = panel.content.widgets.findIndex(
      (cell: any) => cell.model.id === pair
    );
    panel.content.deselectAll();
    panel.enterView();
  }, id);
}

/** Save a picture of the page in docs/. */
export async function take(
  page: IJupyterLabPageFixture,
  name: string
): Promise<void> {
  // Nothing should look hovered.
  await page.mouse.move(0, 0);
  const picture = await page.screenshot({
    animations: 'disabled',
    caret: 'hide',
    // Whether JupyterLab has just saved would differ each time.
    style: '.jp-StatusBar-Middle { visibility: hidden; }'
  });
  const file = path.join(ROOT, 'docs', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, picture);
}

/** Close JupyterLab's notices, which would cover a part of the page. */
export async function withoutNotices(
  page: IJupyterLabPageFixture
): Promise<void> {
  await new Chat(page).execute('apputils:dismiss-notification');
  await expect(page.locator('.Toastify__toast')).toHaveCount(0);
}

/** Change JupyterLab's theme. */
export async function dress(
  page: IJupyterLabPageFixture,
  theme: 'JupyterLab Light' | 'JupyterLab Dark'
): Promise<void> {
  await page.theme.setTheme(theme);
  await expect(page.locator('body')).toHaveAttribute(
    'data-jp-theme-name',
    theme
  );
}
