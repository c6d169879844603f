import { Widget } from '@lumino/widgets';

import { hasSelection, notebookSelection } from '../notebookparts';
import { openNotebook } from './opennotebook';

/** A notebook with a shown cell, and how to select in its editor and in its output. */
async function open() {
  const panel = await openNotebook('a.ipynb', ['print(1)']);
  Widget.attach(panel, document.body);
  panel.content.activeCellIndex = 0;
  const cell = panel.content.activeCell!;
  await cell.ready;
  const output = cell.node.appendChild(document.createElement('pre'));
  output.textContent = 'what it shows';
  const inPage = (node: Node | null) => {
    const selection = document.getSelection()!;
    selection.removeAllRanges();
    if (node) {
      selection.selectAllChildren(node);
    }
  };
  const inEditor = (from: number, to: number) =>
    cell.editor!.setSelection({
      start: { line: 0, column: from },
      end: { line: 0, column: to }
    });
  const asked = () =>
    notebookSelection(panel, 1).map(({ data }) => data.split('\n')[3]);
  return { panel, cell, output, inPage, inEditor, asked };
}

describe('what is selected in a notebook', () => {
  it('is that of the output if something in the editor is still selected', async () => {
    const { panel, cell, output, inPage, inEditor, asked } = await open();
    expect(hasSelection(panel)).toBe(false);
    inEditor(0, 5);
    expect(asked()).toEqual(['print']);
    inPage(output);
    expect(asked()).toEqual(['what it shows']);
    inPage(cell.editor!.host);
    expect(asked()).toEqual(['print']);
    inEditor(0, 0);
    expect(asked()).toEqual([]);
    inPage(output);
    expect(hasSelection(panel)).toBe(true);
    expect(asked()).toEqual(['what it shows']);
    inPage(document.body);
    expect(asked()).toEqual([]);
    panel.dispose();
  });
});
