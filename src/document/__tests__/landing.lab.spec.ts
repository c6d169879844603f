import { YNotebook, type ISharedCodeCell } from '@jupyter/ydoc';
import type { ICodeCell } from '@jupyterlab/nbformat';
import fc from 'fast-check';
import * as Y from 'yjs';

import type { IRun, RunState } from '../../base/run';
import { emptyChat, pairCell } from '../chatfile';
import { findPair, land, landedRuns, lastCell, ensurePair } from '../landing';
import { KEYS, readRunInfo, type IRunInfo } from '../metadata';
import { readReasoning } from '../reasoning';
import { outputRunId, readReply } from '../reply';
import { ordered, readRounds } from '../rounds';
import { Pair } from '../pair';

const INFO: IRunInfo = {
  state: 'sending',
  model: 'p/m',
  createdAt: 10,
  updatedAt: 10,
  runId: 'r1',
  attempt: 1,
  context: [],
  requestHash: 'h'
};

function cell(id: string, source = 'Hello?'): ICodeCell {
  return pairCell(id, source, INFO);
}

function run(change: Partial<IRun> = {}): IRun {
  return {
    id: 'r1',
    chat: 'c',
    pair: 'a',
    attempt: 1,
    provider: 'p',
    model: 'm',
    state: 'done' as RunState,
    hash: 'h',
    size: 1,
    createdAt: 10,
    updatedAt: 20,
    events: 1,
    end: null,
    continues: null,
    replaces: null,
    goesOn: null,
    automatic: false,
    pageHash: null,
    landed: false,
    dropped: false,
    cell: cell('a'),
    after: null,
    turn: {
      auto: true,
      retryAt: null,
      failures: 0,
      generation: 0,
      paused: null
    },
    ...change
  };
}

function chat(): YNotebook {
  return YNotebook.create({
    disableDocumentWideUndoRedo: true,
    data: emptyChat()
  });
}

const replies = (notebook: YNotebook, id = 'a') =>
  (findPair(notebook, id) as ISharedCodeCell)
    .getOutputs()
    .filter(output => outputRunId(output) !== null);

describe('ensurePair', () => {
  it('replaces the empty cell of an empty notebook', () => {
    const notebook = chat();
    ensurePair(notebook, cell('a'), lastCell(notebook));
    ensurePair(notebook, cell('b'), lastCell(notebook));
    expect(notebook.cells.map(item => item.getId())).toEqual(['a', 'b']);
  });

  it('replaces all of them, wherever they are', () => {
    const notebook = chat();
    notebook.insertCell(1, { cell_type: 'raw', source: 'System' });
    notebook.insertCell(2, { cell_type: 'code', source: '' });
    ensurePair(notebook, cell('a'), lastCell(notebook));
    expect(notebook.cells.map(item => item.cell_type)).toEqual(['raw', 'code']);
    expect(notebook.cells[1].getId()).toBe('a');
  });

  it('inserts a pair after the named cell, or at the end if that is gone', () => {
    const notebook = chat();
    for (const [id, after] of [
      ['a', null],
      ['c', 'a'],
      ['b', 'a'],
      ['d', 'gone']
    ] as const) {
      ensurePair(notebook, cell(id), after);
    }
    expect(notebook.cells.map(item => item.getId()).join('')).toBe('abcd');
  });

  it('never marks a cell as trusted', () => {
    const notebook = chat();
    const trusting = cell('a');
    trusting.metadata = { ...trusting.metadata, trusted: true };
    const made = ensurePair(notebook, trusting, null);
    expect(made.getMetadata('trusted')).toBeUndefined();
  });

  it('cannot be undone', () => {
    const notebook = chat();
    ensurePair(notebook, cell('a'), null);
    notebook.undo();
    expect(findPair(notebook, 'a')).not.toBeNull();
  });
});

