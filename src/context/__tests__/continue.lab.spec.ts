import { YNotebook, type ISharedCodeCell } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';

import { readCell } from '../cell';
import { cellMessages } from '../gather';
import type { IRun } from '../../base/run';
import { emptyChat, pairCell } from '../../document/chatfile';
import {
  beginContinue,
  removeRound,
  writeResults
} from '../../document/continue';
import { ensurePair, findPair, land, landedRuns } from '../../document/landing';
import { KEYS, readRunInfo, type IRunInfo } from '../../document/metadata';
import { Pair } from '../../document/pair';
import { isPartial, outputRunId, readReply } from '../../document/reply';
import { readRounds } from '../../document/rounds';
import { restoreVersion } from '../../document/versions';

const INFO: IRunInfo = {
  state: 'sending',
  model: 'p/m',
  createdAt: 10,
  updatedAt: 10,
  runId: 'r1',
  attempt: 1,
  context: [],
  requestHash: 'a'.repeat(64)
};

const call = (id: string, name = 'f') => ({
  id,
  type: 'function',
  function: { name, arguments: '{}' }
});

function chat() {
  const notebook = YNotebook.create({
    disableDocumentWideUndoRedo: true,
    data: emptyChat()
  });
  ensurePair(notebook, pairCell('a', 'Question?', INFO), null);
  const cell = findPair(notebook, 'a')!;
  const run = (n: number, change: Partial<IRun> = {}) =>
    ({
      id: `r${n}`,
      pair: 'a',
      attempt: n,
      provider: 'p',
      model: 'm',
      state: 'done',
      hash: 'a'.repeat(64),
      createdAt: 10,
      updatedAt: 20,
      end: null,
      cell: cell.toJSON(),
      after: null,
      ...change
    }) as IRun;
  return { notebook, cell, run };
}

const next = (n: number): IRunInfo => ({
  ...INFO,
  runId: `r${n}`,
  attempt: n
});

const shown = (cell: ISharedCodeCell) =>
  cell
    .getOutputs()
    .map((output: IOutput) => [
      outputRunId(output),
      readReply([output])?.text ?? readRounds([output])[0].results.length
    ]);

const contents = (cell: ISharedCodeCell) =>
  cellMessages(
    readCell({
      id: 'a',
      cell_type: 'code',
      source: cell.getSource(),
      metadata: cell.getMetadata(),
      outputs: cell.getOutputs()
    })
  ).map(({ role, content }) => [role, content]);

