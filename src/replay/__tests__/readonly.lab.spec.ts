import { ReplayDrive, replayKeyOf, replayPath } from '../drive';
import { project, viewNotebook } from '../projection';
import { ReplayModel } from '../readonly';
import { built, edited, section } from './requests';

const { record } = built(
  edited([
    section({ role: 'system', content: 'Be brief.' }),
    section({ role: 'user', content: 'one' }),
    section({ role: 'assistant', content: 'two' })
  ])
);

describe('the model of a replay', () => {
  it('shows what it is given, and is never unsaved', () => {
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

  it('takes no change by anybody else', () => {
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

  it('keeps a file’s content apart from what is shown of it', () => {
    const model = new ReplayModel();
    const file = viewNotebook(record, 30);
    model.fromJSON(file);
    expect(model.file).toBe(file);
    expect(model.sharedModel.cells).toHaveLength(0);
  });
});

describe('the replay drive', () => {
  it('answers every path with a notebook, and never writes', async () => {
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

  it('knows its paths', () => {
    expect(replayKeyOf(replayPath('a/b'))).toBe('a/b');
    expect(replayKeyOf('a/b.replay.ipynb')).toBeNull();
  });
});
