import type { Page } from '@playwright/test';
import * as fs from 'fs';
import * as path from 'path';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared } from '../support/prepared';

/** Where `scripts/examples.mjs` builds them. */
const BUILT = path.join(__dirname, '../../build/examples');

const NAMES = ['code-action', 'reference-provider'];

/** Load a page as if the examples were installed beside Turnbook. */
async function installExamples(page: Page): Promise<void> {
  const installed = NAMES.map(name => {
    const folder = path.join(BUILT, name, 'labextension');
    const { name: id, jupyterlab } = JSON.parse(
      fs.readFileSync(path.join(folder, 'package.json'), 'utf-8')
    );
    return { folder, entry: { name: id, ...jupyterlab._build } };
  });
  for (const { folder, entry } of installed) {
    await page.route(`**/lab/extensions/${entry.name}/**`, route => {
      const [, file] = new URL(route.request().url()).pathname.split(
        `/${entry.name}/`
      );
      return route.fulfill({ path: path.join(folder, file) });
    });
  }
  const entries = installed.map(({ entry }) => JSON.stringify(entry));
  await page.route(/\/lab(\/|\?|$)/, async route => {
    if (route.request().resourceType() !== 'document') {
      return route.fallback();
    }
    const response = await route.fetch();
    const html = await response.text();
    const list = /"federated_extensions": \[/;
    expect(html).toMatch(list);
    await route.fulfill({
      response,
      body: html.replace(list, found => `${found}${entries.join(',')},`)
    });
  });
  await page.reload();
}

test('The extensions in examples/ add a button to code blocks and an entry to what @ offers @fresh', async ({
  page,
  tmpPath
}) => {
  await installExamples(page);
  const chat = new Chat(page);
  await openPrepared(page, tmpPath, [
    { id: 'one', user: 'Code?', reply: '```python\na = 1\nb = 2\n```' }
  ]);
  await chat.pair(0).locator('pre').hover();
  await chat.pair(0).getByRole('button', { name: 'Count lines' }).click();
  await expect(page.getByText(/^2 lines, from .*prepared/)).toBeVisible();

  await chat.message.pressSequentially('@open');
  await page.getByRole('option', { name: /Open tabs/ }).click();
  await expect(
    chat.panel.getByRole('button', { name: 'Remove Open tabs' })
  ).toBeVisible();
});
