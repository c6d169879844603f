import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { expect, test } from '../support/fixtures';
import type { Step } from '../support/provider';

/** All traffic of the page, except the two requests that may contain a key. */
function listen(page: IJupyterLabPageFixture) {
  const said: string[] = [];
  const heard: Promise<string>[] = [];
  page.on('request', request => {
    const carriesKey =
      /\/turnbook\/api\/providers\/added(\/test|\/check)?$/.test(
        new URL(request.url()).pathname
      ) && ['PUT', 'POST'].includes(request.method());
    said.push(request.url(), carriesKey ? '' : (request.postData() ?? ''));
  });
  page.on('response', response => {
    if (response.url().includes('/turnbook/')) {
      heard.push(response.text().catch(error => `no text: ${error}`));
    }
  });
  page.on('websocket', socket => {
    socket.on('framesent', frame => said.push(String(frame.payload)));
    socket.on('framereceived', frame => said.push(String(frame.payload)));
  });
  return async () => [...said, ...(await Promise.all(heard))];
}

test.describe('Providers', () => {
  let model: Locator;
  let dialog: Locator;

  test.beforeEach(async ({ page }) => {
    await page.evaluate(() =>
      window.jupyterapp.commands.execute('turnbook:new-chat')
    );
    model = page.getByRole('combobox', { name: 'Model' });
    dialog = page.getByRole('dialog', { name: 'Models and providers' });
    await expect(model).toBeVisible();
  });

  test('are added with a key, tested, used and deleted, and the key stays on the server @fresh', async ({
    page,
    provider,
    servers
  }) => {
    const traffic = listen(page);
    const status = dialog.getByRole('status');
    const before = 'scripted/scripted';
    await expect(model).toHaveValue(before);

    await model.selectOption({ label: 'Add or edit providers…' });
    await expect(dialog).toBeVisible();
    await expect(
      dialog.getByRole('listitem').filter({ hasText: 'scripted' }).first()
    ).toContainText('c.TurnbookApp.providers');
    await expect(
      dialog.getByRole('button', { name: 'Edit scripted' })
    ).toHaveCount(0);

    // By keyboard: a preset fills the fields, Enter does not close, problems are shown.
    await expect(dialog.getByLabel('Start from')).toBeFocused();
    await dialog.getByLabel('Start from').selectOption({ label: 'Ollama' });
    await expect(dialog.getByLabel('Base URL')).toHaveValue(/11434/);
    await dialog.getByLabel('Name').fill('not a name');
    await page.keyboard.press('Enter');
    await expect(dialog.getByLabel('Name')).toHaveAttribute(
      'aria-invalid',
      'true'
    );
    await dialog.getByLabel('Name').fill('added');

    await dialog.getByLabel('Base URL').fill('http://127.0.0.1:9/v1');
    await dialog.getByRole('button', { name: 'Test' }).click();
    await expect(status).toContainText('Is the server running at that address');

    await dialog.getByLabel('Base URL').fill(servers.url);
    await dialog.getByLabel('API key').fill('sk-wrong');
    await dialog.getByRole('button', { name: 'Test' }).click();
    await expect(status).toContainText('Check the API key');

    await dialog.getByLabel('API key').fill(servers.key);
    await dialog.getByRole('button', { name: 'Test' }).focus();
    await page.keyboard.press('Enter');
    await expect(status).toContainText('It works');
    await expect(
      dialog.getByRole('list', { name: 'Models found' })
    ).toContainText('scripted');

    // A model's capabilities are tested on request; how an interrupted reply is resumed follows from them.
    const resuming = dialog.getByLabel('When a reply is cut off');
    await expect(resuming).toHaveValue('restart');
    const end: Step[] = [{ finish: 'stop' }, { done: true }];
    await provider.script([
      { steps: [{ delta: 'one' }, { stall: true }] },
      { steps: [{ tokens: 'one two' }, ...end] },
      {
        status: 400,
        steps: [{ body: { error: { message: 'No tools.' } } }]
      },
      { steps: [{ tokens: 'A cat.' }, ...end] },
      { steps: [{ tokens: '<think>r, r, r</think> 3' }, ...end] },
      { steps: [{ tokens: 'ur five six' }, ...end] }
    ]);
    await dialog.getByLabel('Model to try').selectOption('scripted');
    const found = dialog.getByRole('list', { name: 'What scripted can do' });
    await dialog.getByRole('button', { name: 'Try what it can do' }).click();
    await expect(found).toHaveText('Streaming…');
    await provider.completions(1);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(status).toContainText('Canceled.');
    await dialog.getByRole('button', { name: 'Try what it can do' }).click();
    await expect(found.getByRole('listitem')).toHaveText([
      '✓Streaming: yes',
      '–Tools: no, the provider refuses it: No tools.',
      '–Images: no, it did not read the picture',
      '✓Reasoning: yes',
      '✓Continues a partial reply: yes'
    ]);
    const tried = await provider.completions(6);
    expect(
      tried.map(({ body }) => JSON.parse(body).messages.at(-1).role)
    ).toEqual([...Array(5).fill('user'), 'assistant']);
    await expect(resuming).toHaveValue('prefill');
    await expect(
      dialog.getByText('Many services do not go on from it; Test finds out.')
    ).toBeVisible();

    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(status).toContainText('added is saved.');
    await expect(resuming).toHaveValue('prefill');
    await resuming.selectOption('instruct');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(status).toContainText('added is saved.');
    await dialog.getByRole('button', { name: 'Edit added' }).click();
    await expect(resuming).toHaveValue('instruct');
    await expect(dialog.getByLabel('API key')).toHaveValue('');
    await expect(dialog.getByLabel('API key')).toHaveAttribute(
      'placeholder',
      'set — leave empty to keep'
    );

    // The stored key works without typing it again, and is not used for another URL.
    await dialog.getByRole('button', { name: 'Test' }).click();
    await expect(status).toContainText('It works');
    await dialog
      .getByLabel('Base URL')
      .fill(servers.url.replace('127.0.0.1', 'localhost'));
    await expect(dialog).toContainText('Saving another base URL deletes it');
    await dialog.getByRole('button', { name: 'Test' }).click();
    await expect(status).toContainText('Enter the API key');
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);

    // It is used at once, or with the menu.
    await expect(model).toHaveValue(before);
    await model.selectOption({ label: 'Add or edit providers…' });
    await dialog.getByRole('button', { name: 'Edit added' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Use scripted now' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(model).toHaveValue('added/scripted');
    await provider.reply('Reached with the key.');
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(page.locator('[data-turnbook-pair]')).toContainText(
      'Reached with the key.'
    );
    const request = (await provider.completions(7))[6];
    expect(request.headers.authorization).toBe(`Bearer ${servers.key}`);

    await model.selectOption({ label: 'Add or edit providers…' });
    await dialog.getByRole('button', { name: 'Delete added' }).click();
    await dialog.getByRole('button', { name: 'Yes, delete' }).click();
    await expect(status).toContainText('added and its key are deleted.');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(model.locator('option:checked')).toHaveText(
      'scripted (not listed)'
    );

    expect(await page.content()).not.toContain(servers.key);
    expect(
      await page.evaluate(() => JSON.stringify({ ...localStorage }))
    ).not.toContain(servers.key);
    const texts = await traffic();
    expect(texts.join('\n')).toContain('"key": "set"');
    expect(texts.filter(text => text.includes(servers.key))).toEqual([]);
  });
});
