import type { CellChange, ISharedCodeCell } from '@jupyter/ydoc';
import type { CodeCell, CodeCellModel } from '@jupyterlab/cells';
import type { IDisplayData } from '@jupyterlab/nbformat';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';

/**
 * Let a cell's outputs follow changes within an output of the document. JupyterLab 4.4 to 4.6.
 *
 * JupyterLab follows outputs that are added and removed, and text that a kernel appends. When it is
 * told of a change within an output, it writes that output into the document again, as another one;
 * undo would not find the first one there. So it is not told.
 */
export function followOutputs(cell: CodeCell): void {
  cell.model.sharedModel.changed.connect(onChanged, cell);
}

function onChanged(
  this: CodeCell,
  shared: ISharedCodeCell,
  change: CellChange
): void {
  // These come for each key and each output, and change nothing within one.
  if (
    this.isDisposed ||
    'sourceChange' in change ||
    'outputsChange' in change ||
    'streamOutputChange' in change
  ) {
    return;
  }
  const model = this.model as unknown as CodeCellModel;
  const outputs = shared.getOutputs();
  if (outputs.length !== model.outputs.length) {
    return;
  }
  const { onOutputsChange } = model as unknown as {
    onOutputsChange?: () => void;
  };
  outputs.forEach((output, place) => {
    const shown = model.outputs.get(place);
    const { data, metadata } = output as IDisplayData;
    const now = shown.toJSON() as PartialJSONObject;
    if (data && metadata && !JSONExt.deepEqual(now, output)) {
      if (onOutputsChange) {
        model.outputs.changed.disconnect(onOutputsChange, model);
      }
      shown.setData({ data, metadata } as PartialJSONObject);
      if (onOutputsChange) {
        model.outputs.changed.connect(onOutputsChange, model);
      }
    }
  });
}