describe('land', () => {
  it.each([true, false])('is not an undo step (undo per cell: %s)', perCell => {
    const notebook = YNotebook.create({
      disableDocumentWideUndoRedo: perCell,
      data: emptyChat()
    });
    const pair = ensurePair(notebook, cell('a'), null);
    pair.setSource('Typed');
    land(notebook, { run: run(), text: 'Paid.' });
    for (let n = 0; n < 3; n++) {
      notebook.undo();
      pair.undo();
    }
    expect(findPair(notebook, 'a')?.getSource()).not.toBe('Typed');
    expect(readReply(replies(notebook))?.text).toBe('Paid.');
    expect(readRunInfo(pair.getMetadata(KEYS.run))?.state).toBe('succeeded');
  });

  it('keeps any key that a provider adds to a call, here, elsewhere and in the file', () => {
    const key = fc.constantFrom('__proto__', '___proto__', 'toString', 'a');
    const added = fc.dictionary(key, fc.dictionary(key, fc.jsonValue()));
    fc.assert(
      fc.property(added, added, (more, inside) => {
        const notebook = chat();
        ensurePair(notebook, cell('a'), null);
        const call = JSON.parse(
          JSON.stringify({
            ...more,
            id: 'c',
            type: 'function',
            function: { ...inside, name: 'f', arguments: '{}' }
          })
        );
        const landing = { run: run(), text: '', calls: [call] };
        expect(land(notebook, landing)).toBe(true);
        expect(land(notebook, landing)).toBe(false);
        const other = new YNotebook();
        Y.applyUpdate(other.ydoc, Y.encodeStateAsUpdate(notebook.ydoc));
        const saved = JSON.parse(JSON.stringify(notebook.toJSON()));
        const opened = YNotebook.create({ data: saved });
        for (const held of [notebook, other, opened]) {
          const [round] = readRounds(findPair(held, 'a')!.getOutputs());
          expect(JSON.stringify(round.message?.tool_calls)).toBe(
            JSON.stringify([ordered(call)])
          );
        }
      })
    );
  });

  it('writes reply and state once', () => {
    const notebook = chat();
    ensurePair(notebook, cell('a'), null);
    const landing = { run: run(), text: 'Hi!', usage: { total_tokens: 3 } };
    expect(land(notebook, landing)).toBe(true);
    expect(land(notebook, landing)).toBe(false);
    const pair = findPair(notebook, 'a')!;
    expect(readReply(pair.getOutputs())).toEqual({
      text: 'Hi!',
      runId: 'r1',
      partial: false
    });
    expect(readRunInfo(pair.getMetadata(KEYS.run))).toMatchObject({
      state: 'succeeded',
      updatedAt: 20,
      usage: { total_tokens: 3 }
    });
    expect(landedRuns(notebook)).toEqual(new Set(['r1']));
  });

  it('restores a pair that was never saved, but not a deleted one', () => {
    const notebook = chat();
    expect(land(notebook, { run: run({ dropped: true }), text: 'x' })).toBe(
      false
    );
    expect(findPair(notebook, 'a')).toBeNull();
    expect(land(notebook, { run: run(), text: 'x' })).toBe(true);
    expect(findPair(notebook, 'a')!.getSource()).toBe('Hello?');
  });

  it('marks a partial reply and keeps the error', () => {
    const notebook = chat();
    const end = {
      type: 'network' as const,
      code: 'network',
      status: null,
      message: 'Cut.',
      retryAfter: null,
      finish: null
    };
    land(notebook, { run: run({ state: 'interrupted', end }), text: 'Hal' });
    const pair = findPair(notebook, 'a')!;
    expect(readReply(pair.getOutputs())!.partial).toBe(true);
    expect(readRunInfo(pair.getMetadata(KEYS.run))).toMatchObject({
      state: 'error',
      error: { code: 'network', message: 'Cut.' },
      contextSnapshot: { runId: 'r1', hash: 'h' }
    });
  });

  it('drops the context snapshot when a later attempt succeeds, and no earlier one undoes that', () => {
    const notebook = chat();
    const failed = run({ state: 'failed' });
    land(notebook, { run: failed, text: '' });
    land(notebook, { run: run({ id: 'r2', attempt: 2 }), text: 'Well.' });
    land(notebook, { run: failed, text: '' });
    const pair = findPair(notebook, 'a')!;
    const info = readRunInfo(pair.getMetadata(KEYS.run))!;
    expect(info).toMatchObject({ state: 'succeeded', runId: 'r2' });
    expect(info.contextSnapshot).toBeUndefined();
    expect(info.error).toBeUndefined();
    expect(readReply(pair.getOutputs())!.text).toBe('Well.');
  });

  it('keeps a partial reply to which further attempts add nothing', () => {
    const notebook = chat();
    land(notebook, { run: run({ state: 'interrupted' }), text: 'Half' });
    // One went on from it and brought nothing, one began anew and brought nothing.
    const next = { state: 'failed' as const, attempt: 2, continues: 'r1' };
    land(notebook, { run: run({ id: 'r2', ...next }), text: 'Half' });
    land(notebook, {
      run: run({ id: 'r3', attempt: 3, state: 'failed' }),
      text: ''
    });
    expect(replies(notebook).map(outputRunId)).toEqual(['r1']);
    expect(landedRuns(notebook)).toEqual(new Set(['r1', 'r3']));
    const whole = { id: 'r4', attempt: 4, continues: 'r2' };
    land(notebook, { run: run(whole), text: 'Half and half' });
    expect(replies(notebook).map(outputRunId)).toEqual(['r4']);
    expect(readReply(replies(notebook))!.text).toBe('Half and half');
    expect(new Pair(findPair(notebook, 'a')!).versions).toEqual([]);
  });

  it('makes a partial reply a version when an attempt starts over', () => {
    const notebook = chat();
    land(notebook, { run: run({ state: 'interrupted' }), text: 'Half' });
    const anew = { run: run({ id: 'r2', attempt: 2 }), text: 'Whole' };
    land(notebook, anew);
    land(notebook, anew);
    const pair = findPair(notebook, 'a')!;
    expect(readReply(pair.getOutputs())!.text).toBe('Whole');
    expect(new Pair(pair).versions).toMatchObject([
      { reply: 'Half', runId: 'r1', partial: true }
    ]);
    // It is there, and does not come back.
    land(notebook, { run: run({ state: 'interrupted' }), text: 'Half' });
    expect(readReply(pair.getOutputs())!.text).toBe('Whole');
    expect(new Pair(pair).versions).toHaveLength(1);
  });

  it('makes a partial reply a version once another attempt has repeated it from the start', () => {
    const notebook = chat();
    const first = { run: run({ state: 'interrupted' }), text: 'One two ' };
    land(notebook, { ...first, seams: [{ at: 4 }] });
    const pair = findPair(notebook, 'a')!;
    const shown = () => readReply(pair.getOutputs())!.text;
    const seams = () => readRunInfo(pair.getMetadata(KEYS.run))?.seams;
    // Cut before it got further: what is there stays.
    const cut = run({ id: 'r2', attempt: 2, state: 'interrupted' });
    land(notebook, { run: cut, text: 'One ' });
    expect([shown(), seams()]).toEqual(['One two ', [{ at: 4 }]]);
    expect(new Pair(pair).versions).toEqual([]);
    expect(landedRuns(notebook).has('r2')).toBe(true);
    const whole = run({ id: 'r3', attempt: 3, replaces: 'r2' });
    land(notebook, { run: whole, text: 'One two three.' });
    land(notebook, { run: whole, text: 'One two three.' });
    expect([shown(), seams()]).toEqual(['One two three.', undefined]);
    expect(new Pair(pair).versions).toMatchObject([
      { reply: 'One two ', partial: true, run: { seams: [{ at: 4 }] } }
    ]);
  });

  it('keeps what was not continued, and where a reply was joined', () => {
    const notebook = chat();
    const first = run({ state: 'interrupted' });
    const landing = {
      run: run({ id: 'r2', attempt: 2, continues: 'r1' }),
      text: 'Another beginning.',
      abandoned: { run: first, text: 'One ' }
    };
    expect(land(notebook, landing)).toBe(true);
    expect(land(notebook, landing)).toBe(false);
    const pair = findPair(notebook, 'a')!;
    expect(new Pair(pair).versions).toMatchObject([
      { reply: 'One ', partial: true }
    ]);
    const joined = { ...landing, abandoned: undefined };
    land(notebook, { ...joined, text: 'One two.', seams: [{ at: 4 }] });
    expect(pair.getMetadata(KEYS.run)).toMatchObject({ seams: [{ at: 4 }] });
  });

  it('does not change a cell with messages but no text', () => {
    const notebook = chat();
    const kept = { sha256: 'x', messages: '[]' };
    const empty = pairCell('kept', '', INFO);
    notebook.addCell({ ...empty, metadata: { [KEYS.messages]: kept } });
    ensurePair(notebook, cell('a'), null);
    expect(findPair(notebook, 'kept')?.getMetadata(KEYS.messages)).toEqual(
      kept
    );
  });

  it('keeps the text of an earlier attempt when it lands after a later one', () => {
    const notebook = chat();
    land(notebook, { run: run({ id: 'r2', attempt: 2 }), text: 'Whole' });
    const late = run({ state: 'interrupted' });
    expect(land(notebook, { run: late, text: 'Who' })).toBe(false);
    expect(land(notebook, { run: late, text: 'Other' })).toBe(true);
    expect(land(notebook, { run: late, text: 'Other' })).toBe(false);
    const pair = findPair(notebook, 'a')!;
    expect(readReply(pair.getOutputs())!.text).toBe('Whole');
    expect(new Pair(pair).versions).toMatchObject([
      { reply: 'Other', partial: true }
    ]);
    const whole = run({ id: 'r0' });
    land(notebook, { run: whole, text: 'A whole one' });
    expect(new Pair(pair).versions[1]).toMatchObject({ reply: 'A whole one' });
    expect(new Pair(pair).versions[1].partial).toBeUndefined();
  });

  it('produces updates hardly larger than the text', () => {
    const notebook = chat();
    ensurePair(notebook, cell('a'), null);
    let bytes = 0;
    notebook.ydoc.on('update', (update: Uint8Array) => {
      bytes += update.length;
    });
    const text = 'word '.repeat(2000);
    land(notebook, { run: run({ hash: 'f'.repeat(64) }), text });
    expect(bytes).toBeGreaterThan(text.length);
    expect(bytes).toBeLessThanOrEqual(1.1 * text.length);
  });

  it('removes trust from the cell it lands in', () => {
    const notebook = chat();
    const pair = ensurePair(notebook, cell('a'), null);
    pair.setMetadata('trusted', true);
    land(notebook, { run: run(), text: '<script>' });
    expect(pair.getMetadata('trusted')).toBeUndefined();
  });

  it('leaves outputs of others alone', () => {
    const notebook = chat();
    const pair = ensurePair(notebook, cell('a'), null);
    const foreign = { output_type: 'stream', name: 'stdout', text: 'x' };
    pair.setOutputs([foreign]);
    land(notebook, { run: run(), text: 'Hi' });
    expect(pair.getOutputs()).toHaveLength(2);
    expect(pair.getOutputs()[0]).toMatchObject(foreign);
  });

  it('converges: any number of browsers landing at once leave one reply', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 4 }),
        fc.boolean(),
        fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 20 }),
        (count, saved, meetings) => {
          const first = chat();
          if (saved) {
            ensurePair(first, cell('a'), null);
          }
          const peers = [first];
          while (peers.length < count) {
            const peer = new YNotebook({ disableDocumentWideUndoRedo: true });
            Y.applyUpdate(peer.ydoc, Y.encodeStateAsUpdate(first.ydoc));
            peers.push(peer);
          }
          const landing = { run: run(), text: 'Hi!' };
          peers.forEach(peer => land(peer, landing));
          const meet = (from: number, to: number) => {
            const [a, b] = [peers[from % count], peers[to % count]];
            Y.applyUpdate(a.ydoc, Y.encodeStateAsUpdate(b.ydoc));
            land(a, landing);
          };
          meetings.forEach(([from, to]) => meet(from, to));
          // Two rounds in which everybody hears everybody.
          for (let round = 0; round < 2; round++) {
            for (let from = 0; from < count; from++) {
              for (let to = 0; to < count; to++) {
                meet(from, to);
              }
            }
          }
          for (const peer of peers) {
            expect(peer.cells.map(item => item.getId())).toEqual(['a']);
            expect(replies(peer)).toHaveLength(1);
            expect(peer.toJSON()).toEqual(peers[0].toJSON());
          }
        }
      ),
      { numRuns: 60 }
    );
  });
});

