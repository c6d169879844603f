import { PromiseDelegate } from '@lumino/coreutils';

import type { ChatSession } from '../../session/session';
import {
  savedPair,
  sessionParts,
  settle
} from '../../session/__tests__/sessionparts';

/** 1,600 tokens, by the tokenizer below; 6,400 by length. */
const LONG = 'x'.repeat(6_400);
const CELLS = [
  savedPair('long', 'tell me all', LONG),
  savedPair('short', 'go on', 'and so', 'canceled')
];

/** The expected request, in whatever order the parts arrive. */
const MESSAGES = [
  { role: 'user', content: 'tell me all' },
  { role: 'assistant', content: LONG },
  { role: 'user', content: 'go on' },
  { role: 'assistant', content: 'and so\n\n[CUT]' },
  { role: 'user', content: 'and now?' }
];

/** The parts, including the session itself, which may be the last. */
const PARTS = [
  'session',
  'document',
  'models',
  'settings',
  'tokenizer'
] as const;
type Part = (typeof PARTS)[number];

function permutations<T>(list: readonly T[]): T[][] {
  return list.length < 2
    ? [[...list]]
    : list.flatMap((first, n) =>
        permutations([...list.slice(0, n), ...list.slice(n + 1)]).map(rest => [
          first,
          ...rest
        ])
      );
}

/** Let the parts arrive in an order; `then` is called after each. */
async function arrive(
  order: readonly Part[],
  then: (
    session: ChatSession | null,
    part: Part,
    bodies: string[]
  ) => void = () => undefined
) {
  const tokenizer = new PromiseDelegate<(text: string) => number>();
  const parts = sessionParts(CELLS, { loadTokenizer: () => tokenizer.promise });
  let session: ChatSession | null = null;
  const steps: Record<Part, () => void> = {
    session: () => {
      session = parts.open();
    },
    document: () => parts.readDocument(),
    models: () => parts.listModels(),
    settings: () =>
      // 120,000 of the large window, of which a request may use 2,000.
      parts.readSettings({
        tokenizer: 'gpt',
        charsPerToken: 1,
        responseReserve: 118_000,
        interruptedSentinel: '[CUT]'
      }),
    tokenizer: () => tokenizer.resolve(text => Math.ceil(text.length / 4))
  };
  for (const part of order) {
    steps[part]();
    await settle();
    then(session, part, parts.bodies);
  }
  return { parts, session: session! };
}

describe('the order in which a chat’s parts arrive', () => {
  it.each(permutations(PARTS).map(order => [order.join(', '), order] as const))(
    'does not change the context: %s',
    async (_, order) => {
      const { parts, session } = await arrive(order);
      const { window, reserve, included, visible } = session.budgets.state;
      expect({ window, reserve, included, visible }).toEqual({
        window: 128_000,
        reserve: 118_000,
        included: 2,
        visible: 2
      });
      session.draft.text = 'and now?';
      await session.send();
      expect(JSON.parse(parts.bodies[0]).messages).toEqual(MESSAGES);
      session.dispose();
    }
  );

  it.each(
    permutations(PARTS.slice(1)).map(
      order => [order.join(', '), order] as const
    )
  )(
    'does not change what an early send takes with it: %s',
    async (_, order) => {
      const sends: Promise<void>[] = [];
      const { parts, session } = await arrive(
        ['session', ...order],
        (opened, part, bodies) => {
          if (part === 'session') {
            opened!.draft.text = 'and now?';
            sends.push(opened!.send());
          }
          if (part !== order[order.length - 1]) {
            expect(bodies).toEqual([]);
          }
        }
      );
      await Promise.all(sends);
      expect(JSON.parse(parts.bodies[0]).messages).toEqual(MESSAGES);
      session.dispose();
    }
  );

  it('sends when there are no models to wait for', async () => {
    const parts = sessionParts(CELLS, { model: 'work/gpt-4o' });
    parts.api.listModels = async () => {
      throw new Error('no answer');
    };
    const session = parts.open();
    parts.readDocument();
    parts.readSettings();
    session.draft.text = 'and now?';
    await session.send();
    expect(parts.bodies).toHaveLength(1);
    session.dispose();
  });

  it('follows the model from another page or the file', async () => {
    const { parts, session } = await arrive(PARTS);
    const changed = new PromiseDelegate<void>();
    session.context.changed.connect(() => changed.resolve());
    parts.notebook.setMetadata('turnbook', {
      format: 1,
      chatId: 'c4a7c4a7-0000-4000-8000-000000000001',
      model: 'local/small'
    });
    expect(session.budgets.state.window).toBe(2_000);
    await changed.promise;
    session.dispose();
  });
});
