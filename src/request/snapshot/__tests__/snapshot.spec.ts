import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import fc from 'fast-check';

import { canonical as sorted } from '../../../base/canonical';
import {
  anyBase,
  anyJSON,
  anyKey,
  baseOf,
  usual
} from '../../__tests__/requests';
import { RequestDraft } from '../../draft';
import { optionErrors } from '../../options';
import { baseFromBody } from '../../sections';
import { applySnapshot, renderFromSnapshot } from '../apply';
import { captureSnapshot } from '../capture';
import { completeSnapshot } from '../complete';
import type { ISnapshot } from '../model';
import { checkSnapshot } from '../validate';
import { isPruned } from '../model';

const TOOLS = baseOf([
  { role: 'system', content: 'Use tools.' },
  { role: 'user', content: 'Weather?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 't1', type: 'function', function: { name: 'w', arguments: '{}' } }
    ]
  },
  { role: 'tool', tool_call_id: 't1', content: 'Rain.' },
  { role: 'assistant', content: 'It rains.' },
  { role: 'user', content: 'Thanks' }
]);

function textOf(draft: RequestDraft): string {
  return JSON.stringify(captureSnapshot(draft.request), null, 2);
}

/** Parse the text of a valid snapshot. */
function parsed(text: string): ISnapshot {
  expect(checkSnapshot(text)).toEqual([]);
  return JSON.parse(text) as ISnapshot;
}

/** Change the snapshot of a draft and apply it. */
function applyChange(
  draft: RequestDraft,
  change: (snapshot: ISnapshot) => void
): void {
  const snapshot = parsed(textOf(draft));
  change(snapshot);
  applySnapshot(draft, parsed(JSON.stringify(snapshot)));
}

