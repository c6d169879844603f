import type { IOutput } from '@jupyterlab/nbformat';
import fc from 'fast-check';

import type { IMessage } from '../../base/message';
import type { ReasoningRule } from '../../base/run';
import { attachmentOutput, textAttachment } from '../attachments';
import {
  keepMessages,
  pairMessages,
  readKeptPair,
  readPairText,
  readShownText
} from '../messages';
import { partsOf, unsentPlaces } from '../parts';
import { reasoningOutput } from '../reasoning';
import { replyOutput } from '../reply';
import { replyImageOutput } from '../replyimages';
import { roundOutput } from '../rounds';
import { withSent } from '../sentmark';

const ORIGIN = { runId: 'r', partial: false };

const thought = (text: string) =>
  reasoningOutput({ field: 'reasoning_content', value: text }, ORIGIN);

const call = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{}' }
});

const result = (id: string): IMessage => ({
  role: 'tool',
  tool_call_id: id,
  content: `Result ${id}`
});

const round = (calls: string[], results: string[]) =>
  roundOutput(
    {
      message: calls.length
        ? { role: 'assistant', content: null, tool_calls: calls.map(call) }
        : null,
      results: results.map(result)
    },
    ORIGIN
  );

const reply = (text: string) =>
  replyOutput({ text, runId: 'r', partial: false });

const marked = (output: IOutput, sent: unknown): IOutput => {
  const { turnbook, ...rest } = (output.metadata ?? {}) as any;
  return { ...output, metadata: { ...rest, turnbook: { ...turnbook, sent } } };
};

/** Hide the parts with these numbers, as the eye does. */
function hide(outputs: readonly IOutput[], numbers: readonly number[]) {
  const places = new Set(
    partsOf(outputs).flatMap(({ canChange, places: own }, n) =>
      canChange && numbers.includes(n) ? own : []
    )
  );
  return outputs.map((output, place) =>
    places.has(place) ? withSent(output, false) : output
  );
}

const sent = (outputs: readonly IOutput[], rule: ReasoningRule = 'always') =>
  pairMessages(readPairText('Question', outputs), rule);

const TURN = [
  attachmentOutput(textAttachment('a.txt', 'A file.')),
  thought('I ask a.'),
  round(['a'], ['a']),
  thought('I ask b.'),
  round(['b'], ['b']),
  thought('I know.'),
  reply('Answer.')
];

describe('partsOf', () => {
  it('lists what can be sent, and leaves out what never is', () => {
    const image = replyImageOutput('data:image/png;base64,AAAA', ORIGIN);
    expect(partsOf([...TURN, image])).toMatchObject([
      { kind: 'attachment', places: [0] },
      { kind: 'reasoning', places: [1] },
      { kind: 'reasoning', places: [3] },
      { kind: 'reasoning', places: [5] },
      { kind: 'round', places: [2] },
      { kind: 'round', places: [4] },
      { kind: 'reply', places: [6] }
    ]);
    const hidden = [...TURN, marked(image, false)];
    expect(unsentPlaces(hidden)).toEqual(new Set());
  });

  it('takes what other tools wrote as one reply, which a stream cannot be marked in', () => {
    const stream = { output_type: 'stream', name: 'stdout', text: 'x' };
    expect(partsOf([stream, reply('Answer.')])).toMatchObject([
      { kind: 'reply', places: [0, 1], canChange: false }
    ]);
    expect(partsOf([reply('One.'), reply('Two.')])).toMatchObject([
      { places: [0, 1], canChange: true, isSent: true }
    ]);
  });

  it.each([['false'], [null], [0], [''], [[]], [{}], [true], [undefined]])(
    'counts %j as sent',
    value => {
      const outputs = TURN.map(output => marked(output, value));
      expect(unsentPlaces(outputs)).toEqual(new Set());
      expect(sent(outputs)).toEqual(sent(TURN));
    }
  );
});

