import fc from 'fast-check';

import { chatErrors } from '../../../document/__tests__/chatschema';
import { REPLAY_KEY } from '../../../document/metadata';
import { bodyHash } from '../../../request/render';
import { checkRecord, readRecord } from '../check';
import {
  clearedNotebook,
  payloadMessages,
  project,
  recordNotebook,
  shownSections
} from '../projection';
import { differsFromLogged, NothingToReplay, recordMarks } from '../record';
import { anyRequest, built, edited, section } from '../../__tests__/requests';

const conversation = edited([
  section({ role: 'system', content: 'Be brief.' }, { edited: true }),
  section({ role: 'user', content: 'Look it up' }),
  section({
    role: 'assistant',
    content: null,
    tool_calls: [
      {
        id: 'c1',
        type: 'function',
        function: { name: 'search', arguments: '{"q":"rural"}' }
      }
    ]
  }),
  section({ role: 'tool', content: '3 results', tool_call_id: 'c1' }),
  section({ role: 'assistant', content: 'Three.' }, { edited: true }),
  section({ role: 'user', content: 'gone' }, { deleted: true }),
  section({ role: 'user', content: 'And now?' }, { kind: 'user' })
]);

describe('a projection', () => {
  it('keeps the order, drops what is deleted and marks what is edited', () => {
    const cells = project(built(conversation).record);
    expect(cells.map(cell => [cell.cell_type, cell.source])).toEqual([
      ['raw', 'Be brief.'],
      ['code', 'Look it up'],
      ['code', 'And now?']
    ]);
    const outputs = cells[1].outputs as any[];
    expect(outputs.map(({ data }) => data['text/markdown'])).toEqual([
      '**Tool call** `search`\n\n```json\n{"q":"rural"}\n```',
      '**Tool result**\n\n```\n3 results\n```',
      'Three.'
    ]);
    const sections = cells.flatMap(({ metadata }) => shownSections(metadata));
    expect(sections.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(sections.filter(it => it.edited).map(({ index }) => index)).toEqual([
      0, 4
    ]);
    expect(
      sections.filter(it => it.replayed).map(({ index }) => index)
    ).toEqual([1, 2, 3, 4]);
    expect(sections[3].rest).toEqual({ tool_call_id: 'c1' });
  });

  it('shows two replies as two cells where the message between them is deleted', () => {
    const say = (role: string, content: string, facts = {}) =>
      section({ role, content }, facts);
    const call = {
      id: 'c',
      type: 'function',
      function: { name: 'f', arguments: '{}' }
    };
    const { record } = built(
      edited([
        say('user', 'One?'),
        say('assistant', 'One.'),
        say('user', 'Two?', { deleted: true }),
        say('assistant', 'Two.'),
        section({ role: 'assistant', content: null, tool_calls: [call] }),
        say('user', 'Three?', { deleted: true }),
        say('assistant', 'Three.'),
        say('critic', 'No.')
      ])
    );
    const told = project(record).map(({ source, outputs }) => [
      source,
      ...(outputs as any[]).map(({ data }) => data['text/markdown'])
    ]);
    expect(told).toEqual([
      ['One?', 'One.'],
      ['', 'Two.'],
      ['', expect.stringContaining('**Tool call** `f`')],
      ['', 'Three.'],
      ['', '**critic**\n\nNo.']
    ]);
  });

  it('stops at the cap, even in the middle of a pair', () => {
    const { record } = built(conversation);
    const cells = project(record, 3);
    expect(cells).toHaveLength(2);
    expect(cells[1].outputs).toHaveLength(1);
  });

  it('never changes the payload, whatever is in it', () => {
    fc.assert(
      fc.property(anyRequest, fc.nat(20), (request, cap) => {
        const before = JSON.stringify(request);
        const replay = built(request);
        project(replay.record, cap);
        recordNotebook(replay);
        expect(JSON.stringify(request)).toBe(before);
        expect(replay.record.payload).toBe(request.body);
        expect(replay.record.hash).toBe(bodyHash(request.body));
      })
    );
  });

  it('shows every message that is sent, once and in order', () => {
    fc.assert(
      fc.property(anyRequest, request => {
        const { record } = built(request);
        const shown = project(record).flatMap(({ metadata }) =>
          shownSections(metadata)
        );
        expect(shown.map(({ index }) => index)).toEqual(
          request.messages.map((_, index) => index)
        );
        expect(payloadMessages(record.payload)).toHaveLength(shown.length);
      })
    );
  });

  it('of nothing is a specific error', () => {
    const nothing = edited([
      section({ role: 'user', content: 'gone' }, { deleted: true })
    ]);
    expect(() => built(nothing)).toThrow(new NothingToReplay(true));
  });

  it.each([
    [{ role: 'user', content: '' }, false],
    [{ role: 'user', content: ' \n' }, false],
    [{ role: 'user', content: null }, false],
    [{ role: 'user' }, false],
    [{ role: 'user', content: [] }, false],
    [{ role: 'user', content: [{ type: 'text', text: '' }] }, true],
    [{ role: 'user', content: '', name: 'n' }, true],
    [{ role: 'user', content: '.' }, true]
  ])('of %j alone is something: %s', (message, isSomething) => {
    const request = edited([section(message, { kind: 'user' })]);
    let problem: unknown = null;
    try {
      built(request);
    } catch (error) {
      problem = error;
    }
    expect(problem).toEqual(isSomething ? null : new NothingToReplay(false));
    expect((problem as NothingToReplay | null)?.isDeleted).toBe(
      isSomething ? undefined : false
    );
  });

  it('tags earlier messages as replayed, except system and the current one', () => {
    const kinds = ['system', 'context', 'history', 'tool', 'user'] as const;
    const { record } = built(
      edited(
        kinds.map(kind => section({ role: 'user', content: kind }, { kind }))
      )
    );
    const tagged = project(record)
      .flatMap(({ metadata }) => shownSections(metadata))
      .filter(({ replayed }) => replayed)
      .map(({ kind }) => kind);
    expect(tagged).toEqual(['context', 'history', 'tool']);
  });
});

describe('a record', () => {
  it('keeps both hashes when other bytes were logged', () => {
    const { record } = built(conversation, { loggedHash: 'a'.repeat(64) });
    expect(differsFromLogged(record)).toBe(true);
    expect(record.loggedHash).toBe('a'.repeat(64));
    const same = built(conversation, { loggedHash: conversation.hash });
    expect(differsFromLogged(same.record)).toBe(false);
    expect(differsFromLogged(built(conversation).record)).toBe(false);
  });

  it('has the name of its request', () => {
    const { base } = conversation;
    const named = {
      ...conversation,
      base: { ...base, debugName: 'Survey · turn 2' }
    };
    const replay = built(named);
    expect(replay.record.debugName).toBe('Survey · turn 2');
    const notebook = recordNotebook(replay);
    expect(checkRecord(notebook).problems).toEqual([]);
    const entry = notebook.metadata.turnbook as any;
    entry.record.debugName = 7;
    expect(readRecord(notebook)).toBeNull();
    entry.record.debugName = 'Another · turn 2';
    expect(checkRecord(notebook).problems).not.toEqual([]);
    expect(built(conversation).record).not.toHaveProperty('debugName');
  });

  it('is not built if the sections of a request are not its messages', () => {
    const messages = conversation.messages.slice(1);
    expect(() => built({ ...conversation, messages })).toThrow('sections');
  });

  it('is not read if its counts are invalid', () => {
    for (const change of [
      { trimmed: {} },
      { trimmed: { pairs: 1, tokens: '2' } },
      { trimmed: { pairs: 0.5, tokens: 2 } },
      { version: -1 },
      { deleted: 1.5 }
    ]) {
      const notebook = recordNotebook(built(conversation)) as any;
      const { record } = notebook.metadata.turnbook;
      expect(readRecord(notebook)).not.toBeNull();
      notebook.metadata.turnbook.record = { ...record, ...change };
      expect([change, readRecord(notebook)]).toEqual([change, null]);
    }
  });

  it('is valid whatever a viewer changed in its cells', () => {
    const notebook = recordNotebook(built(conversation));
    for (const cell of notebook.cells) {
      cell.metadata.trusted = true;
    }
    expect(checkRecord(notebook).problems).toEqual([]);
  });

  it('marks a pair that is sent from it as edited and trimmed', () => {
    const sections = [
      section({ role: 'user', content: 'a' }, { edited: true }),
      section({ role: 'user', content: 'b' }, { added: true }),
      section({ role: 'user', content: 'c' }, { deleted: true })
    ];
    expect(recordMarks(built(edited(sections, {}, 3)).record)).toEqual({
      edited: { sections: 1, deleted: 1, added: 1, options: 0 },
      trimmed: { pairs: 3, tokens: expect.any(Number) }
    });
    const plain = edited([section({ role: 'user', content: 'a' })]);
    expect(recordMarks(built(plain).record)).toEqual({});
  });

  it('does not contain what was edited out or deleted', () => {
    const request = edited([
      section(
        { role: 'user', content: 'public' },
        { edited: true, original: { role: 'user', content: 'secret' } }
      ),
      section({ role: 'user', content: 'removed' }, { deleted: true })
    ]);
    const text = JSON.stringify(recordNotebook(built(request)));
    expect(text).toContain('public');
    expect(text).not.toContain('secret');
    expect(text).not.toContain('removed');
  });

  it('is valid after the export, and after its texts became lists of lines', () => {
    fc.assert(
      fc.property(anyRequest, request => {
        const notebook = recordNotebook(built(request));
        const { replay, problems } = checkRecord(notebook);
        expect(problems).toEqual([]);
        expect(replay?.record.payload).toBe(request.body);
        const split = JSON.parse(JSON.stringify(notebook), (key, value) =>
          (key === 'source' || key === 'text/markdown') &&
          typeof value === 'string'
            ? value.split(/(?<=\n)/)
            : value
        );
        expect(checkRecord(split).problems).toEqual([]);
      })
    );
  });

  it('obeys the schemas', () => {
    fc.assert(
      fc.property(anyRequest, request => {
        const replay = built(request, { loggedHash: 'b'.repeat(64) });
        expect(chatErrors(recordNotebook(replay) as any)).toEqual([]);
      })
    );
  });

  it('detects any change to payload, cells, lineage or hashes', () => {
    const notebook = recordNotebook(
      built(conversation, { loggedHash: 'c'.repeat(64) })
    ) as any;
    const places = leaves(notebook).filter(
      ([path]) =>
        (path[0] === 'cells' && path.length > 2) || path[1] === 'turnbook'
    );
    expect(places.length).toBeGreaterThan(60);
    for (const [path, value] of places) {
      if (path.join('.') === 'metadata.turnbook.format') {
        continue;
      }
      const changed = JSON.parse(JSON.stringify(notebook));
      const owner = path
        .slice(0, -1)
        .reduce((at: any, key) => at[key], changed);
      owner[path[path.length - 1]] = other(value);
      expect([path, checkRecord(changed).problems]).not.toEqual([path, []]);
    }
  });

  it.each([
    null,
    {},
    { metadata: { turnbook: 1 } },
    { metadata: { turnbook: { record: {} } }, cells: [] },
    clearedNotebook()
  ])('is not found in %j', notebook => {
    const { replay, problems } = checkRecord(notebook);
    expect(replay).toBeNull();
    expect(problems).toHaveLength(1);
  });

  it('marks its cells with a key of their own, and names the chat', () => {
    const [header, first] = recordNotebook(built(conversation)).cells;
    expect(header.source).toContain('**Replayed prompt · 71e0**');
    const { base } = conversation;
    const unsaved = { ...conversation, base: { ...base, chatId: '' } };
    expect(recordNotebook(built(unsaved)).cells[0].source).toContain(
      `**Replayed prompt · ${conversation.hash.slice(-4)}**`
    );
    expect(header.cell_type).toBe('markdown');
    expect(header.source).toContain('jupyter turnbook verify');
    expect(first.metadata).toHaveProperty(REPLAY_KEY);
  });
});

type Path = (string | number)[];

function leaves(value: unknown, path: Path = []): [Path, unknown][] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, item]) =>
        leaves(item, [...path, key])
      )
    : [[path, value]];
}

function other(value: unknown): unknown {
  return typeof value === 'string'
    ? value === ''
      ? 'x'
      : value.slice(0, -1) + (value.endsWith('0') ? '1' : '0')
    : typeof value === 'number'
      ? value + 1
      : value === null
        ? 1
        : !value;
}
