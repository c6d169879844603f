import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';

test('a chat is titled by its first message, and its file keeps its name until it is named', async ({
  page,
  provider,
  tmpPath
}) => {
  const chat = new Chat(page);
  await chat.create(tmpPath);
  const tab = page
    .getByRole('main')
    .getByRole('tab', { selected: true })
    .locator('.lm-TabBar-tabLabel');
  await expect(tab).toHaveText(/^Untitled\d*\.chat\.ipynb$/);
  const path = await chat.path();
  await provider.script({
    steps: [{ delta: 'Yes.' }, { finish: 'stop' }, { done: true }]
  });
  await chat.say('<img src=x> a/b\u202e: is this safe? '.repeat(10));
  await chat.expectState(0, 'succeeded');
  await expect(tab).toHaveText(/^<img src=x> a\/b: is this safe\?.*…$/);
  expect(await chat.path()).toBe(path);
  await expect(page.locator('.lm-TabBar-tab img')).toHaveCount(0);

  await chat.begin('turnbook:name-chat');
  const dialog = page.locator('.jp-Dialog');
  await expect(dialog.getByRole('textbox')).toHaveValue(/^img src=x a b is/);
  await dialog.getByRole('textbox').fill('../My plan');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await expect(tab).toHaveText('My plan.chat.ipynb');
  expect(await chat.path()).toBe(`${tmpPath}/My plan.chat.ipynb`);
  // It is the same chat, and goes on.
  await chat.say('Go on');
  await chat.expectState(1, 'succeeded');
});
