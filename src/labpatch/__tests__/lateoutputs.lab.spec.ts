import { CodeCell, CodeCellModel } from '@jupyterlab/cells';
import { NBTestUtils } from '@jupyterlab/notebook/lib/testutils';

import { learnFrom, showOutputs, withoutOutputs } from '../lateoutputs';

const output = (text: string) => ({
  output_type: 'display_data',
  data: { 'text/plain': text },
  metadata: {}
});

function options(...texts: string[]): CodeCell.IOptions {
  const model = new CodeCellModel();
  model.sharedModel.setOutputs(texts.map(output));
  return {
    model,
    rendermime: NBTestUtils.defaultRenderMime(),
    contentFactory: NBTestUtils.createBaseCellFactory()
  };
}

const overlays = ({ outputArea }: CodeCell) =>
  outputArea.node.querySelectorAll('.jp-OutputArea-promptOverlay').length;

describe('withoutOutputs', () => {
  beforeAll(() => {
    const first = new CodeCell(withoutOutputs(options('first')));
    // Nothing is known before the first cell, so it has its outputs.
    expect(first.outputArea.widgets).toHaveLength(1);
    learnFrom(first);
    first.dispose();
  });

  it('creates outputs when they are asked for, and follows them from then on', () => {
    const cell = new CodeCell(withoutOutputs(options('one', 'two')));
    const { outputArea, model } = cell;
    expect(outputArea.widgets).toHaveLength(0);
    model.sharedModel.setOutputs([output('other')]);
    expect(outputArea.widgets).toHaveLength(0);
    showOutputs(cell);
    expect(outputArea.widgets).toHaveLength(1);
    model.outputs.add(output('added'));
    expect(outputArea.widgets).toHaveLength(2);
    model.outputs.clear();
    expect(outputArea.widgets).toHaveLength(0);
    showOutputs(cell);
    expect(outputArea.widgets).toHaveLength(0);
    expect(overlays(cell)).toBe(0);
    cell.dispose();
  });

  it('works for a cell without outputs', () => {
    const cell = new CodeCell(withoutOutputs(options()));
    showOutputs(cell);
    cell.model.outputs.add(output('added'));
    expect(cell.outputArea.widgets).toHaveLength(1);
    cell.dispose();
  });

  it('leaves the cells of plain notebooks as they are', () => {
    const cell = new CodeCell(options('one'));
    expect(cell.outputArea.widgets).toHaveLength(1);
    expect(overlays(cell)).toBe(1);
    cell.dispose();
  });
});
