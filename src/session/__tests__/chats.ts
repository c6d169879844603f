/**
 * Chats on one real server, for the tests of a file.
 */
import { UUID } from '@lumino/coreutils';

import {
  START_MS,
  startServer,
  type IRealServer
} from '../../runs/__tests__/realserver';
import { closeTabs, newChat, Tab, writeFile } from './tabs';

/** Chats on a server that runs as long as the tests of a file. */
export class Chats {
  constructor() {
    jest.setTimeout(60_000);
    beforeAll(async () => {
      this._server = await startServer();
    }, START_MS);
    afterEach(() => {
      jest.restoreAllMocks();
      closeTabs();
    });
    afterAll(async () => {
      await this.server.stop();
    });
  }

  get server(): IRealServer {
    return this._server!;
  }

  /** A new chat in a tab. */
  readonly openChat = async (
    options: Partial<Tab.IOptions> = {}
  ): Promise<Tab> => {
    const { server } = this;
    return Tab.open({ server, path: await newChat(server), ...options });
  };

  /** The bodies that the provider got and that say this. */
  readonly sent = async (text: string): Promise<any[]> =>
    (await this.server.requests())
      .map(({ body }) => JSON.parse(body))
      .filter(({ messages }) => JSON.stringify(messages).includes(text));

  /** A file without a word of chats. */
  readonly plainFile = async (): Promise<string> => {
    const path = `${UUID.uuid4()}.chat.ipynb`;
    await writeFile(this.server, path, {
      cells: [],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5
    });
    return path;
  };

  private _server: IRealServer | null = null;
}

/** Let the clock say that some minutes have passed. */
export function later(minutes: number): void {
  const now = Date.now() + minutes * 60_000;
  jest.spyOn(Date, 'now').mockReturnValue(now);
}

export const STALLED = { steps: [{ delta: 'Once ' }, { stall: true }] };
export const CALL = {
  index: 0,
  id: 'call-1',
  type: 'function',
  function: { name: 'weather', arguments: '{}' }
};
export const CALLS = {
  steps: [{ tool_calls: [CALL] }, { finish: 'tool_calls' }, { done: true }]
};
export const ANSWERED = {
  steps: [{ delta: 'Sunny.' }, { finish: 'stop' }, { done: true }]
};
