import { MarkdownCell, MarkdownCellModel } from '@jupyterlab/cells';
import { NBTestUtils } from '@jupyterlab/notebook/lib/testutils';

import { ignoreCollapsedHeading } from '../collapsedheading';

function folded(): MarkdownCell {
  const model = new MarkdownCellModel();
  model.sharedModel.setSource('# Heading');
  model.setMetadata('jp-MarkdownHeadingCollapsed', true);
  return new MarkdownCell({
    model,
    rendermime: NBTestUtils.defaultRenderMime(),
    contentFactory: NBTestUtils.createBaseCellFactory()
  });
}

describe('ignoreCollapsedHeading', () => {
  it('resets what JupyterLab has read, and leaves the file alone', () => {
    const cell = folded();
    expect(cell.headingCollapsed).toBe(true);
    ignoreCollapsedHeading(cell);
    expect(cell.headingCollapsed).toBe(false);
    expect(cell.model.getMetadata('jp-MarkdownHeadingCollapsed')).toBe(true);
    cell.dispose();
  });
});