describe('what is sent', () => {
  const [user, callA, resultA, callB, resultB, answer] = sent(TURN);

  it.each([
    ['an attachment', 0, { 0: { role: 'user', content: 'Question' } }],
    ['reasoning', 1, { 1: { ...callA, reasoning_content: undefined } }],
    ['the last reasoning', 3, { 5: { role: 'assistant', content: 'Answer.' } }]
  ])('is a turn without %s', (_, part, changes) => {
    const wanted: unknown[] = [user, callA, resultA, callB, resultB, answer];
    for (const [place, message] of Object.entries(changes)) {
      wanted[Number(place)] = message;
    }
    expect(sent(hide(TURN, [part]))).toEqual(wanted);
  });

  it('is a turn without a round, with its reasoning; that of others stays', () => {
    expect(sent(hide(TURN, [4]))).toEqual([user, callB, resultB, answer]);
    expect(sent(hide(TURN, [5]))).toEqual([user, callA, resultA, answer]);
    // Without any round it is no turn with tools.
    expect(sent(hide(TURN, [4, 5]), 'rounds')).toEqual([
      user,
      { role: 'assistant', content: 'Answer.' }
    ]);
  });

  it('is the message alone if nothing else is', () => {
    expect(sent(hide(TURN, [0, 1, 2, 3, 4, 5, 6]))).toEqual([
      { role: 'user', content: 'Question' }
    ]);
    expect(sent(hide(TURN, [6]))).toEqual([
      user,
      callA,
      resultA,
      callB,
      resultB
    ]);
  });

  it('never has a result in another output without its call', () => {
    const apart = [round(['a'], []), round([], ['a']), reply('Answer.')];
    expect(partsOf(apart)).toMatchObject([
      { kind: 'round', places: [0, 1] },
      { kind: 'reply' }
    ]);
    for (const place of [0, 1]) {
      const outputs = apart.map((output, at) =>
        at === place ? marked(output, false) : output
      );
      expect(sent(outputs).map(({ role }) => role)).toEqual([
        'user',
        'assistant'
      ]);
    }
  });

  it('leaves what is shown as it is, for filters and search', () => {
    const all = partsOf(TURN).map((_, n) => n);
    const { attachments: _, ...shown } = readShownText('Q', hide(TURN, all));
    expect(readShownText('Q', TURN)).toMatchObject(shown);
  });
});

describe('kept messages', () => {
  const kept = (messages: IMessage[], outputs: readonly IOutput[]) => ({
    ...keepMessages(messages, pairMessages(readPairText('Q', outputs)))
  });
  const read = (stored: unknown, outputs: readonly IOutput[]) =>
    readKeptPair(stored, () => readPairText('Q', outputs));

  it('do not bring back a part that is not sent, even one that the text never sends', () => {
    // Reasoning without a message after it is in no message of the text, so its hash stays.
    const outputs = [thought('A secret.')];
    const messages = [
      { role: 'user', content: 'Q' },
      { role: 'assistant', content: '', reasoning_content: 'A secret.' }
    ];
    const stored = kept(messages, outputs);
    expect(read(stored, outputs)).toEqual(messages);
    expect(read(stored, hide(outputs, [0]))).toBeNull();
  });
});

describe('any parts of any turn', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const ids = fc.uniqueArray(id, { maxLength: 3 });
  const other = fc.constantFrom<IOutput>(
    thought('Hm.'),
    attachmentOutput(textAttachment('a.txt', 'A file.')),
    reply('Answer.'),
    { output_type: 'stream', name: 'stdout', text: 'printed' }
  );
  const rounds = fc.oneof(
    fc.record({ calls: ids, results: ids }),
    ids.map(all => ({ calls: all, results: all }))
  );
  /** Any outputs; a call is made once, its result may be anywhere. */
  const turn = fc
    .array(fc.oneof(other, rounds), { maxLength: 6 })
    .map(steps => {
      const made = new Set<string>();
      return steps.map(step => {
        if (!('calls' in step)) {
          return step as IOutput;
        }
        const { calls, results } = step as {
          calls: string[];
          results: string[];
        };
        const first = calls.filter(one => !made.has(one));
        first.forEach(one => made.add(one));
        return round(first, results);
      });
    });
  const rules = fc.constantFrom<ReasoningRule>('always', 'rounds', 'never');

  const callIds = (messages: readonly IMessage[]) =>
    messages.flatMap(({ tool_calls: calls = [] }) =>
      calls.map(({ id: one }) => one)
    );
  const resultIds = (messages: readonly IMessage[]) =>
    messages.flatMap(({ tool_call_id: one }) => one ?? []);

  /** Results whose call is not before them, and calls whose result is not after them. */
  const orphans = (messages: readonly IMessage[]) => ({
    results: messages.flatMap((message, at) =>
      resultIds([message]).filter(
        one => !callIds(messages.slice(0, at)).includes(one)
      )
    ),
    calls: messages.flatMap((message, at) =>
      callIds([message]).filter(
        one => !resultIds(messages.slice(at)).includes(one as string)
      )
    )
  });

  it('leaves no call without its result and no result without its call', () => {
    fc.assert(
      fc.property(turn, rules, fc.array(fc.nat(8)), (outputs, rule, chosen) => {
        const before = orphans(sent(outputs, rule));
        const after = orphans(sent(hide(outputs, chosen), rule));
        // A file may have orphans; hiding makes none.
        expect(before.results).toEqual(expect.arrayContaining(after.results));
        expect(before.calls).toEqual(expect.arrayContaining(after.calls));
      })
    );
  });

  it('gives back the same bytes when everything is sent again', () => {
    fc.assert(
      fc.property(turn, rules, fc.array(fc.nat(8)), (outputs, rule, chosen) => {
        const hidden = hide(outputs, chosen);
        const again = hidden.map(one => ({
          ...one,
          ...(one.metadata ? { metadata: withSent(one, true).metadata } : {})
        }));
        expect(again).toEqual(outputs);
        expect(JSON.stringify(sent(again, rule))).toBe(
          JSON.stringify(sent(outputs, rule))
        );
      })
    );
  });
});
