import type { IOutput } from '@jupyterlab/nbformat';

import { isKeptMessages, pairMessages, readPairText } from '../messages';
import {
  isReasoning,
  readReasoning,
  REASONING_MIME,
  reasoningOutput,
  reasoningText,
  splitReasoning,
  type IReasoning
} from '../reasoning';
import { replyOutput } from '../reply';
import { prettyJSON, roundOutput } from '../rounds';

const TEXT: IReasoning = { field: 'reasoning_content', value: 'Let me see.' };

const PIECES: IReasoning = {
  field: 'reasoning_details',
  value: [
    { type: 'reasoning.summary', summary: 'It adds up. ', index: 0 },
    { type: 'reasoning.encrypted', z: 1, data: 'AAAA', a: 2, index: 1 }
  ],
  seconds: 12
};

const CALL = { id: 'c', type: 'function', function: { name: 'f' } };

const round = roundOutput({
  message: { role: 'assistant', content: null, tool_calls: [CALL] },
  results: [{ role: 'tool', tool_call_id: 'c', content: '4' }]
});

const reply = replyOutput({ text: 'Four.', runId: 'r', partial: false });

const outputOf = (data: unknown): IOutput =>
  ({
    output_type: 'display_data',
    data: { [REASONING_MIME]: data },
    metadata: {}
  }) as IOutput;

describe('reasoning as an output', () => {
  it.each([TEXT, PIECES])('is read as it was written: %j', thought => {
    const output = reasoningOutput(thought, { runId: 'r', partial: false });
    // As Jupyter saves it: with sorted keys.
    const sorted = JSON.parse(
      JSON.stringify(output, (_, value: unknown) =>
        value && typeof value === 'object' && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort())
          : value
      )
    ) as IOutput;
    expect(JSON.stringify(readReasoning(sorted))).toBe(JSON.stringify(thought));
  });

  it('can be read without Turnbook, with the length of what is encrypted', () => {
    const { data } = reasoningOutput(PIECES);
    expect(data['text/plain']).toBe(
      'Reasoning:\nIt adds up. [encrypted, 4 characters]'
    );
    expect(reasoningText(TEXT)).toBe('Let me see.');
  });

  it('shows what it does not know, since that is sent too', () => {
    const value = [
      { type: 'reasoning.text', text: 'Yes. ', signature: 'AAAA', index: 0 },
      { type: 'other', content: 'Hidden.', note: null },
      'bare',
      { type: 'reasoning.text', signature: 'AAAA', index: 1 }
    ];
    expect(reasoningText({ value })).toBe('Yes. {"content":"Hidden."}"bare"');
  });

  it.each([
    null,
    'text',
    {},
    { field: 'content', text: 'x' },
    { field: '__proto__', text: 'x' },
    { field: 'reasoning', text: 5 },
    { field: 'reasoning', opaque: '{"a": 1}' },
    { field: 'reasoning', opaque: 'not JSON' }
  ])('is ignored if a file has something else: %j', data => {
    expect(readReasoning(outputOf(data))).toBeNull();
  });

  it('has no seconds that are not a number of seconds', () => {
    const data = { field: 'reasoning', text: 'x', seconds: -1 };
    expect(readReasoning(outputOf(data))).toEqual({
      field: 'reasoning',
      value: 'x'
    });
  });
});

describe('the messages of a pair with reasoning', () => {
  const outputs = [
    reasoningOutput(TEXT),
    round,
    reasoningOutput(PIECES),
    reply
  ];
  const sent = (rule: 'never' | 'rounds' | 'always', parts = outputs) =>
    pairMessages(readPairText('2 + 2?', parts), rule).map(
      ({ role, reasoning_content: text, reasoning_details: pieces }) => [
        role,
        text,
        pieces
      ]
    );

  it.each(['rounds', 'always'] as const)(
    'have it in the message that followed it: %s',
    rule => {
      expect(sent(rule)).toEqual([
        ['user', undefined, undefined],
        ['assistant', 'Let me see.', undefined],
        ['tool', undefined, undefined],
        ['assistant', undefined, PIECES.value]
      ]);
    }
  );

  it('have none by the rule never', () => {
    expect(sent('never').flatMap(([, ...rest]) => rest)).toEqual(
      Array(8).fill(undefined)
    );
  });

  it('have it without tool calls by the rule always alone', () => {
    const parts = [reasoningOutput(TEXT), reply];
    expect(sent('rounds', parts)[1][1]).toBeUndefined();
    expect(sent('always', parts)[1][1]).toBe('Let me see.');
  });

  it('join what several attempts thought, and send none of it alone', () => {
    const twice = [reasoningOutput(TEXT), reasoningOutput(TEXT)];
    expect(sent('always', [...twice, reply])[1][1]).toBe(
      'Let me see.Let me see.'
    );
    expect(sent('always', twice)).toEqual([['user', undefined, undefined]]);
  });

  it('are taken apart again', () => {
    const [, , , last] = pairMessages(readPairText('2 + 2?', outputs));
    const { message, reasoning } = splitReasoning(last);
    expect(message).toEqual({ role: 'assistant', content: 'Four.' });
    expect(reasoning).toEqual([
      { field: 'reasoning_details', value: PIECES.value }
    ]);
  });
});

it('reasoning and tool calls nested beyond all measure can be shown, and are not read', () => {
  const deep = '['.repeat(50_000) + ']'.repeat(50_000);
  const output: IOutput = {
    output_type: 'display_data',
    data: {
      [REASONING_MIME]: { field: 'reasoning_details', opaque: `[${deep}]` },
      'text/plain': 'Reasoning:'
    },
    metadata: {}
  };
  expect(readReasoning(output)).toBe(null);
  expect(isReasoning(output)).toBe(true);
  expect(prettyJSON(deep)).toBe(deep);
  expect(isKeptMessages({ json: `[${deep}]`, textHash: '' })).toBe(false);
});
