import { CodeCell, CodeCellModel } from '@jupyterlab/cells';
import { NBTestUtils } from '@jupyterlab/notebook/lib/testutils';

import { ignoreEditable } from '../editablesync';

describe('ignoreEditable', () => {
  it('keeps the metadata as it is when a notebook syncs the cell, as before JupyterLab 4.6', () => {
    const model = new CodeCellModel();
    class Cell extends CodeCell {}
    ignoreEditable(Cell);
    const cell = new Cell({
      model,
      rendermime: NBTestUtils.defaultRenderMime(),
      contentFactory: NBTestUtils.createBaseCellFactory()
    }).initializeState();
    cell.syncEditable = true;
    cell.readOnly = true;
    expect(cell.readOnly).toBe(true);
    expect(model.getMetadata('editable')).toBeUndefined();
    cell.dispose();
  });
});
