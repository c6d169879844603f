import type { Locator } from '@playwright/test';

import { Chat } from '../support/chat';
import { Filtering } from '../support/filtering';
import { expect, test } from '../support/fixtures';
import { RequestUI } from '../support/request';

test('a text restored in a hidden tab gets its height @fresh', async ({
  page,
  tmpPath
}) => {
  const chat = new Chat(page);
  const file = await chat.create(tmpPath);
  await expect.poll(() => chat.textHeight()).toBeGreaterThanOrEqual(30);
  const line = await chat.textHeight();
  await chat.message.fill('one\ntwo\nthree');
  await expect.poll(() => chat.textHeight()).toBeGreaterThan(line + 20);
  const lines = await chat.textHeight();

  // The page stores which of them is active slightly later.
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
  // Both are restored, one behind the other.
  await expect(chat.message).toHaveValue('');
  await expect.poll(() => chat.textHeight()).toBe(line);
  await chat.open(file);
  await expect(chat.message).toHaveValue('one\ntwo\nthree');
  await expect.poll(() => chat.textHeight()).toBe(lines);
});

test('everything fits between two sidebars in a small window @fresh', async ({
  page,
  tmpPath
}) => {
  const chat = new Chat(page);
  await page.setViewportSize({ width: 900, height: 700 });
  await chat.create(tmpPath);
  await page.sidebar.openTab('filebrowser');
  await new RequestUI(chat).open();
  const width = async (part: Locator) => (await part.boundingBox())!.width;
  await expect.poll(() => width(chat.panel)).toBeLessThan(450);
  await new Filtering(chat).open();
  // The text itself may be longer than its visible part.
  const filter = chat.panel.locator('.jp-Turnbook-filter-input');
  for (const part of [chat.send, chat.model, filter]) {
    await expect
      .poll(() => overhang(chat, part), `${part}`)
      .toBeLessThanOrEqual(0);
  }
  await expect.poll(() => width(filter)).toBeGreaterThan(100);
});

/** How far a part extends beyond the chat's edges. */
async function overhang(chat: Chat, part: Locator): Promise<number> {
  const outer = (await chat.panel.boundingBox())!;
  const inner = (await part.boundingBox())!;
  const left = outer.x - inner.x;
  const right = inner.x + inner.width - outer.x - outer.width;
  return Math.max(left, right);
}