describe('a snapshot', () => {
  it('shows turns, rounds, options and endpoint', () => {
    const snapshot = captureSnapshot(new RequestDraft({ base: TOOLS }).request);
    expect(snapshot.turns).toEqual([
      expect.objectContaining({ section: 'c0/system', kind: 'system' }),
      expect.objectContaining({ section: 'c1/user' }),
      { toolCallRound: 0 },
      expect.objectContaining({ section: 'c4/assistant' }),
      expect.objectContaining({ section: 'new/user', kind: 'user' })
    ]);
    expect(snapshot.toolCallRounds).toEqual([
      {
        calls: expect.objectContaining({ section: 'c2/assistant' }),
        results: [expect.objectContaining({ section: 'c3/tool' })]
      }
    ]);
    expect(snapshot.requestOptions).toEqual({
      stream: true,
      stream_options: { include_usage: true }
    });
    expect(snapshot.endpoint).toEqual({ provider: 'p', model: 'm' });
  });

  it('has the name of its request, which applying ignores', () => {
    const base = { ...usual(), debugName: 'Survey · turn 2' };
    const draft = new RequestDraft({ base });
    const { body } = draft.request;
    expect(captureSnapshot(draft.request).debugName).toBe('Survey · turn 2');
    applyChange(draft, snapshot => {
      snapshot.debugName = 'Other';
    });
    expect(draft.request.body).toBe(body);
    expect(captureSnapshot(draft.request).debugName).toBe('Survey · turn 2');
    applyChange(draft, snapshot => {
      delete snapshot.debugName;
    });
    expect(draft.hasEdits).toBe(false);
  });

  it('leaves out deleted sections, keys and machine-specific options', () => {
    const base = usual();
    const frame = {
      ...base.frame,
      api_key: 'sk-1',
      extra_headers: { a: 'b' },
      base_url: 'http://127.0.0.1:1'
    };
    const draft = new RequestDraft({ base: { ...base, frame } });
    draft.remove('c1/user');
    const text = textOf(draft);
    expect(text).not.toMatch(/sk-1|headers|127\.0\.0\.1|2 \+ 2/);
    const { body } = draft.request;
    applySnapshot(draft, parsed(text));
    expect(draft.request.body).toBe(body);
    expect(draft.canUndo && draft.counts.deleted).toBe(1);
  });

  it('changes no byte when it is applied unchanged', () => {
    const rough =
      '{"model": "m", "x": 1.0, "messages": [{"role": "user", "content": "a"}], "stream": true}';
    const exact = baseFromBody(rough, {
      chatId: 'c',
      pair: 'p',
      provider: 'p',
      source: 'journal'
    });
    fc.assert(
      fc.property(
        fc.oneof(anyBase, fc.constant(exact), fc.constant(TOOLS)),
        fc.nat(5),
        (base, n) => {
          const draft = new RequestDraft({ base });
          const ids = base.sections.map(({ id }) => id);
          if (n === 1) {
            draft.remove(ids[0]);
          } else if (n === 2) {
            draft.move(ids[0], null);
          } else if (n === 3) {
            draft.add({ role: 'user', content: 'x', before: ids[0] });
          } else if (n === 4) {
            draft.setOption('temperature', 1);
          }
          const { body } = draft.request;
          const edits = draft.counts;
          applySnapshot(
            draft,
            JSON.parse(textOf(draft)) as unknown as ISnapshot
          );
          expect(draft.request.body).toBe(body);
          expect(draft.counts).toEqual(edits);
        }
      )
    );
  });

  it('carries any key of messages and options into the bytes', () => {
    const more = fc.dictionary(anyKey, anyJSON, { maxKeys: 4 });
    fc.assert(
      fc.property(more, more, anyJSON, (inMessage, inOptions, given) => {
        const draft = new RequestDraft({ base: TOOLS });
        const message = { ...inMessage, role: 'user', content: 'x' };
        const isOwn = (key: string) =>
          ['model', 'messages', 'stream', ''].includes(key) || isPruned(key);
        const options = Object.fromEntries(
          Object.entries(inOptions).filter(([key]) => !isOwn(key))
        ) as ISnapshot['requestOptions'];
        if (optionErrors(options).length) {
          return;
        }
        applyChange(draft, snapshot => {
          snapshot.turns.splice(1, 1, { message });
          const [{ calls }] = snapshot.toolCallRounds;
          const [call] = calls!.message.tool_calls as any[];
          call.function.arguments = JSON.stringify(given);
          snapshot.requestOptions = { ...options, stream: true };
        });
        const body = JSON.parse(draft.request.body);
        expect(sorted(body.messages[1])).toBe(sorted(message));
        const [call] = body.messages[2].tool_calls;
        expect(call.function.arguments).toBe(JSON.stringify(given));
        const { model: _, messages: __, stream: ___, ...sent } = body;
        expect(sorted(sent)).toBe(sorted(options));
      })
    );
  });

  it('changes a text in one undo step', () => {
    const draft = new RequestDraft({ base: TOOLS });
    const { body } = draft.request;
    applyChange(draft, ({ turns, toolCallRounds, requestOptions }) => {
      (turns[1] as any).message.content = 'Snow?';
      toolCallRounds[0].results[0].message.content = 'Snow.';
      requestOptions.temperature = 0.5;
    });
    expect(draft.request.messages.map(({ content }) => content)).toEqual([
      'Use tools.',
      'Snow?',
      null,
      'Snow.',
      'It rains.',
      'Thanks'
    ]);
    expect(draft.counts).toMatchObject({ edited: 2, options: 1, added: 0 });
    draft.undo();
    expect(draft.request.body).toBe(body);
    expect(draft.canUndo).toBe(false);
  });

  it('adds, removes and reorders turns', () => {
    const draft = new RequestDraft({ base: TOOLS });
    applyChange(draft, snapshot => {
      const [system, user, round, , last] = snapshot.turns;
      snapshot.turns = [
        round,
        system,
        { message: { role: 'user', content: 'New.' } },
        user,
        last
      ];
      snapshot.endpoint.model = 'other';
      delete snapshot.requestOptions.stream_options;
    });
    expect(draft.request.messages.map(({ role }) => role)).toEqual([
      'assistant',
      'tool',
      'system',
      'user',
      'user',
      'user'
    ]);
    expect(draft.counts).toMatchObject({
      added: 1,
      deleted: 1,
      edited: 0,
      options: 2
    });
    expect(draft.request.frame).toEqual({
      model: 'other',
      messages: null,
      stream: true
    });
  });

  it('that cannot be rendered leaves the last valid request', () => {
    const draft = new RequestDraft({ base: TOOLS });
    const { body } = draft.request;
    const wrong = (change: (snapshot: ISnapshot) => void) => {
      const snapshot = JSON.parse(textOf(draft)) as ISnapshot;
      change(snapshot);
      return renderFromSnapshot(draft, snapshot);
    };
    const results = [
      wrong(snapshot => (snapshot.endpoint.provider = 'elsewhere')),
      wrong(snapshot => (snapshot.toolCallRounds = [])),
      wrong(snapshot => (snapshot.turns = [])),
      wrong(snapshot => ((snapshot.turns[0] as any).message.role = 'boss')),
      wrong(snapshot => ((snapshot.turns[0] as any).message.content = ''))
    ];
    for (const result of results) {
      expect(result).toMatchObject({ ok: false, last: { body } });
    }
    expect(draft.request.body).toBe(body);
    expect(draft.canUndo).toBe(false);
    expect(wrong(() => undefined)).toMatchObject({
      ok: true,
      request: { body }
    });
  });
});

