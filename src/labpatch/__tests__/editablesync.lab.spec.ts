import { CodeCell, CodeCellModel } from '@jupyterlab/cells';
import { NBTestUtils } from '@jupyterlab/notebook/lib/testutils';

import { ignoreEditable } from '../editablesync';

describe('ignoreEditable', () => {
  it('keeps the metadata as it is when a notebook syncs the cell, as before JupyterLab 4.6', () => {
    const model = new CodeCellModel();
    const cell = new CodeCell({
      model,
      rendermime: NBTestUtils.defaultRenderMime(),
      contentFactory: NBTestUtils.createBaseCellFactory()
    }).initializeState();
    ignoreEditable(cell);
    cell.syncEditable = true;
    cell.readOnly = true;
    expect(cell.readOnly).toBe(true);
    expect(model.getMetadata('editable')).toBeUndefined();
    cell.dispose();
  });
});
