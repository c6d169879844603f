import { YNotebook } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';
import fc from 'fast-check';

import { storable } from '../../base/json';
import { NO_MARKS } from '../markentry';
import { keepMessages, pairMessages } from '../messages';
import { KEYS, type IRunInfo } from '../metadata';
import { messagesIn, Pair, runIn } from '../pair';
import { replyOutput } from '../reply';
import { roundOutput } from '../rounds';

const INFO: IRunInfo = {
  state: 'succeeded',
  model: 'p/m',
  createdAt: 1,
  updatedAt: 2,
  runId: 'r',
  attempt: 1,
  context: [['a', 'b', 2]],
  requestHash: 'h'
};

const CALL = {
  message: { role: 'assistant', tool_calls: [{ id: 'c' }] },
  results: []
};

/** A notebook with one pair, a note and a system cell. */
function chat(
  metadata: PartialJSONObject = {},
  source = 'Why?',
  outputs: IOutput[] = []
): { notebook: YNotebook; pair: Pair } {
  const notebook = YNotebook.create({
    data: {
      cells: [
        { cell_type: 'raw', id: 's', metadata: {}, source: 'Be brief.' },
        {
          cell_type: 'code',
          id: 'a',
          execution_count: null,
          metadata,
          source,
          outputs
        },
        { cell_type: 'markdown', id: 'n', metadata: {}, source: 'note' }
      ],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5
    }
  });
  notebook.clearUndoHistory();
  return { notebook, pair: Pair.find(notebook, 'a')! };
}

/** A pair that holds this and nothing else; the same one each time, since notebooks are dear. */
const holding = (() => {
  const { pair } = chat();
  return (metadata: PartialJSONObject, source = 'Why?'): Pair => {
    const { cell } = pair;
    Object.keys(cell.getMetadata()).forEach(key => cell.deleteMetadata(key));
    Object.entries(metadata).forEach(([key, value]) => {
      cell.setMetadata(key, value!);
    });
    cell.setSource(source);
    return pair;
  };
})();

const own = (value: PartialJSONValue) => ({
  [KEYS.marks]: value,
  [KEYS.run]: value,
  [KEYS.versions]: value,
  [KEYS.messages]: value,
  [KEYS.replay]: value
});

/** As a shared document can hold it; under a key, null is nothing. */
const anything = fc
  .jsonValue()
  .map(value => storable((value ?? 0) as PartialJSONValue));

/** Outputs as another tool may have left them; a document holds no stream without a text. */
const outputs = fc.array(
  fc.oneof(
    fc.record({
      output_type: fc.constantFrom('display_data', 'error', 'other'),
      data: anything,
      metadata: anything,
      traceback: anything
    }),
    fc.record({
      output_type: fc.constant('stream'),
      name: anything,
      text: fc.string()
    })
  )
) as fc.Arbitrary<IOutput[]>;

