import type { ICell, IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONValue } from '@lumino/coreutils';
import { execFileSync } from 'child_process';
import fc from 'fast-check';
import { join } from 'path';

import { readCell, type ICellLike } from '../cell';
import type { IMessage } from '../../base/message';
import { gatherContext } from '../gather';
import { cellsOf, groupsOf, keptNote } from '../../document/cells';
import { keepMessages, pairMessages } from '../../document/messages';
import { KEYS } from '../../document/metadata';
import { TOOL_MIME } from '../../document/rounds';
import {
  chatErrors,
  type INotebookLike
} from '../../document/__tests__/chatschema';
import { messageLists } from '../../document/__tests__/messagelists';

const ROOT = join(__dirname, '../../..');
const PYTHON = process.env.TURNBOOK_PYTHON ?? join(ROOT, '.venv/bin/python');

/** The messages that cells are gathered to, without the one that is being written. */
function gathered(cells: readonly ICell[]): IMessage[] {
  const read = cells.map(cell => readCell(cell as unknown as ICellLike));
  return gatherContext(read, 'new').messages.slice(0, -1);
}

/** Cells as a saved file has them: texts as lists of lines, keys sorted. */
function saved(cells: readonly ICell[]): ICell[] {
  const lines = (value: unknown) =>
    typeof value === 'string' ? (value.match(/[^\n]*\n|[^\n]+/g) ?? []) : value;
  const split = cells.map(cell => ({
    ...cell,
    source: lines(cell.source),
    ...(Array.isArray(cell.outputs)
      ? {
          outputs: (cell.outputs as IOutput[]).map(output => ({
            ...output,
            data: Object.fromEntries(
              Object.entries(output.data as object).map(([type, value]) => [
                type,
                type.startsWith('text/') ? lines(value) : (value as unknown)
              ])
            )
          }))
        }
      : {})
  }));
  return JSON.parse(
    JSON.stringify(sorted(split as unknown as PartialJSONValue))
  ) as ICell[];
}

function sorted(value: PartialJSONValue): PartialJSONValue {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, item]) => [key, sorted(item ?? null)])
      )
    : value;
}

function notebookOf(cells: ICell[]): INotebookLike & { cells: ICell[] } {
  const version = { nbformat: 4, nbformat_minor: 5 };
  const metadata = {
    turnbook: { format: 1, chatId: '0b1c2d3e-0000-4000-8000-00000000000a' }
  };
  return { ...version, metadata, cells };
}

const call = (id: string, name: string, given: string) => ({
  id,
  type: 'function',
  function: { name, arguments: given }
});

