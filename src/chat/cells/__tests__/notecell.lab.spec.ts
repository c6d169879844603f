import { showCells, textCell } from '../../__tests__/shownchat';
import { NoteCell } from '../notecell';

describe('NoteCell', () => {
  it('is what shows a Markdown cell, and says what it is', () => {
    const notebook = showCells([textCell('markdown', 'A note.')]);
    const [cell] = notebook.widgets;
    expect(cell).toBeInstanceOf(NoteCell);
    expect(cell.hasClass('jp-Turnbook-note')).toBe(true);
    expect(cell.node.querySelector('.jp-InputPrompt')!.textContent).toBe(
      'note'
    );
    notebook.dispose();
  });

  it('never folds what follows its heading, whatever the file says', () => {
    const folded = { 'jp-MarkdownHeadingCollapsed': true };
    const notebook = showCells([textCell('markdown', '# One', folded)]);
    const cell = notebook.widgets[0] as NoteCell;
    expect(cell.headingCollapsed).toBe(false);
    expect((cell as any)._headingCollapsed).toBe(false);
    cell.headingCollapsed = true;
    expect(cell.headingCollapsed).toBe(false);
    notebook.dispose();
  });
});
