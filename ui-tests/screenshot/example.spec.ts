/** The pictures of docs/example.md. */
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

import { Chat } from '../support/chat';
import { Filtering } from '../support/filtering';
import { expect } from '../support/fixtures';
import { Replay } from '../support/replay';
import { RequestUI } from '../support/request';
import { alone, take, test, withoutNotices } from './picture';

/** Scroll the notebook in front to its first cell. */
async function fromTheTop(page: IJupyterLabPageFixture): Promise<void> {
  await page.evaluate(() => {
    const { content } = window.jupyterapp.shell.currentWidget as any;
    content.outerNode.scrollTo({ top: 0 });
  });
}

test('the example chat, from its filter to a new chat', async ({
  page,
  tmpPath
}) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  const chat = new Chat(page);
  await chat.execute('turnbook:example-chat', { cwd: tmpPath });
  await expect(chat.message).toBeFocused();
  await chat.atRest();
  await alone(page);
  const filter = new Filtering(chat);
  await filter.apply('topic:survey/**');
  await expect(filter.counter).toHaveText('3 / 3');
  await fromTheTop(page);
  await take(page, 'example/filter.png');

  await chat.message.fill('How long does the fieldwork take?');
  const request = new RequestUI(chat);
  await request.open();
  await request.write(2, 'About 1,100.');
  await take(page, 'example/edit.png');

  const replay = new Replay(page);
  await request.button('Replay edited prompt').click();
  await expect(replay.badge).toBeVisible();
  await fromTheTop(page);
  await take(page, 'example/replay.png');

  await replay.button('Start chatting from this replay').click();
  await expect(chat.message).toBeFocused();
  await expect(
    chat.panel.getByRole('button', { name: 'Send this message' })
  ).toBeVisible();
  await withoutNotices(page);
  await take(page, 'example/start.png');
});
