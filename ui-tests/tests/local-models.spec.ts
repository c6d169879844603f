import AxeBuilder from '@axe-core/playwright';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';

/** How long the server waits for a model to start. */
const START_LIMIT = 120_000;

test('A local model is downloaded, continued after a reload, used and removed @fresh', async ({
  page,
  servers,
  tmpPath
}) => {
  const control = async (action: 'hold' | 'release') => {
    await fetch(`${servers.hub}/control/${action}`, { method: 'POST' });
  };
  const dialog = page.getByRole('dialog', { name: 'Local models' });
  const model = dialog.getByRole('listitem', { name: 'Tiny-Instruct' });
  const button = (name: string) => model.getByRole('button', { name });

  const chat = new Chat(page);
  await chat.create(tmpPath);
  await control('hold');
  await chat.model.click();
  await page.getByRole('button', { name: 'Local models…' }).click();
  await expect(model).toContainText('3 MB to download · about 4 MB of memory');
  await expect(model).toContainText('Apache-2.0');
  const { violations } = await new AxeBuilder({ page })
    .include('.jp-Turnbook-localModels')
    .analyze();
  expect(violations).toEqual([]);

  await button('Download 3 MB').click();
  const progress = model.getByRole('progressbar');
  await expect(progress).toBeVisible();
  await expect
    .poll(() => progress.evaluate((bar: HTMLProgressElement) => bar.value))
    .toBeGreaterThan(1e6);

  // It goes on without the page, and every page can stop it.
  await chat.reload();
  await page.evaluate(() =>
    window.jupyterapp.commands.execute('turnbook:local-models')
  );
  await button('Stop').click();
  await expect(button('Discard')).toBeVisible();
  await control('release');
  await button('Continue').click();
  await button('Use now').click();
  await expect(dialog).toBeHidden();
  await expect(chat.model).toHaveValue('local/Tiny-Instruct');

  // The file is no model, so it cannot answer; nothing else answers in its place.
  test.setTimeout(test.info().timeout + START_LIMIT);
  await chat.say('Hello');
  await expect(chat.pair(0)).toHaveAttribute('data-turnbook-state', 'error', {
    timeout: START_LIMIT
  });
  await chat.model.selectOption('Local models…');
  await button('Remove').click();
  await button('Yes, delete').click();
  await expect(button('Download 3 MB')).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(
    chat.model.locator('option[value="local/Tiny-Instruct"]')
  ).toContainText('not listed');
  await chat.model.selectOption('scripted/scripted');
});
