import { cellOf } from '../../../document/cells';
import { showCells, textCell } from '../../__tests__/shownchat';
import { SystemCell } from '../systemcell';

describe('SystemCell', () => {
  it('is what shows a raw cell, and says what it is', () => {
    const notebook = showCells([textCell('raw', 'Be brief.')]);
    const [cell] = notebook.widgets;
    expect(cell).toBeInstanceOf(SystemCell);
    expect(cell.hasClass('jp-Turnbook-system')).toBe(true);
    expect(cell.node.querySelector('.jp-InputPrompt')!.textContent).toBe(
      'system'
    );
    expect(cell.node.querySelector('.jp-Turnbook-kept')).toBeNull();
    notebook.dispose();
  });

  it('shows what is sent instead of its text, until the text is edited', () => {
    const named = { role: 'system', content: 'Be brief.', name: 'house' };
    const notebook = showCells([cellOf([named], 'named') as never]);
    const [cell] = notebook.widgets;
    const kept = () =>
      cell.node.querySelector<HTMLElement>('.jp-Turnbook-kept');
    expect(kept()!.textContent).toContain('Sent as JSON');
    cell.model.sharedModel.setSource('Be long.');
    expect(kept()!.classList).toContain('lm-mod-hidden');
    cell.model.sharedModel.setSource('Be brief.');
    expect(kept()!.classList).not.toContain('lm-mod-hidden');
    cell.model.deleteMetadata('turnbook_messages');
    expect(kept()!.classList).toContain('lm-mod-hidden');
    notebook.dispose();
  });
});
