import type { CellChange } from '@jupyter/ydoc';
import type { CodeCell, CodeCellModel } from '@jupyterlab/cells';
import type { IDisplayData, IOutput } from '@jupyterlab/nbformat';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';

/**
 * Let a cell's outputs follow changes within an output of the document. JupyterLab 4.4 to 4.6.
 *
 * JupyterLab follows outputs that are added and removed, and text that a kernel appends. When it is
 * told of a change within an output, it writes that output into the document again, as another one;
 * undo would not find the first one there. So it is not told.
 *
 * @param read - Returns the outputs in the document.
 */
export function followOutputs(cell: CodeCell, read: () => IOutput[]): void {
  const { sharedModel } = cell.model;
  update(cell.model as unknown as CodeCellModel, read());
  // The cell is the receiver, so that disposing it disconnects this.
  sharedModel.changed.connect((_, change) => {
    if (!cell.isDisposed && !isElsewhere(change)) {
      update(cell.model as unknown as CodeCellModel, read());
    }
  }, cell);
}

/** Whether a change is of what JupyterLab follows; it comes with each key and each output. */
function isElsewhere(change: CellChange): boolean {
  return ['sourceChange', 'outputsChange', 'streamOutputChange'].some(
    key => key in change
  );
}

function update(model: CodeCellModel, outputs: IOutput[]): void {
  if (outputs.length !== model.outputs.length) {
    return;
  }
  const { changed } = model.outputs;
  const { onOutputsChange } = model as unknown as {
    onOutputsChange?: (sender: unknown, change: unknown) => void;
  };
  outputs.forEach((output, place) => {
    const shown = model.outputs.get(place);
    const { data, metadata } = output as Partial<IDisplayData>;
    if (data && metadata && !JSONExt.deepEqual(shown.toJSON(), output)) {
      if (onOutputsChange) {
        changed.disconnect(onOutputsChange, model);
      }
      shown.setData({ data: data as PartialJSONObject, metadata });
      if (onOutputsChange) {
        changed.connect(onOutputsChange, model);
      }
    }
  });
}
