import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';
import * as fs from 'fs';
import * as path from 'path';

import type { Chat } from './chat';
import { expect } from './fixtures';
import type { IServers } from './provider';

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
    // A click on *Back to conversation* takes effect slightly later.
    await this.page.waitForFunction(
      () => !!(window.jupyterapp.shell.currentWidget as any)?.session
    );
    await chat.execute('turnbook:replay', { pair });
    await expect(this.badge).toBeVisible();
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
