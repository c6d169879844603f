import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';

test('a text has its height in a tab that was behind another when it came @fresh', async ({
  page,
  tmpPath
}) => {
  const chat = new Chat(page);
  const file = await chat.create(tmpPath);
  const line = await chat.textHeight();
  expect(line).toBeGreaterThanOrEqual(30);
  await chat.message.fill('one\ntwo\nthree');
  const lines = await chat.textHeight();
  expect(lines).toBeGreaterThan(line + 20);

  // The page keeps which of them is in front a little later.
  const kept = page.waitForRequest(request => {
    const layout =
      request.method() === 'PUT' && request.url().includes('/api/workspaces/')
        ? request.postDataJSON().data['layout-restorer:data']
        : null;
    const current: string = layout?.main?.current ?? '';
    return current !== '' && !current.endsWith(file);
  });
  await chat.create(tmpPath);
  await kept;
  await chat.reload();
  // Both are there, one of them behind the other.
  await expect(chat.message).toHaveValue('');
  expect(await chat.textHeight()).toBe(line);
  await chat.open(file);
  await expect(chat.message).toHaveValue('one\ntwo\nthree');
  await expect.poll(() => chat.textHeight()).toBe(lines);
});
