import type { Locator } from '@playwright/test';

import type { Chat } from './chat';
import type { IScript } from './provider';

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
}
