import type { IBudgetState } from '../../context/budget';
import { TOOL_MIME } from '../../document/rounds';
import type { ChatSession } from '../session';
import { savedPair, sessionParts, settle } from './sessionparts';

/** 250 tokens of reply and one of message each. */
const pair = (n: number) => savedPair(`p${n}`, `q ${n}`, `r${n} `.padEnd(1000));

/** A pair whose turn waits for the result of a tool. */
const WAITING = {
  ...savedPair('tool', 'look', ''),
  outputs: [
    {
      output_type: 'display_data',
      data: {
        [TOOL_MIME]: {
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: 'c',
                type: 'function',
                function: { name: 'f', arguments: '{}' }
              }
            ]
          },
          results: []
        },
        'text/plain': 'f'
      },
      metadata: { turnbook: { runId: 'run-tool' } }
    }
  ]
};

/** A chat of seven pairs, of which four fit into 1,075 tokens, and of one that waits. */
async function open(answer: boolean) {
  const asked: IBudgetState[] = [];
  const parts = sessionParts([1, 2, 3, 4, 5, 6, 7].map(pair).concat(WAITING), {
    model: 'local/small',
    confirm: async budget => {
      asked.push(budget);
      return answer;
    }
  });
  const session = parts.open();
  parts.readDocument();
  parts.listModels();
  parts.readSettings();
  await session.ready;
  await settle();
  return { asked, parts, session };
}

/** The ways to send, each with the pairs that it takes and those that it could take. */
const WAYS: [
  string,
  (session: ChatSession) => Promise<void>,
  number,
  number
][] = [
  [
    'Send',
    session => {
      session.draft.text = 'and now?';
      return session.send();
    },
    5,
    8
  ],
  ['Edit & Resend', session => session.resend('p6', 'again'), 4, 5],
  [
    'Continue',
    session => session.continueTurn('tool', 0, new Map([[0, 'found']])),
    4,
    7
  ],
  [
    'Resume',
    async session => {
      session.modes.pause.mode = 'always';
      session.draft.text = 'and now?';
      await session.send();
      await session.resumeSend();
    },
    5,
    8
  ]
];

describe('the budget of a send', () => {
  it.each(WAYS)(
    'is asked about before it goes: %s',
    async (_, send, included, visible) => {
      const yes = await open(true);
      await send(yes.session);
      expect(yes.asked).toHaveLength(1);
      expect(yes.asked[0]).toMatchObject({ included, visible });
      expect(yes.parts.bodies).toHaveLength(1);
      yes.session.dispose();

      const no = await open(false);
      await send(no.session);
      expect(no.asked).toHaveLength(1);
      expect(no.parts.bodies).toEqual([]);
      no.session.dispose();
    }
  );

  it('keeps the text of an Edit & Resend that does not go', async () => {
    const { session } = await open(false);
    await session.resend('p6', 'again');
    expect(session.refused.take('p6')).toBe('again');
    session.dispose();
  });

  it('asks before the bytes of a payload go', async () => {
    const { asked, parts, session } = await open(false);
    const content = 'x'.repeat(8000);
    await session.sendPayload(
      JSON.stringify({ model: 'small', messages: [{ role: 'user', content }] })
    );
    expect(asked[0].overfull).toBe(true);
    expect(parts.bodies).toEqual([]);
    session.dispose();
  });

  it('is that of the pair that is edited', async () => {
    const { parts, session } = await open(true);
    expect(session.budgets.state).toMatchObject({ included: 5, visible: 8 });
    session.budgets.editing = { pair: 'p6', text: 'again' };
    expect(session.budgets.state).toMatchObject({ included: 4, visible: 5 });
    const out = ['p1', 'p2', 'p5', 'p7'].filter(id =>
      session.budgets.send!.isOut(id)
    );
    expect(out).toEqual(['p1']);
    await session.resend('p6', 'again');
    const { messages } = JSON.parse(parts.bodies[0]);
    expect(messages.map(({ content }: any) => content.slice(0, 3))).toEqual([
      'q 2',
      'r2 ',
      'q 3',
      'r3 ',
      'q 4',
      'r4 ',
      'q 5',
      'r5 ',
      'aga'
    ]);
    session.budgets.editing = null;
    expect(session.budgets.send).toBeNull();
    session.dispose();
  });

  it.each<[string, (session: ChatSession) => Promise<void>]>([
    ['Edit & Resend', session => session.resend('p6', 'again')],
    [
      'Continue',
      session => session.continueTurn('tool', 0, new Map([[0, 'found']]))
    ],
    [
      'a payload',
      session =>
        session.sendPayload(
          '{"model": "small", "messages": [{"role": "user", "content": "Hi"}]}'
        )
    ]
  ])('is that of a send that is paused: %s', async (_, send) => {
    const { asked, session } = await open(false);
    const before = session.budgets.state;
    session.modes.pause.mode = 'always';
    await send(session);
    await settle();
    const heard = jest.fn();
    session.changed.connect(heard);
    const draft = session.review.reviewed!;
    const { sections } = draft.request;
    const last = sections[sections.length - 1].id;
    draft.setLeaf(last, ['content'], 'x'.repeat(4000));
    await settle();
    expect(heard).toHaveBeenCalled();
    const { state: budget, send: sendBudget } = session.budgets;
    expect(budget).not.toEqual(before);
    expect(sendBudget?.state).toEqual(budget);
    await session.resumeSend();
    expect(asked).toEqual([budget]);
    await session.review.cancel();
    expect(session.budgets.send).toBeNull();
    session.dispose();
  });

  it('is that of the request with its edits', async () => {
    const { session } = await open(true);
    session.draft.text = 'and now?';
    const { live } = session.requests;
    const { sections } = live.request;
    const last = sections[sections.length - 1].id;
    live.setLeaf(last, ['content'], 'x'.repeat(20_000));
    live.remove('p7/user');
    live.remove('p7/assistant');
    await settle();
    const { included, visible, total, overfull } = session.budgets.state;
    const tokens = live.request.messages.reduce(
      (sum, message) => sum + session.context.tokensOf(message),
      0
    );
    expect({ included, visible, overfull }).toEqual({
      included: 4,
      visible: 8,
      overfull: true
    });
    expect(total).toBe(tokens);
    expect(total).toBeGreaterThan(5_000);
    expect(session.budgets.send!.isOut('p7')).toBe(true);
    expect(session.budgets.send!.isOut('p6')).toBe(false);
    session.dispose();
  });
});
