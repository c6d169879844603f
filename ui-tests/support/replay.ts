import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';
import * as fs from 'fs';
import * as path from 'path';

import type { Chat } from './chat';
import { expect } from './fixtures';
import { openPrepared, type Prepared } from './prepared';
import type { IServers } from './provider';
import { RequestUI } from './request';

/** A chat of a system message and one pair. */
export const SURVEY = [
  { id: 'system', system: 'You help to design household surveys.' },
  {
    id: 'frames',
    user: 'Which frames?',
    reply: 'Lists older than three years.'
  }
];

/** A replay in the page, by its accessible names. */
export class Replay {
  constructor(readonly page: IJupyterLabPageFixture) {}

  get panel(): Locator {
    return this.page.locator('.jp-Turnbook-replay:visible');
  }

  get cells(): Locator {
    return this.panel.locator('.jp-Turnbook-replayCell');
  }

  get banner(): Locator {
    return this.panel.locator('.jp-Turnbook-replayBanner');
  }

  get badge(): Locator {
    return this.panel.getByText(/^Replayed prompt · [0-9a-f]{4}$/);
  }

  button(name: string): Locator {
    return this.panel.getByRole('button', { name, exact: true });
  }

  /** Replay a request of the current chat: of a pair, or of the message being written. */
  async open(chat: Chat, pair = 'live'): Promise<void> {
    await this.left();
    await chat.execute('turnbook:replay', { pair });
    await expect(this.badge).toBeVisible();
  }

  /** Wait until a chat is in front; a click on *Back to conversation* takes effect slightly later. */
  async left(): Promise<void> {
    await this.page.waitForFunction(
      () => !!(window.jupyterapp.shell.currentWidget as any)?.session
    );
  }

  /** Replay the message being written, and wait until a reload would restore its tab. */
  async openAndKeepTab(chat: Chat): Promise<void> {
    const layout = this.page.waitForRequest(
      request =>
        request.method() === 'PUT' &&
        request.url().includes('/api/workspaces/') &&
        !!request.postData()?.includes('"replay:')
    );
    await this.open(chat);
    await layout;
  }

  /** Export the record under a name; the file is beside the chat. */
  async export(name: string): Promise<void> {
    await this.button('Export replay record').click();
    const dialog = this.page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(name);
    await dialog.getByRole('button', { name: 'Ok' }).click();
    await expect(
      this.page.locator('.Toastify__toast', { hasText: 'Exported to' })
    ).toBeVisible();
  }

  /** The content of the replay in the page's model. */
  content(): Promise<string> {
    return this.page.evaluate(() =>
      JSON.stringify(
        (
          window.jupyterapp.shell.currentWidget as any
        ).model.sharedModel.toJSON()
      )
    );
  }

  /** The record of the replay that is shown. */
  record(): Promise<any> {
    return this.page.evaluate(
      () =>
        (window.jupyterapp.shell.currentWidget as any).view.built.replay.record
    );
  }
}

/** Open a prepared chat, write a message, and replay it. */
export async function replayMessage(
  page: IJupyterLabPageFixture,
  folder: string,
  text: string,
  cells: Prepared[] = SURVEY
): Promise<{ chat: Chat; file: string; replay: Replay }> {
  const { chat, file } = await openPrepared(page, folder, cells);
  await chat.message.fill(text);
  const replay = new Replay(page);
  await replay.open(chat);
  return { chat, file, replay };
}

/** Open the survey, with its Request panel and its replay at hand. */
export async function openSurvey(
  page: IJupyterLabPageFixture,
  folder: string
): Promise<{ chat: Chat; file: string; request: RequestUI; replay: Replay }> {
  const { chat, file } = await openPrepared(page, folder, SURVEY);
  return { chat, file, request: new RequestUI(chat), replay: new Replay(page) };
}

/** Write a message to the survey, edit the reply above it in the Request panel, and replay that. */
export async function replayEdited(
  request: RequestUI,
  text: string,
  reply: string
): Promise<void> {
  await request.chat.message.fill(text);
  await request.open();
  await request.write(2, reply);
  await request.button('Replay edited prompt').click();
}

/** Edit a section of the request being written, as the Request panel does. */
export async function editLive(
  chat: Chat,
  from: string,
  to: string
): Promise<void> {
  await chat.page.evaluate(
    ([before, after]) => {
      const { requests } = (window.jupyterapp.shell.currentWidget as any)
        .session;
      const draft = requests.live;
      const found = draft.request.sections.find(
        (section: any) => section.message.content === before
      );
      draft.setLeaf(found.id, ['content'], after);
    },
    [from, to] as const
  );
}

/** The bytes of a file on the server's disk. */
export function onDisk(servers: IServers, file: string): Buffer {
  return fs.readFileSync(path.join(servers.root, file));
}

/** Replay the message being written, and start a new chat from it. */
export async function startFork(
  chat: Chat,
  replay: Replay,
  text: string
): Promise<void> {
  await chat.message.fill(text);
  await replay.open(chat);
  await replay.button('Start chatting from this replay').click();
  await expect(replay.panel).toHaveCount(0);
  await expect(chat.message).toBeFocused();
  await expect(chat.pairs.last()).toContainText(text);
}