describe('checking', () => {
  const text = textOf(new RequestDraft({ base: TOOLS }));

  /** The marked parts of a text, and their messages. */
  function marks(changed: string): [string, string][] {
    expect(changed).not.toBe(text);
    return checkSnapshot(changed).map(({ from, to, message }) => [
      changed.slice(from, to),
      message
    ]);
  }

  it('finds nothing wrong with a snapshot', () => {
    expect(checkSnapshot(text)).toEqual([]);
  });

  it('says where the JSON is incomplete', () => {
    expect(checkSnapshot('{"turns": [')).toEqual([
      expect.objectContaining({
        from: 11,
        message: 'The JSON is not complete: line 1, column 12.'
      })
    ]);
    expect(checkSnapshot('{\n  "turns": x }')[0].message).toMatch(/line 2/);
    expect(checkSnapshot('')).toHaveLength(1);
  });

  it('marks exactly the wrong value', () => {
    expect(marks(text.replace('"role": "system"', '"role": "boss"'))).toEqual([
      ['"boss"', expect.stringContaining('must be one of "system"')]
    ]);
    expect(marks(text.replace('"Use tools."', '5'))).toEqual([
      ['5', expect.stringContaining('string or array or null')]
    ]);
    expect(
      marks(text.replace('"toolCallRound": 0', '"toolCallRound": 7'))
    ).toEqual([['7', expect.stringContaining('no round 7')]]);
    expect(marks(text.replace('"stream": true', '"stream": false'))).toEqual([
      [
        'false',
        'requestOptions.stream must be true'.replace('requestOptions.', '')
      ]
    ]);
    expect(
      marks(
        text.replace('"stream": true', '"stream": true, "temperature": "hot"')
      )
    ).toEqual([['"hot"', 'temperature must be number']]);
    expect(marks(text.replace('"model": "m"', '"modle": "m"'))).toEqual(
      expect.arrayContaining([
        [expect.stringContaining('modle'), 'endpoint needs model']
      ])
    );
  });

  it('accepts unknown options and message keys', () => {
    const changed = text.replace(
      '"stream": true',
      '"stream": true, "x_new": [1, {"a": null}]'
    );
    expect(checkSnapshot(changed)).toEqual([]);
  });
});

describe('completion', () => {
  function labels(before: string, after = ''): string[] {
    const state = EditorState.create({ doc: before + after });
    const context = new CompletionContext(state, before.length, true);
    return completeSnapshot(context)?.options.map(({ label }) => label) ?? [];
  }

  it('offers the keys and values at a position', () => {
    expect(labels('{"')).toEqual([
      '"turns"',
      '"toolCallRounds"',
      '"requestOptions"',
      '"endpoint"',
      '"debugName"'
    ]);
    expect(labels('{"turns": [{"message": {"role": "', '"}}]}')).toContain(
      '"assistant"'
    );
    expect(labels('{"turns": [{"', '"}]}')).toEqual(
      expect.arrayContaining(['"message"', '"toolCallRound"'])
    );
    expect(labels('{"requestOptions": {"te', '"}}')).toContain('"temperature"');
    expect(labels('{"requestOptions": {"stream": ', '}}')).toEqual(['true']);
    expect(labels('{"requestOptions": {"x": "')).toEqual([]);
  });
});
