import { randomUUID } from 'crypto';
import { readFileSync } from 'fs';
import * as path from 'path';

import { Chat } from '../support/chat';
import { expect } from '../support/fixtures';
import { dress, take, test } from './picture';

const NAME = 'welcome.chat.ipynb';

test('a chat with a reply of the embedded model', async ({ page, tmpPath }) => {
  const welcome = JSON.parse(readFileSync(path.join(__dirname, NAME), 'utf-8'));
  welcome.metadata.turnbook.chatId = randomUUID();
  const file = `${tmpPath}/${NAME}`;
  await page.contents.uploadContent(JSON.stringify(welcome), 'text', file);

  const chat = new Chat(page);
  await chat.open(file);
  await page
    .getByRole('tab', { name: 'Launcher' })
    .locator('.lm-TabBar-tabCloseIcon')
    .click();
  await page.sidebar.openTab('filebrowser');
  await chat.model.selectOption({ label: 'SmolLM2-135M-Instruct' });
  // So that the reply is the same in every picture.
  await chat.panel.getByRole('button', { name: 'Add an option' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('combobox', { name: 'Option' })
    .selectOption('temperature');
  await dialog.getByRole('textbox', { name: 'Value' }).fill('0');
  await dialog.getByRole('button', { name: 'Set for this chat' }).click();
  await expect(dialog).toHaveCount(0);
  await chat.say('Write a Python function that says whether a number is even.');
  // The model has to be loaded first.
  await expect(chat.pair(0)).toHaveAttribute(
    'data-turnbook-state',
    'succeeded',
    { timeout: 60_000 }
  );
  await chat.saved(file, nb => nb.cells.at(-1).outputs?.length === 1);
  await chat.message.focus();

  await dress(page, 'JupyterLab Light');
  await take(page, 'screenshot.png');
  await dress(page, 'JupyterLab Dark');
  await take(page, 'screenshot-dark.png');
});
