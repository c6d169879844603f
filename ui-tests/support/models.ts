import type { Chat } from './chat';
import { expect } from './fixtures';
import type { IServers } from './provider';

/** Let the provider list a model with a small window, and choose it. */
export async function chooseSmall(
  servers: IServers,
  chat: Chat
): Promise<void> {
  const listed = await fetch(`${servers.control}/models`, {
    method: 'PUT',
    body: JSON.stringify([
      { id: 'scripted', object: 'model', context_length: 128_000 },
      { id: 'small', object: 'model', context_length: 2000 }
    ])
  });
  expect(listed.ok).toBe(true);
  await chat.model.selectOption({ label: 'Refresh models' });
  await expect(
    chat.model.locator('option[value="scripted/small"]')
  ).toHaveCount(1);
  await chat.model.selectOption('scripted/small');
}