describe('Pair', () => {
  it('is a code cell and nothing else', () => {
    const { notebook } = chat();
    expect(notebook.cells.map(cell => Pair.of(cell)?.id ?? null)).toEqual([
      null,
      'a',
      null
    ]);
    expect(Pair.all(notebook).map(({ id }) => id)).toEqual(['a']);
    expect(['a', 'n', 'x'].map(id => Pair.find(notebook, id)?.id)).toEqual([
      'a',
      undefined,
      undefined
    ]);
  });

  it('reads whatever a file contains', () => {
    fc.assert(
      fc.property(anything, fc.string(), (value, source) => {
        const pair = holding(own(value), source);
        expect(pair.source).toBe(source);
        expect(['object', 'undefined']).toContain(typeof pair.storedMessages);
        expect(pair.versions.length).toBeLessThanOrEqual(
          pair.storedVersions.length
        );
        const { topic, star, in: isIn } = pair.marks;
        expect([typeof topic, typeof star, typeof isIn]).toEqual([
          'string',
          'number',
          'boolean'
        ]);
        expect(pair.run === null || typeof pair.run.state === 'string').toBe(
          true
        );
        expect(pair.messages === null || Array.isArray(pair.messages)).toBe(
          true
        );
        expect(pair.isSpare).toBe(false);
      })
    );
  });

  it('reads whatever another tool wrote', () => {
    const { pair } = chat();
    fc.assert(
      fc.property(outputs, parts => {
        pair.changeParts(pair.parts.map((_, index) => index).reverse(), parts);
        expect(pair.parts).toHaveLength(parts.length);
        expect(typeof pair.text.reply).toBe('string');
        expect(typeof (pair.reply?.text ?? '')).toBe('string');
        expect(pair.rounds.length).toBeLessThanOrEqual(parts.length);
      })
    );
  });

  it('reads back what it wrote, and keeps foreign entries', () => {
    fc.assert(
      fc.property(anything, value => {
        const pair = holding({ ...own(value), other: value });
        pair.setRun(INFO);
        pair.mark({ star: 2, topic: 'x' });
        expect(pair.run).toEqual(INFO);
        expect(pair.hasRun(INFO)).toBe(true);
        expect(pair.marks).toMatchObject({ star: 2, topic: 'x' });
        expect(pair.cell.getMetadata('other')).toEqual(value);
        expect(pair.cell.getMetadata(KEYS.replay)).toEqual(value);
      })
    );
  });

  it('compares exactly what is stored about its run', () => {
    const { pair } = chat();
    expect(pair.run).toBeNull();
    expect(pair.hasRun(INFO)).toBe(false);
    pair.setRun({ ...INFO, attempt: 2 });
    expect(pair.hasRun(INFO)).toBe(false);
    const newer = { ...INFO, later: 1 };
    pair.setRun(newer);
    expect(pair.run).toEqual(INFO);
    expect(pair.hasRun(INFO)).toBe(false);
    pair.setRun(undefined);
    expect(pair.storedRun).toBeUndefined();
  });

  it('restores stored run metadata, readable or not', () => {
    fc.assert(
      fc.property(fc.option(anything, { nil: undefined }), value => {
        const pair = holding(value === undefined ? {} : { [KEYS.run]: value });
        const before = pair.storedRun;
        pair.setRun(INFO);
        pair.setRun(before);
        expect(pair.storedRun).toEqual(before);
      })
    );
  });

  it('stores nothing for marks at their defaults', () => {
    const { pair } = chat();
    pair.mark({ star: 1, in: false });
    pair.mark({ ...NO_MARKS });
    expect(pair.marks).toEqual(NO_MARKS);
    expect(pair.cell.getMetadata(KEYS.marks)).toBeUndefined();
  });

  it('stores nothing for no versions and no messages', () => {
    const { pair } = chat();
    pair.setVersions([{ source: 'a', reply: 'b' }, 'foreign']);
    expect(pair.versions).toHaveLength(1);
    expect(pair.storedVersions).toHaveLength(2);
    pair.setVersions([]);
    pair.setMessages(undefined);
    expect(pair.cell.getMetadata()).toEqual({});
  });

  it('returns its reply, its rounds and its text', () => {
    const round = roundOutput(CALL);
    const reply = { text: 'So.', runId: 'r', partial: false };
    const { pair } = chat({}, 'Why?', [round, replyOutput(reply)]);
    expect(pair.reply).toEqual(reply);
    expect(pair.rounds).toEqual([CALL]);
    expect(pair.text).toEqual({
      user: 'Why?',
      attachments: [],
      rounds: [CALL],
      reply: 'So.',
      reasoning: []
    });
  });

  it('keeps messages while its text is unchanged', () => {
    const { pair } = chat();
    const messages = [{ role: 'user', content: 'Why?', name: 'me' }];
    pair.setMessages({ ...keepMessages(messages, pairMessages(pair.text)) });
    expect(pair.messages).toEqual(messages);
    pair.source = 'How?';
    expect(pair.messages).toBeNull();
    expect(pair.storedMessages).toBeDefined();
  });

  it('reads the same from a file as from the document', () => {
    const reply = { text: 'So.', runId: 'r', partial: false };
    const { notebook, pair } = chat({}, 'Why?', [replyOutput(reply)]);
    const messages = [{ role: 'user', content: 'Why?', name: 'me' }];
    pair.setRun(INFO);
    pair.setMessages({ ...keepMessages(messages, pairMessages(pair.text)) });
    const file = pair.toJSON();
    expect(file).toEqual(notebook.toJSON().cells[1]);
    expect(file.outputs).toEqual(pair.parts);
    expect(runIn(file.metadata)).toEqual(pair.run);
    const text = () => pairMessages(pair.text);
    expect(messagesIn(file.metadata, text)).toEqual(messages);
    expect(messagesIn(file.metadata, () => [])).toBeNull();
  });

  it('removes the trust that came with a file and nothing else', () => {
    const { pair } = chat({ trusted: true, other: 1 });
    pair.distrust();
    expect(pair.cell.getMetadata()).toEqual({ other: 1 });
  });

  it('removes parts and appends others', () => {
    const part = (text: string): IOutput =>
      replyOutput({ text, runId: text, partial: false });
    const { pair } = chat({}, '', ['a', 'b', 'c', 'd'].map(part));
    pair.changeParts([2, 0], [part('e')]);
    expect(pair.parts).toEqual(['b', 'd', 'e'].map(part));
    pair.replacePart(1, part('x'));
    expect(pair.parts).toEqual(['b', 'x', 'e'].map(part));
  });

  it('is an undo step only if the caller makes it one', () => {
    const { notebook, pair } = chat();
    notebook.transact(() => {
      pair.setRun(INFO);
      pair.changeParts([], [roundOutput(CALL)]);
    }, false);
    expect(notebook.canUndo()).toBe(false);
    notebook.transact(() => pair.mark({ star: 1 }));
    expect(notebook.canUndo()).toBe(true);
  });
});

describe('isSpare', () => {
  const none: IOutput = {
    output_type: 'display_data',
    data: {},
    metadata: {}
  };
  const image: IOutput = { ...none, data: { 'image/png': 'AAAA' } };

  it.each<[string, boolean, PartialJSONObject, string?, IOutput[]?]>([
    ['a cell of a new notebook', true, {}],
    ['one that JupyterLab trusts', true, { trusted: true }],
    ['one that was only marked', true, { [KEYS.marks]: { star: 1 } }],
    ['one with a text', false, {}, 'Why?'],
    ['one with blanks', false, {}, ' \n'],
    ['one with an image', false, {}, '', [image]],
    ['one with an output that shows nothing', false, {}, '', [none]],
    ['one whose run failed', false, { [KEYS.run]: { state: 'error' } }],
    ['one that was taken back', false, { [KEYS.run]: { state: 'idle' } }]
  ])('of %s: %s', (_, isSpare, metadata, source = '', parts = []) => {
    expect(chat(metadata, source, parts).pair.isSpare).toBe(isSpare);
  });

  it.each([KEYS.run, KEYS.messages])(
    'is false for a cell with anything under %s, readable or not',
    key => {
      fc.assert(
        fc.property(anything, value => {
          expect(holding({ [key]: value }, '').isSpare).toBe(false);
        })
      );
    }
  );

  it('is false for notes and system cells', () => {
    const { notebook } = chat({}, '');
    expect(notebook.cells.map(cell => Pair.of(cell)?.isSpare)).toEqual([
      undefined,
      true,
      undefined
    ]);
  });
});
