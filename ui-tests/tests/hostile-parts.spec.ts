/** Hostile reasoning and images, while they arrive and in the file that is opened again. */
import { hostileParts } from '../fixtures/hostileparts';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';

test.describe('Hostile reasoning and images', () => {
  test('neither run nor load anything, and the reply lands @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    test.slow();
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    const caught: string[] = [];
    const own = new URL(page.url()).host;
    await page.context().route(
      url => /^https?:$/.test(url.protocol) && url.host !== own,
      async route => {
        caught.push(route.request().url());
        await route.abort();
      }
    );
    for (const { name, delta } of hostileParts) {
      await provider.script([
        {
          steps: [
            { chunk: { choices: [{ index: 0, delta }] } },
            { delta: `After ${name}.` },
            { finish: 'stop' },
            { done: true }
          ]
        }
      ]);
      const pair = await chat.say(name);
      await expect(pair, name).toHaveAttribute(
        'data-turnbook-state',
        'succeeded'
      );
      await expect(pair, name).toContainText(`After ${name}.`);
      await openReasoning(page);
    }
    const isIntact = () =>
      page.evaluate(() => [
        '__pwned' in window,
        'polluted' in {},
        document.querySelectorAll('.jp-Dialog').length
      ]);
    expect(await isIntact()).toEqual([false, false, 0]);
    expect(caught).toEqual([]);

    // What was kept is as harmless when the file is opened again.
    const last = hostileParts.length - 1;
    await chat.savedInState(file, last, 'succeeded');
    await chat.clean();
    await chat.reload();
    for (const [n, { name }] of hostileParts.entries()) {
      const pair = chat.panel.locator('[data-turnbook-pair]').nth(n);
      await pair.scrollIntoViewIfNeeded();
      await expect(pair, name).toContainText(`After ${name}.`);
    }
    await openReasoning(page);
    expect(await isIntact()).toEqual([false, false, 0]);
    expect(caught).toEqual([]);

    // An image from elsewhere loads on a click, and no other does.
    const pair = chat.panel.locator('[data-turnbook-pair]', {
      hasText: 'After images from elsewhere.'
    });
    const load = pair.getByRole('button', {
      name: 'Load image from evil.test'
    });
    await load.first().scrollIntoViewIfNeeded();
    await load.first().click();
    await expect.poll(() => caught).toEqual(['http://evil.test/image.png']);
  });
});

/** Open all reasoning that is drawn. */
async function openReasoning(page: Chat['page']): Promise<void> {
  await page.evaluate(() => {
    const closed =
      '[role="group"][aria-label="Reasoning"] > button[aria-expanded="false"]';
    for (const button of document.querySelectorAll<HTMLElement>(closed)) {
      button.click();
    }
  });
}
