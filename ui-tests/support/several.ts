import type { Locator } from '@playwright/test';

import type { Chat } from './chat';
import { expect } from './fixtures';
import { listModels } from './models';
import { preparedNotebook } from './prepared';
import type { IServers } from './provider';

/** Let the provider list three models. */
export async function withModels(servers: IServers, chat: Chat): Promise<void> {
  await listModels(servers, { scripted: 128_000, blue: 64_000, red: 64_000 });
  await chat.model.selectOption({ label: 'Refresh models' });
  await expect(chat.model.locator('option[value="scripted/red"]')).toHaveCount(
    1
  );
}

/** The dialog in front. */
export const dialog = (chat: Chat) => chat.page.getByRole('dialog');

/** Ask the chat's model and others, from the composer. */
export async function ask(
  chat: Chat,
  text: string,
  models: string[],
  repeats = 1
): Promise<void> {
  await chat.message.fill(text);
  await chat.panel.getByRole('button', { name: 'Ask several' }).click();
  const list = dialog(chat).getByRole('listbox', { name: 'Models' });
  for (const model of models) {
    await list.getByRole('option', { name: model }).click();
  }
  await dialog(chat)
    .getByRole('spinbutton', { name: 'Repeats' })
    .fill(`${repeats}`);
  await dialog(chat).getByRole('button', { name: 'Ask', exact: true }).click();
}

/** One of several replies to a pair, by its number. */
export const sibling = (pair: Locator, index: number): Locator =>
  pair.locator(`[data-turnbook-sibling="${index}"]`);

/** The reply of a model. */
interface IPreparedReply {
  model: string;
  reply: string;
  usage?: { prompt_tokens: number; completion_tokens: number };
  seconds?: number;
}

/** A chat's notebook with a message and several replies to it, of which the first is chosen. */
export function preparedSeveral(
  user: string,
  replies: readonly IPreparedReply[]
): Record<string, any> {
  const notebook = preparedNotebook(
    replies.map(({ model, reply }, n) => ({ id: `r${n}`, user, model, reply }))
  );
  const group = 'a0000000-0000-4000-8000-000000000000';
  const all = notebook.cells.map(({ metadata }: any, n: number) => {
    const { usage, seconds = 2 } = replies[n];
    return {
      ...metadata.turnbook_run,
      attempt: n + 1,
      group,
      sibling: n,
      seconds,
      ...(usage ? { usage } : {})
    };
  });
  const versions = all.map((info: any, n: number) => {
    const { model, requestHash, updatedAt: at, runId, ...rest } = info;
    const { group: _, sibling: __, ...run } = rest;
    const { reply } = replies[n];
    const of = { source: user, reply, model, requestHash, at, runId, run };
    return { ...of, group, sibling: n };
  });
  const [cell] = notebook.cells;
  cell.id = 'several';
  cell.metadata.turnbook_run = all[0];
  cell.metadata.turnbook_versions = versions.slice(1);
  return { ...notebook, cells: [cell] };
}
