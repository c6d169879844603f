import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { Chat } from './chat';
import { expect } from './fixtures';
import type { IScript, ScriptedProvider } from './provider';

/** A complete tool call in one piece, as providers send it. */
export const call = (
  index: number,
  id: string,
  name: string,
  given: string
) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: given }
});

/** A reply that calls tools, each in one piece. */
export function calling(
  text: string,
  ...calls: ReturnType<typeof call>[]
): IScript {
  return {
    steps: [
      ...(text ? [{ delta: text }] : []),
      { tool_calls: calls },
      { finish: 'tool_calls' },
      { done: true }
    ]
  };
}

/** A reply that is only text. */
export function saying(text: string): IScript {
  return { steps: [{ tokens: text }, { finish: 'stop' }, { done: true }] };
}

/** The tool rounds of a pair, by their accessible names. */
export class Rounds {
  constructor(
    private _chat: Chat,
    private _pair = 0
  ) {}

  get node(): Locator {
    return this._chat.pair(this._pair);
  }

  get calls(): Locator {
    return this.node.getByRole('article');
  }

  get rounds(): Locator {
    return this.node.getByRole('region', { name: /^Tool calls/ });
  }

  get continue(): Locator {
    return this.node.getByRole('button', { name: 'Continue' });
  }

  result(name: string, n = 0): Locator {
    return this.node.getByRole('textbox', { name: `Result of ${name}` }).nth(n);
  }

  /** Write the result of a call, and continue the turn. */
  async answer(name: string, text: string): Promise<void> {
    await this.result(name).fill(text);
    // The calls are shown slightly before anything can be sent again.
    await expect(this._chat.send).toBeVisible();
    await this.continue.click();
  }
}

/** Create a chat whose first reply calls the tool `dice`; other replies follow. */
export async function rollDice(
  page: IJupyterLabPageFixture,
  provider: ScriptedProvider,
  folder: string,
  replies: IScript[]
): Promise<{ chat: Chat; file: string; rounds: Rounds }> {
  const chat = new Chat(page);
  const file = await chat.create(folder);
  await provider.script([calling('', call(0, 'a', 'dice', '{}')), ...replies]);
  await chat.say('Roll');
  return { chat, file, rounds: new Rounds(chat) };
}
