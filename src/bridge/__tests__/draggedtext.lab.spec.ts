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
  const event = (type: string, types: string[] = ['text/plain']) =>
    Object.assign(new Event(type, { bubbles: true, cancelable: true }), {
      dataTransfer: { types }
    });
  /** Drop something on the chat; returns what is attached then, or null if others handle it. */
  const drop = (...types: string[]) => {
    attached.length = 0;
    const isTaken = !node.dispatchEvent(event('drop', types));
    return isTaken ? attached.map(({ name, data }) => [name, data]) : null;
  };
  /** Drag something to the chat; returns what it became, or null if the browser inserts it. */
  const drag = (source: Node) => {
    source.dispatchEvent(event('dragstart'));
    const dropped = drop('text/plain');
    source.dispatchEvent(event('dragend'));
    return dropped;
  };
  /** Drag text of an output, which is replaced meanwhile. */
  const dragReplaced = (output: HTMLElement) => {
    select(output, output);
    output.firstChild!.dispatchEvent(event('dragstart'));
    output.replaceChildren('shown since');
  };
  const dropElsewhere = () => document.body.dispatchEvent(event('drop'));
  return { cells, shown, select, drag, dragReplaced, drop, dropElsewhere };
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

  it('is forgotten when it was dropped, and is no file, although what was dragged is gone', async () => {
    const { shown, dragReplaced, drop, dropElsewhere } = await open();
    const [output, head] = shown;
    dragReplaced(output);
    expect(drop('Files')).toBe(null);
    expect(drop('text/plain')).toBe(null);
    dragReplaced(output);
    expect(drop('text/plain')).toHaveLength(1);
    expect(drop('text/plain')).toBe(null);
    dragReplaced(head);
    dropElsewhere();
    expect(drop('text/plain')).toBe(null);
  });
});