describe('land with reasoning', () => {
  const THOUGHT = {
    field: 'reasoning_content',
    value: 'Hm.',
    seconds: 2
  } as const;
  const kinds = (notebook: YNotebook) =>
    replies(notebook).map(
      output =>
        readReasoning(output)?.value ?? readReply([output])?.text ?? 'round'
    );

  it('writes it before the reply, once, however often and by how many pages', () => {
    const notebook = chat();
    const landing = { run: run(), text: 'Four.', reasoning: [THOUGHT] };
    expect(land(notebook, landing)).toBe(true);
    expect(land(notebook, landing)).toBe(false);
    // Another page that did not see when it began.
    const { seconds: _, ...other } = THOUGHT;
    expect(land(notebook, { ...landing, reasoning: [other] })).toBe(false);
    expect(kinds(notebook)).toEqual(['Hm.', 'Four.']);
    const twin = YNotebook.create({ data: notebook.toJSON() as any });
    const pair = new Pair(findPair(twin, 'a')!);
    pair.changeParts([], pair.parts);
    expect(land(twin, landing)).toBe(true);
    expect(kinds(twin)).toEqual(['Hm.', 'Four.']);
  });

  it('keeps it with the calls that followed it when the turn continues', () => {
    const notebook = chat();
    const call = {
      id: 'c',
      type: 'function',
      function: { name: 'f', arguments: '' }
    };
    land(notebook, {
      run: run(),
      text: '',
      calls: [call],
      reasoning: [THOUGHT]
    });
    const again = { ...THOUGHT, value: 'So.' };
    land(notebook, {
      run: run({ id: 'r2', attempt: 2 }),
      text: 'Four.',
      reasoning: [again]
    });
    expect(kinds(notebook)).toEqual(['Hm.', 'round', 'So.', 'Four.']);
    expect(Pair.find(notebook, 'a')?.versions).toEqual([]);
  });

  it('keeps a thought that broke off as a version of the reply that started over', () => {
    const notebook = chat();
    const broken = run({ state: 'interrupted' });
    land(notebook, { run: broken, text: '', reasoning: [THOUGHT] });
    expect(kinds(notebook)).toEqual(['Hm.']);
    const second = run({ id: 'r2', attempt: 2, replaces: 'r1' });
    const again = { ...THOUGHT, value: 'Once more.' };
    land(notebook, { run: second, text: 'Four.', reasoning: [again] });
    expect(kinds(notebook)).toEqual(['Once more.', 'Four.']);
    const [version] = Pair.find(notebook, 'a')!.versions;
    expect(version).toMatchObject({ reply: '', runId: 'r1' });
    expect(version.tools?.map(output => readReasoning(output)?.value)).toEqual([
      'Hm.'
    ]);
    expect(
      land(notebook, { run: broken, text: '', reasoning: [THOUGHT] })
    ).toBe(false);
  });

  it('keeps a longer partial reply, and what the next attempt thought as a version', () => {
    const notebook = chat();
    const first = run({ state: 'interrupted' });
    land(notebook, { run: first, text: 'It is f', reasoning: [THOUGHT] });
    const again = { ...THOUGHT, value: 'Once more.' };
    const second = run({ id: 'r2', attempt: 2, state: 'interrupted' });
    const landing = { run: second, text: '', reasoning: [again] };
    land(notebook, landing);
    land(notebook, landing);
    expect(kinds(notebook)).toEqual(['Hm.', 'It is f']);
    const { versions } = Pair.find(notebook, 'a')!;
    expect(versions.map(({ runId }) => runId)).toEqual(['r2']);
  });
});
