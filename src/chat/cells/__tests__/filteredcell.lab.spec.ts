import { Widget } from '@lumino/widgets';

import { savedPair } from '../../../session/__tests__/sessionparts';
import {
  attach,
  loadCells,
  showCells,
  textCell
} from '../../__tests__/shownchat';
import { isDrawn, setFiltered } from '../../notebook/sight';

/** How a plain notebook says that the input of a cell is folded. */
const FOLDED = { jupyter: { source_hidden: true }, collapsed: true };

const pair = savedPair('pair', 'hello', 'hi');

describe.each([
  [
    'a pair',
    { ...pair, metadata: { ...(pair.metadata as object), ...FOLDED } }
  ],
  ['a system message', textCell('raw', 'Be brief.', FOLDED)],
  ['a note', textCell('markdown', '# Heading', FOLDED)]
])('%s', (_, json) => {
  it('is hidden by the filter, before and after it is drawn', () => {
    const notebook = loadCells([json]);
    const [cell] = notebook.widgets;
    expect(cell.isHidden).toBe(false);
    setFiltered(cell, true);
    expect(cell.isHidden).toBe(true);
    // JupyterLab draws placeholders, and this one must wait.
    expect(cell.isPlaceholder()).toBe(false);
    attach(notebook);
    expect(isDrawn(cell)).toBe(false);

    setFiltered(cell, false);
    expect(cell.isPlaceholder()).toBe(true);
    notebook.draw(cell);
    expect(isDrawn(cell)).toBe(true);
    expect(cell.hasClass('jp-mod-filtered')).toBe(false);
    setFiltered(cell, true);
    expect(cell.isHidden).toBe(true);
    expect(cell.hasClass('jp-mod-filtered')).toBe(true);
    notebook.dispose();
  });

  it('is hidden by nothing else', () => {
    const notebook = showCells([json]);
    const [cell] = notebook.widgets;
    cell.inputHidden = true;
    cell.hide();
    expect(cell.inputHidden).toBe(false);
    expect(cell.isHidden).toBe(false);
    expect(cell.node.querySelector('.jp-Placeholder')).toBeNull();
    notebook.dispose();
  });

  it('has the class of what is hidden from the moment in which it is drawn', () => {
    const notebook = loadCells([json]);
    const [cell] = notebook.widgets;
    setFiltered(cell, true);
    Widget.attach(cell, document.body);
    expect(isDrawn(cell)).toBe(true);
    expect(cell.hasClass('jp-mod-filtered')).toBe(true);
    Widget.detach(cell);
    notebook.dispose();
  });
});
