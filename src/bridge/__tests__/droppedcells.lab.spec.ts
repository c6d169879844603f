import type { ISharedCodeCell } from '@jupyter/ydoc';

import { ChatPanel } from '../../chat/panel';
import { frozenText } from '../../document/references';
import { droppedAttachments } from '../droppedcells';
import { openNotebook } from './opennotebook';

describe('dropped cells', () => {
  it('are frozen as cells, and the pairs of any chat with their replies', async () => {
    const notebook = await openNotebook('a.ipynb', ['x = 1']);
    const other = await openNotebook('b.chat.ipynb', ['Why?', '# A note']);
    // What a chat has besides, dropping does not ask for.
    Object.setPrototypeOf(other, ChatPanel.prototype);
    const [pair] = other.model!.sharedModel.cells as ISharedCodeCell[];
    pair.setOutputs([
      {
        output_type: 'display_data',
        data: { 'text/markdown': 'Because.' },
        metadata: {}
      }
    ]);
    const found = droppedAttachments([
      ...notebook.content.widgets,
      ...other.content.widgets,
      'no cell'
    ]);
    expect(found.map(({ reference }) => reference)).toMatchObject([
      { kind: 'cell', path: 'a.ipynb' },
      { kind: 'pair', path: 'b.chat.ipynb', cellId: 'c0' },
      { kind: 'cell', path: 'b.chat.ipynb', cellId: 'c1' }
    ]);
    expect(frozenText(found[1].data)).toMatch(/Why\?[^]*Because\./);
    expect(droppedAttachments(null)).toEqual([]);
  });
});
