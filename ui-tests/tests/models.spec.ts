import AxeBuilder from '@axe-core/playwright';
import { galata } from '@jupyterlab/galata';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { chooseSmall, listModels } from '../support/models';
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
    const words = 'No provider for gone/it.';
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

test.describe('The model menu', () => {
  for (const theme of ['JupyterLab Light', 'JupyterLab Dark']) {
    test(`finds one of 300 models by keyboard, and fits, ${theme} @fresh`, async ({
      page,
      servers,
      tmpPath
    }) => {
      await page.setViewportSize({ width: 900, height: 700 });
      await page.theme.setTheme(theme);
      const windows: Record<string, number> = { scripted: 128_000 };
      for (let n = 0; n < 299; n++) {
        windows[`model-${n}`] = 1000 * (n + 8);
      }
      await listModels(servers, windows);
      const chat = new Chat(page);
      await chat.create(tmpPath);
      await chat.model.selectOption({ label: 'Refresh models' });
      await expect(
        chat.model.locator('option[value="scripted/model-298"]')
      ).toHaveCount(1);

      const menu = page.getByRole('dialog', { name: 'Choose a model' });
      const options = menu.getByRole('option');
      const active = menu.locator('[aria-selected="true"]');
      const search = menu.getByRole('combobox', { name: 'Search' });
      await chat.model.focus();
      await page.keyboard.press('Enter');
      await expect(search).toBeFocused();
      await expect(options).toHaveCount(301);
      await expect(active).toHaveText('scripted128k');
      await expect(active).toBeInViewport();
      const overhang = async () => {
        const box = await menu.boundingBox();
        return box
          ? Math.max(
              -box.x,
              -box.y,
              box.x + box.width - 900,
              box.y + box.height - 700
            )
          : Infinity;
      };
      await expect.poll(overhang).toBeLessThanOrEqual(0);
      const axe = new AxeBuilder({ page }).include('.jp-Turnbook-modelPicker');
      expect((await axe.analyze()).violations).toEqual([]);

      await page.keyboard.type('scripted model-29');
      await expect(options).toHaveCount(10);
      await expect(active).toHaveText('model-2937k');
      await page.keyboard.press('ArrowUp');
      await expect(active).toHaveText('model-298306k');
      await expect(active).toBeInViewport();
      await page.keyboard.press('Enter');
      await expect(menu).toHaveCount(0);
      await expect(chat.model).toBeFocused();
      await expect(chat.model).toHaveValue('scripted/model-298');

      // It is among the recent ones now. Typing on the closed list searches.
      await page.keyboard.press('m');
      await expect(search).toHaveValue('m');
      const recent = menu.getByRole('group', { name: 'Recent' });
      await expect(recent.getByRole('option')).toHaveText([
        /^scripted \/ model-298/
      ]);
      await page.keyboard.press('Escape');
      await expect(menu).toHaveCount(0);
      await expect(chat.model).toBeFocused();
      await expect(chat.model).toHaveValue('scripted/model-298');
    });
  }

  test('opens, chooses and closes by mouse', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    await provider.reset();
    await listModels(servers, { scripted: 128_000, other: 8192 });
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const menu = page.getByRole('dialog', { name: 'Choose a model' });
    await chat.model.click();
    await menu.getByRole('button', { name: 'Refresh models' }).click();
    await menu.getByRole('option', { name: 'other 8k' }).click();
    await expect(menu).toHaveCount(0);
    await expect(chat.model).toHaveValue('scripted/other');
    await chat.model.click();
    await expect(menu).toBeVisible();
    await chat.model.click();
    await expect(menu).toHaveCount(0);
    await chat.model.click();
    await expect(menu).toBeVisible();
    // The menu covers its middle.
    await chat.message.click({ position: { x: 5, y: 5 } });
    await expect(menu).toHaveCount(0);
    await expect(chat.message).toBeFocused();
    await chat.model.click();
    await menu.getByRole('button', { name: 'Add or edit providers…' }).click();
    await expect(menu).toHaveCount(0);
    const dialog = page.getByRole('dialog', { name: 'Models and providers' });
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  });

  for (const height of [800, 420]) {
    test(`leaves its options where they are when a server is found late, ${height} high @fresh`, async ({
      page,
      provider,
      servers,
      tmpPath
    }) => {
      await provider.reset();
      const names = Array.from({ length: 30 }, (_, n) => [`model-${n}`, 8192]);
      await listModels(servers, Object.fromEntries(names));
      await page.setViewportSize({ width: 1280, height });
      let answer = () => undefined as void;
      const asked = new Promise<void>(resolve => {
        answer = resolve;
      });
      await page.route('**/turnbook/api/loopback*', async route => {
        await asked;
        await route.continue();
      });
      const chat = new Chat(page);
      await chat.create(tmpPath);
      await chat.model.selectOption({ label: 'Refresh models' });
      await expect(
        chat.model.locator('option[value="scripted/model-9"]')
      ).toHaveCount(1);
      await chat.model.click();
      const menu = page.getByRole('dialog', { name: 'Choose a model' });
      const option = menu.getByRole('option').nth(2);
      await expect(option).toBeVisible();
      const before = await option.boundingBox();
      answer();
      await expect(
        page.getByRole('button', { name: 'Use Ollama' })
      ).toBeVisible();
      const after = await option.boundingBox();
      // A list scrolls by whole pixels, and its height has parts of one.
      expect(Math.abs(after!.y - before!.y)).toBeLessThan(1);
    });
  }

  test('finds a server on loopback, and uses it after one click @fresh', async ({
    page,
    tmpPath
  }) => {
    const asked: string[] = [];
    page.on('request', request => {
      if (request.url().includes('/turnbook/api/loopback')) {
        asked.push(request.url());
      }
    });
    const chat = new Chat(page);
    await chat.create(tmpPath);
    expect(asked).toEqual([]);
    await chat.model.click();
    await page.getByRole('button', { name: 'Use Ollama' }).click();
    await expect(chat.model).toHaveValue('ollama/scripted');
    await expect(chat.model.locator('option:checked')).toHaveText('scripted');
    await chat.say('Hello');
    await chat.expectState(0, 'succeeded');
    await expect(chat.pair(0)).toContainText('You said: Hello');

    await chat.model.click();
    const menu = page.getByRole('dialog', { name: 'Choose a model' });
    await expect(menu.getByRole('group', { name: 'ollama' })).toBeVisible();
    await menu.getByRole('button', { name: 'Add or edit providers…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Models and providers' });
    await dialog.getByRole('button', { name: 'Delete ollama' }).click();
    await dialog.getByRole('button', { name: 'Yes, delete' }).click();
    await expect(dialog).toContainText('ollama and its key are deleted.');
    expect(asked).toHaveLength(2);
  });
});
