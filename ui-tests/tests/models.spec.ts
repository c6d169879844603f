import { galata } from '@jupyterlab/galata';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { chooseSmall } from '../support/models';
import { preparedNotebook, writeChat } from '../support/prepared';

test.describe('The model of a new chat', () => {
  test('is the one used last, and not one that a file names @fresh', async ({
    page,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await expect(chat.model).toHaveValue('scripted/scripted');
    await chooseSmall(servers, chat);
    await chat.create(tmpPath);
    await expect(chat.model).toHaveValue('scripted/small');

    const file = `${tmpPath}/theirs.chat.ipynb`;
    const notebook = preparedNotebook([], { model: 'scripted/gpt-4o' });
    await writeChat(page, file, notebook, { isForeign: true });
    await chat.open(file);
    await expect(chat.model).toHaveValue('scripted/gpt-4o');
    await chat.create(tmpPath);
    await expect(chat.model).toHaveValue('scripted/small');

    // A choice in any chat counts.
    await chat.model.selectOption('scripted/scripted');
    await chat.open(file);
    await chat.model.selectOption('scripted/small');
    await chat.create(tmpPath);
    await expect(chat.model).toHaveValue('scripted/small');
    await chat.reload();
    await expect(chat.model).toHaveValue('scripted/small');
  });

  test('falls back when its provider is gone, and says so @fresh', async ({
    page,
    tmpPath
  }) => {
    await page.evaluate(() =>
      localStorage.setItem('turnbook:models', '["gone/it"]')
    );
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await expect(chat.model).toHaveValue('scripted/scripted');
    const words = 'There is no provider for gone/it any more.';
    await expect(chat.panel).toContainText(
      `${words} This chat uses scripted/scripted.`
    );
    await chat.say('Hello');
    await chat.expectState(0, 'succeeded');
    await expect(chat.panel).not.toContainText(words);
    await chat.create(tmpPath);
    await expect(chat.model).toHaveValue('scripted/scripted');
    await expect(chat.panel).not.toContainText(words);
  });

  test.describe('with a setting', () => {
    test.use({
      mockSettings: {
        ...galata.DEFAULT_SETTINGS,
        'jupyterlab-turnbook:chat': { defaultModel: 'scripted/always' }
      }
    });

    test('is that of the setting', async ({ page, tmpPath }) => {
      const chat = new Chat(page);
      await chat.create(tmpPath);
      await expect(chat.model).toHaveValue('scripted/always');
      await chat.model.selectOption('scripted/scripted');
      await chat.create(tmpPath);
      await expect(chat.model).toHaveValue('scripted/always');
    });
  });
});