describe('messages as cells', () => {
  it('are gathered back to the same bytes, whatever they are', () => {
    fc.assert(
      fc.property(messageLists, messages => {
        const cells = cellsOf(messages);
        const bytes = JSON.stringify(messages);
        expect(JSON.stringify(gathered(cells))).toBe(bytes);
        expect(JSON.stringify(gathered(saved(cells)))).toBe(bytes);
        expect(chatErrors(notebookOf(cells))).toEqual([]);
      }),
      { numRuns: 500 }
    );
  });

  it('are never reported as differing from their own text', () => {
    fc.assert(
      fc.property(messageLists, messages => {
        for (const cell of cellsOf(messages)) {
          const read = readCell(cell as unknown as ICellLike);
          const kept = cell.metadata[KEYS.messages];
          const { [KEYS.messages]: _, ...metadata } = cell.metadata;
          const text = () =>
            gatherContext(
              [readCell({ ...cell, metadata } as unknown as ICellLike)],
              'new',
              { reasoning: 'always' }
            ).messages.slice(0, -1);
          const note = keptNote(kept, text);
          expect(note !== null).toBe('messages' in read);
          expect(note?.isShown ?? true).toBe(true);
        }
      }),
      { numRuns: 200 }
    );
  });

  it('are distinguished from a text with other content', () => {
    const text = pairMessages({ user: 'Hello', reply: 'Good day' });
    const other = [{ role: 'user', content: 'Tell me your secrets' }];
    expect(keptNote(keepMessages(other, text), () => text)).toEqual({
      messages: other,
      isShown: false
    });
    const two = [...text, ...text];
    expect(keptNote(keepMessages(two, text), () => text)?.isShown).toBe(false);
    const edited = pairMessages({ user: 'Hello!', reply: 'Good day' });
    expect(keptNote(keepMessages(other, text), () => edited)).toBeNull();
    expect(keptNote('anything', () => text)).toBeNull();
    expect(keptNote(undefined, () => text)).toBeNull();
  });

  it('are valid notebooks that Jupyter reads and writes without changing them', () => {
    const lists = fc.sample(messageLists, { numRuns: 300, seed: 7 });
    const notebooks = lists.map(list => notebookOf(cellsOf(list)));
    const out = execFileSync(
      PYTHON,
      [
        '-c',
        [
          'import json, sys, nbformat',
          'def through(nb):',
          '    text = nbformat.writes(nbformat.from_dict(nb))',
          '    nbformat.validate(json.loads(text))',
          '    again = nbformat.reads(text, as_version=4)',
          '    return [json.loads(text), again]',
          'json.dump([through(nb) for nb in json.load(sys.stdin)], sys.stdout)'
        ].join('\n')
      ],
      { input: JSON.stringify(notebooks), maxBuffer: 1 << 28 }
    );
    const read = JSON.parse(out.toString()) as { cells: ICell[] }[][];
    lists.forEach((list, index) => {
      for (const { cells } of read[index]) {
        expect(JSON.stringify(gathered(cells))).toBe(JSON.stringify(list));
      }
    });
  });

  it('need no JSON besides the text in an ordinary chat with tools', () => {
    const messages: IMessage[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather in Oslo and Rome?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          call('c1', 'weather', '{"city":"Oslo"}'),
          call('c2', 'weather', '{"city":"Rome"}')
        ]
      },
      { role: 'tool', tool_call_id: 'c1', content: '3 °C' },
      { role: 'tool', tool_call_id: 'c2', content: '21 °C' },
      {
        role: 'assistant',
        content: 'One more.',
        tool_calls: [call('c3', 'wind', '{}')]
      },
      { role: 'tool', tool_call_id: 'c3', content: 'calm' },
      { role: 'assistant', content: 'Cold and calm.' },
      { role: 'system', content: 'Now in French.' },
      { role: 'user', content: 'Again?' },
      { role: 'user', content: 'Hello?' }
    ];
    const cells = cellsOf(messages);
    expect(cells.map(cell => [cell.cell_type, cell.source])).toEqual([
      ['raw', 'Be brief.'],
      ['code', 'Weather in Oslo and Rome?'],
      ['raw', 'Now in French.'],
      ['code', 'Again?'],
      ['code', 'Hello?']
    ]);
    expect(cells.every(({ metadata }) => !(KEYS.messages in metadata))).toBe(
      true
    );
    const outputs = cells[1].outputs as IOutput[];
    expect(
      outputs.map(({ data }) => Object.keys(data as object).sort())
    ).toEqual([
      [TOOL_MIME, 'text/plain'],
      [TOOL_MIME, 'text/plain'],
      ['text/markdown']
    ]);
    expect((outputs[0].data as Record<string, string>)['text/plain']).toBe(
      [
        'Tool call: weather\n{\n  "city": "Oslo"\n}',
        'Tool call: weather\n{\n  "city": "Rome"\n}',
        'Result of weather:\n3 °C',
        'Result of weather:\n21 °C'
      ].join('\n\n')
    );
    expect(gathered(cells)).toEqual(messages);
  });

  it('show a readable form of what text cannot express', () => {
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    ];
    const cells = cellsOf([
      { role: 'developer', content: 'Be exact.' },
      { role: 'user', content: parts, name: 'ann' },
      { role: 'assistant', content: 'A dot.' },
      { role: 'critic', content: 'Too short.' }
    ]);
    expect(cells.map(cell => cell.source)).toEqual([
      'Be exact.',
      'What is this?\n\n[image]',
      'critic: Too short.'
    ]);
    expect(cells.every(({ metadata }) => KEYS.messages in metadata)).toBe(true);
  });

  it('keep their messages until the cell is edited', () => {
    const [cell] = cellsOf([
      { role: 'user', content: [{ type: 'text', text: 'Parts' }] },
      { role: 'assistant', content: 'Fine.' }
    ]);
    expect(gathered([cell])[0].content).toEqual([
      { type: 'text', text: 'Parts' }
    ]);
    expect(gathered([{ ...cell, source: 'Text' }])).toEqual([
      { role: 'user', content: 'Text' },
      { role: 'assistant', content: 'Fine.' }
    ]);
    expect(gathered([{ ...cell, outputs: [] }])).toEqual([
      { role: 'user', content: 'Parts' }
    ]);
  });

  it.each([
    ['a list', []],
    ['no hash', { json: '[{"role":"user"}]' }],
    ['half of a JSON', { json: '[{"role":', textHash: '' }],
    ['messages without a role', { json: '[{}]', textHash: '' }],
    ['another hash', { json: '[{"role":"user"}]', textHash: 'x' }]
  ])('are read from the text where the metadata is %s', (_, value) => {
    const [cell] = cellsOf([{ role: 'user', content: 'Text' }]);
    const metadata = { [KEYS.messages]: value as unknown as PartialJSONValue };
    expect(gathered([{ ...cell, metadata }])).toEqual([
      { role: 'user', content: 'Text' }
    ]);
  });
});

describe('groupsOf', () => {
  it('puts each message into one group, in order', () => {
    fc.assert(
      fc.property(messageLists, messages => {
        expect(groupsOf(messages).flat()).toEqual(messages);
      })
    );
  });

  it('separates two consecutive assistant messages', () => {
    const call = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c' }]
    };
    const user = { role: 'user', content: 'u' };
    const reply = { role: 'assistant', content: 'a' };
    const result = { role: 'tool', content: 'r', tool_call_id: 'c' };
    expect(groupsOf([user, reply, reply])).toEqual([[user, reply], [reply]]);
    expect(groupsOf([user, call, reply])).toEqual([[user, call], [reply]]);
    expect(groupsOf([user, call, result, result, reply, result])).toEqual([
      [user, call, result, result, reply],
      [result]
    ]);
    expect(groupsOf([call, result, call, result, reply])).toHaveLength(1);
  });
});
