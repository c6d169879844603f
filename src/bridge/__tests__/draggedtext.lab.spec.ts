import { Widget } from '@lumino/widgets';

import type { ChatPanel } from '../../chat/panel';
import type { IAttachment } from '../../document/attachments';
import { DraggedText } from '../draggedtext';
import { openNotebook } from './opennotebook';

/** A notebook with two cells that show something, and what is attached if something is dragged to a chat. */
async function open() {
  const panel = await openNotebook('a.ipynb', ['print(1)', '# Head']);
  Widget.attach(panel, document.body);
  const cells = panel.content.widgets;
  const shown = await Promise.all(
    cells.map(async (cell, n) => {
      await cell.ready;
      const node = cell.node.appendChild(document.createElement('pre'));
      node.innerHTML = `shown ${n} <img>`;
      return node;
    })
  );
  const node = document.body.appendChild(document.createElement('div'));
  const attached: IAttachment[] = [];
  new DraggedText({
    notebooks: { find: test => [panel].find(test) },
    editors: null
  }).accept({
    composer: { node },
    node,
    attach: (files: IAttachment[]) => attached.push(...files)
  } as unknown as ChatPanel);
  const select = (from: Node, to: Node) =>
    document
      .getSelection()!
      .setBaseAndExtent(from, 0, to, to.childNodes.length);
  const event = (type: string) =>
    new Event(type, { bubbles: true, cancelable: true });
  /** Drag something to the chat; returns what it became, or null if the browser inserts it. */
  const drag = (source: Node) => {
    attached.length = 0;
    source.dispatchEvent(event('dragstart'));
    const isTaken = !node.dispatchEvent(event('drop'));
    source.dispatchEvent(event('dragend'));
    return isTaken ? attached.map(({ name, data }) => [name, data]) : null;
  };
  return { cells, shown, select, drag };
}

describe('text that is dragged to a chat', () => {
  it('is a selection if one cell shows it, and else stays plain', async () => {
    const { cells, shown, select, drag } = await open();
    const [output, head] = shown;
    // Another cell, and its own editor, keep what was selected in them.
    cells[0].editor!.setSelection({
      start: { line: 0, column: 0 },
      end: { line: 0, column: 5 }
    });
    select(output, output);
    const name = 'a.ipynb · selection in cell 1';
    expect(drag(output.firstChild!)).toEqual([
      [name, `Selection: ${name}\n\n\`\`\`\nshown 0 \n\`\`\``]
    ]);
    select(head, head);
    expect(drag(head.firstChild!)).toEqual([
      [expect.stringContaining('cell 2'), expect.stringContaining('shown 1')]
    ]);
    // An image, over several cells, and nothing.
    expect(drag(head.lastChild!)).toBe(null);
    select(output, head);
    expect(drag(output.firstChild!)).toBe(null);
    document.getSelection()!.removeAllRanges();
    expect(drag(output.firstChild!)).toBe(null);
  });
});