describe('a turn with tools', () => {
  it('is a pair of several runs: rounds with results, then the reply', () => {
    const { notebook, cell, run } = chat();
    land(notebook, { run: run(1), text: 'Look.', calls: [call('x')] });
    expect(readRunInfo(cell.getMetadata(KEYS.run))?.state).toBe('succeeded');
    beginContinue(notebook, cell, 0, next(2), new Map([[0, 'one']]));
    land(notebook, { run: run(2), text: '', calls: [call('y'), call('z')] });
    beginContinue(notebook, cell, 1, next(3), new Map([[1, 'two']]));
    land(notebook, { run: run(3), text: 'Done.' });
    expect(shown(cell)).toEqual([
      ['r1', 1],
      ['r2', 1],
      ['r3', 'Done.']
    ]);
    expect(contents(cell)).toEqual([
      ['user', 'Question?'],
      ['assistant', 'Look.'],
      ['tool', 'one'],
      ['assistant', null],
      ['tool', 'two'],
      ['assistant', 'Done.']
    ]);
    expect([...landedRuns(notebook)].sort()).toEqual(['r1', 'r2', 'r3']);
    expect(new Pair(cell).versions).toEqual([]);
  });

  it('lands each run once, whenever and however often it is reported', () => {
    const { notebook, cell, run } = chat();
    const first = { run: run(1), text: 'Look.', calls: [call('x')] };
    land(notebook, first);
    writeResults(cell, 0, new Map([[0, 'one']]));
    expect(land(notebook, first)).toBe(false);
    beginContinue(notebook, cell, 0, next(2));
    const before = JSON.stringify(cell.toJSON());
    expect(land(notebook, first)).toBe(false);
    expect(JSON.stringify(cell.toJSON())).toBe(before);
    land(notebook, { run: run(2), text: 'Done.' });
    expect(land(notebook, first)).toBe(false);
    expect(shown(cell)).toEqual([
      ['r1', 1],
      ['r2', 'Done.']
    ]);
  });

  it('keeps results in the order of the calls and changes nothing else', () => {
    const { notebook, cell, run } = chat();
    const calls = [call('x'), call('y'), call('x')];
    land(notebook, { run: run(1), text: '', calls });
    land(notebook, { run: run(1), text: '', calls });
    expect(writeResults(cell, 0, new Map([[2, 'third']]))).toBe(true);
    expect(writeResults(cell, 0, new Map([[1, 'second']]))).toBe(true);
    expect(writeResults(cell, 0, new Map([[1, 'second']]))).toBe(false);
    const ids = () =>
      readRounds(cell.getOutputs())[0].results.map(
        ({ tool_call_id: id, content }) => [id, content]
      );
    // The same id twice: the first result belongs to the first call.
    expect(ids()).toEqual([
      ['x', 'third'],
      ['y', 'second']
    ]);
    expect(writeResults(cell, 0, new Map([[1, '']]))).toBe(true);
    expect(ids()).toEqual([['x', 'third']]);
    expect(writeResults(cell, 7, new Map([[0, 'x']]))).toBe(false);
  });

  it('continues from an earlier round; what came after becomes a version', () => {
    const { notebook, cell, run } = chat();
    land(notebook, { run: run(1), text: '', calls: [call('x')] });
    beginContinue(notebook, cell, 0, next(2), new Map([[0, 'one']]));
    land(notebook, { run: run(2), text: 'First.' });
    const before = cell.getMetadata(KEYS.run);
    const takeBack = beginContinue(
      notebook,
      cell,
      0,
      next(3),
      new Map([[0, 'other']])
    );
    expect(shown(cell)).toEqual([['r1', 1]]);
    expect(new Pair(cell).versions).toHaveLength(1);
    takeBack();
    expect(shown(cell)).toEqual([
      ['r1', 1],
      ['r2', 'First.']
    ]);
    expect(new Pair(cell).versions).toEqual([]);
    expect(cell.getMetadata(KEYS.run)).toEqual(before);
    beginContinue(notebook, cell, 0, next(3), new Map([[0, 'other']]));
    land(notebook, { run: run(3), text: 'Second.' });
    expect(contents(cell).map(([, content]) => content)).toEqual([
      'Question?',
      null,
      'other',
      'Second.'
    ]);
    expect(restoreVersion(notebook, new Pair(cell), 0)).toBe(true);
    expect(contents(cell).map(([, content]) => content)).toEqual([
      'Question?',
      null,
      'one',
      'First.'
    ]);
  });

  it('is unchanged when the server refuses to continue', () => {
    const { notebook, cell, run } = chat();
    land(notebook, { run: run(1), text: '', calls: [call('x')] });
    const before = cell.getMetadata(KEYS.run);
    beginContinue(notebook, cell, 0, next(2), new Map([[0, 'one']]))();
    expect(cell.getMetadata(KEYS.run)).toEqual(before);
    expect(contents(cell).at(-1)).toEqual(['tool', 'one']);
  });

  it('keeps interrupted calls until an attempt brings others', () => {
    const { notebook, cell, run } = chat();
    const cut = run(1, { state: 'interrupted' });
    land(notebook, { run: cut, text: 'Lo', calls: [call('x')] });
    expect(cell.getOutputs().map(isPartial)).toEqual([true]);
    land(notebook, { run: run(2, { state: 'failed' }), text: '' });
    expect(shown(cell)).toEqual([['r1', 0]]);
    land(notebook, { run: run(3), text: 'Done.' });
    expect(shown(cell)).toEqual([['r3', 'Done.']]);
    expect(new Pair(cell).versions.map(({ tools }) => tools?.length)).toEqual([
      1
    ]);
  });

  it('loses a round only into a version', () => {
    const { notebook, cell, run } = chat();
    land(notebook, { run: run(1), text: '', calls: [call('x')] });
    removeRound(notebook, cell, 0);
    expect(contents(cell)).toEqual([['user', 'Question?']]);
    expect(new Pair(cell).versions.map(({ tools }) => tools?.length)).toEqual([
      1
    ]);
    expect(landedRuns(notebook).has('r1')).toBe(true);
  });
});
