import { randomUUID } from 'crypto';
import { mkdirSync, readFileSync } from 'fs';
import * as path from 'path';

import { Chat } from '../support/chat';
import { expect, test as lab } from '../support/fixtures';

const ROOT = path.join(__dirname, '../..');
const NAME = 'welcome.chat.ipynb';

const test = lab.extend({
  // The folder's name is in the picture.
  tmpPath: async ({ servers }, use) => {
    mkdirSync(path.join(servers.root, 'chats'));
    await use('chats');
  }
});

test('the example chat with a reply of the embedded model', async ({
  page,
  tmpPath
}) => {
  const example = JSON.parse(
    readFileSync(path.join(ROOT, 'examples', NAME), 'utf-8')
  );
  example.metadata.turnbook.chatId = randomUUID();
  const file = `${tmpPath}/${NAME}`;
  await page.contents.uploadContent(JSON.stringify(example), 'text', file);

  const chat = new Chat(page);
  await chat.open(file);
  await page
    .getByRole('tab', { name: 'Launcher' })
    .locator('.lm-TabBar-tabCloseIcon')
    .click();
  await chat.model.selectOption({ label: 'SmolLM2-135M-Instruct' });
  await chat.say('Write a Python function that adds two numbers.');
  await chat.expectState(0, 'succeeded');
  await chat.saved(file, nb => nb.cells.at(-1).outputs?.length === 1);
  await chat.message.focus();

  for (const [theme, picture] of [
    ['JupyterLab Light', 'screenshot.png'],
    ['JupyterLab Dark', 'screenshot-dark.png']
  ]) {
    await page.theme.setTheme(theme);
    await expect(page.locator('body')).toHaveAttribute(
      'data-jp-theme-name',
      theme
    );
    await page.screenshot({
      animations: 'disabled',
      caret: 'hide',
      path: path.join(ROOT, 'docs', picture)
    });
  }
});
