import type { Locator } from '@playwright/test';

import { Axe } from '../support/axe';
import { Chat } from '../support/chat';
import { Filtering } from '../support/filtering';
import { expect, test } from '../support/fixtures';
import { RequestUI } from '../support/request';

const LONG = 'Tell me a long story. '.repeat(300);

const line = (ui: RequestUI): Locator =>
  ui.panel.getByRole('note').filter({ hasText: /last time/ });
const hint = (chat: Chat): Locator =>
  chat.panel.getByRole('status', { name: 'As last time' });

test.describe('as last time', () => {
  test('is a line in the Request panel, also after a reload', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const ui = new RequestUI(chat);
    const axe = new Axe(page);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await chat.create(tmpPath);
    await chat.say('One');
    await chat.expectState(0, 'succeeded');
    await chat.say(LONG);
    await chat.expectState(1, 'succeeded');
    await chat.message.fill('Three');
    await ui.open();
    // The first pair and the second message were sent last time.
    const words = /k tokens as last time; from here on they are read anew\./;
    await expect(line(ui)).toHaveText(words);
    const lined = ui.panel
      .getByRole('listitem')
      .filter({ has: page.getByRole('note') });
    await expect(lined).toHaveAttribute('aria-posinset', '4');
    await expect(hint(chat)).toHaveCount(0);

    await chat.clean();
    await chat.reload();
    await ui.open();
    await expect(line(ui)).toHaveText(words);
    await expect(lined).toHaveAttribute('aria-posinset', '4');

    // An edit near the beginning moves the line there, and the composer says what that costs.
    await ui.text(0).click();
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await expect(line(ui)).toHaveText(
      'Nothing is as last time; all tokens are read anew.'
    );
    await expect(lined).toHaveAttribute('aria-posinset', '1');
    await expect(hint(chat)).toHaveText(/^[\d.]+k read anew$/);
    await axe.expectNothing(
      'a line and a hint',
      '.jp-Turnbook-panel',
      '.jp-Turnbook-composer'
    );
    await ui.button('Reset').click();
    await expect(line(ui)).toHaveText(words);
    await expect(hint(chat)).toHaveCount(0);
  });

  test('is a hint at the composer when a filter would break it', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const filtering = new Filtering(chat);
    await chat.create(tmpPath);
    for (const [n, text] of ['One', LONG, 'Three'].entries()) {
      await chat.say(text);
      await chat.expectState(n, 'succeeded');
    }
    await expect(hint(chat)).toHaveCount(0);
    const asked: string[] = [];
    page.on('request', request => asked.push(request.url()));
    await filtering.apply('NOT user:One');
    await expect(hint(chat)).toHaveText(/^[\d.]+k read anew$/);
    await expect(hint(chat)).toHaveAttribute(
      'title',
      /^Only the first 0 tokens/
    );
    await filtering.apply('');
    await expect(hint(chat)).toHaveCount(0);
    // The bytes are not needed for it.
    expect(asked.filter(url => /runs\/.*\/request/.test(url))).toEqual([]);
  });
});
