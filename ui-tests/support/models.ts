import type { Chat } from './chat';
import { expect } from './fixtures';
import type { IServers } from './provider';

/** Let the provider list models with these context windows. */
export async function listModels(
  servers: IServers,
  windows: Record<string, number>
): Promise<void> {
  const listed = await fetch(`${servers.control}/models`, {
    method: 'PUT',
    body: JSON.stringify(
      Object.entries(windows).map(([id, context_length]) => ({
        id,
        object: 'model',
        context_length
      }))
    )
  });
  expect(listed.ok).toBe(true);
}

/** Let the provider list a model with a small context window, and select it. */
export async function chooseSmall(
  servers: IServers,
  chat: Chat
): Promise<void> {
  await listModels(servers, { scripted: 128_000, small: 2000 });
  await chat.model.selectOption({ label: 'Refresh models' });
  await expect(
    chat.model.locator('option[value="scripted/small"]')
  ).toHaveCount(1);
  await chat.model.selectOption('scripted/small');
}

/** Let the current chat use the scripted provider as one that resumes in this way. */
export const resumesBy = (
  chat: Chat,
  continuation: 'prefill' | 'instruct',
  servers: { url: string; key: string }
): Promise<void> =>
  chat.page.evaluate(
    async ([name, baseUrl, key]) => {
      const { serverSettings } = window.jupyterapp.serviceManager;
      const token = document.cookie.match(/_xsrf=([^;]+)/)?.[1] ?? '';
      const settings = { baseUrl, key, models: ['scripted'] };
      const answer = await fetch(
        `${serverSettings.baseUrl}turnbook/api/providers/${name}`,
        {
          method: 'PUT',
          headers: { 'X-XSRFToken': token },
          body: JSON.stringify({ ...settings, continuation: name })
        }
      );
      if (!answer.ok) {
        throw new Error(await answer.text());
      }
      (window.jupyterapp.shell.currentWidget as any).session.model =
        `${name}/scripted`;
    },
    [continuation, servers.url, servers.key] as const
  );
