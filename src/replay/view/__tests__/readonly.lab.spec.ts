import fc from 'fast-check';

import { ReplayDrive, replayKeyOf, replayPath } from '../../model/drive';
import { project, recordNotebook } from '../../model/projection';
import { ReplayModel } from '../readonly';
import { built, edited, section } from '../../__tests__/requests';

const replay = built(
  edited([
    section({ role: 'system', content: 'Be brief.' }),
    section({ role: 'user', content: 'one' }),
    section({ role: 'assistant', content: 'two' })
  ])
);
const { record } = replay;

describe('the model of a replay', () => {
  it('shows what it is given, and is never dirty', () => {
    const model = new ReplayModel();
    model.show(project(record));
    expect(model.sharedModel.cells.map(cell => cell.getSource())).toEqual([
      'Be brief.',
      'one'
    ]);
    expect(model.dirty).toBe(false);
    expect(model.readOnly).toBe(true);
    model.show([]);
    expect(model.sharedModel.cells).toHaveLength(0);
  });

  it('replaces any cells by any others, and leaves equal ones in place', () => {
    const cells = fc
      .array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 })
      .map(texts =>
        texts.map((source, n) => ({
          cell_type: 'raw' as const,
          id: `replay-${n}`,
          metadata: {},
          source
        }))
      );
    fc.assert(
      fc.property(fc.array(cells, { minLength: 2, maxLength: 4 }), lists => {
        const model = new ReplayModel();
        for (const list of lists) {
          model.show(list);
          expect(model.sharedModel.cells.map(cell => cell.toJSON())).toEqual(
            list
          );
        }
        model.dispose();
      }),
      { numRuns: 15 }
    );
    const model = new ReplayModel();
    const three = project(record, 3);
    model.show(project(record, 2));
    const [system, pair] = model.sharedModel.cells;
    model.show(three);
    expect(model.sharedModel.cells[0]).toBe(system);
    expect(model.sharedModel.cells[1]).not.toBe(pair);
  });

  it('accepts no changes from elsewhere', () => {
    const model = new ReplayModel();
    model.show(project(record));
    const before = JSON.stringify(model.sharedModel.toJSON());
    const { sharedModel } = model;
    sharedModel.insertCell(0, { cell_type: 'code', source: 'x' });
    sharedModel.insertCells(0, [{ cell_type: 'code', source: 'x' }]);
    sharedModel.addCell({ cell_type: 'code', source: 'x' });
    sharedModel.deleteCell(0);
    sharedModel.deleteCellRange(0, 2);
    sharedModel.moveCell(0, 1);
    sharedModel.setMetadata('a', 1);
    sharedModel.updateMetadata({ b: 1 });
    sharedModel.undo();
    sharedModel.redo();
    model.dirty = true;
    model.readOnly = false;
    expect(JSON.stringify(sharedModel.toJSON())).toBe(before);
    expect(model.dirty).toBe(false);
    expect(model.readOnly).toBe(true);
  });

  it('keeps a file’s content separate from what is shown', () => {
    const model = new ReplayModel();
    const file = recordNotebook(replay);
    model.fromJSON(file);
    expect(model.file).toBe(file);
    expect(model.sharedModel.cells).toHaveLength(0);
  });
});

describe('the replay drive', () => {
  it('returns a notebook for every path, and never writes', async () => {
    const drive = new ReplayDrive();
    const model = await drive.get('chat/pair.replay.ipynb');
    expect(model).toMatchObject({ type: 'notebook', writable: false });
    expect(model.content.cells).toEqual([]);
    expect((await drive.get('')).type).toBe('directory');
    for (const write of [
      () => drive.save(),
      () => drive.rename(),
      () => drive.delete(),
      () => drive.newUntitled(),
      () => drive.copy(),
      () => drive.createCheckpoint()
    ]) {
      await expect(write()).rejects.toThrow('read-only');
    }
  });

  it('recognises its paths', () => {
    expect(replayKeyOf(replayPath('a/b'))).toBe('a/b');
    expect(replayKeyOf('replay:a/b.replay.ipynb')).toBe('a/b');
    expect(replayPath('a/b')).toMatch(/\/Replay\.replay\.ipynb$/);
    expect(replayKeyOf('a/b.replay.ipynb')).toBeNull();
  });
});
