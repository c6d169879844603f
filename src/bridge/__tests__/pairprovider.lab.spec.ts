import type { IChatPanel } from '../../chat/tokens';
import { frozenText } from '../../document/references';
import { OpenKernels } from '../openkernels';
import { pairProvider } from '../pairprovider';
import { ReferenceSources, type ISnapshot } from '../sources';
import { openNotebook } from './opennotebook';

describe('earlier messages', () => {
  it('are offered, the last first, and frozen with their replies', async () => {
    const panel = await openNotebook('a.chat.ipynb', [
      '# A note',
      'How much rain?',
      'And how much snow?'
    ]);
    const chat = panel as unknown as IChatPanel;
    const { cells } = panel.model!.sharedModel;
    (cells[1] as any).setOutputs([
      {
        output_type: 'display_data',
        data: { 'text/markdown': '42 mm' },
        metadata: {}
      }
    ]);
    const { signal } = new AbortController();
    const provider = pairProvider();
    const labels = async (query: string) =>
      (await provider.find(query, 6, signal, chat)).map(({ label }) => label);
    expect(await labels('')).toEqual(['And how much snow?', 'How much rain?']);
    // By the heading above them, too.
    expect(await labels('note')).toHaveLength(2);
    expect(await labels('wind')).toEqual([]);
    const [item] = await provider.find('rain', 6, signal, chat);
    const [file] = (await item.freeze()) as ISnapshot[];
    expect(file.reference).toMatchObject({
      kind: 'pair',
      path: 'a.chat.ipynb',
      cellId: 'c1',
      name: 'a.chat.ipynb · cell 2'
    });
    const text = frozenText(file.data);
    expect(text).toMatch(/User[^]*How much rain\?[^]*Assistant[^]*42 mm/);

    const sources = new ReferenceSources({
      notebooks: null,
      editors: null,
      kernels: new OpenKernels(null, null),
      reader: null as never
    });
    expect(sources.hasChanged(file, chat)).toBe(false);
    cells[1].setSource('How much hail?');
    expect(sources.hasChanged(file, chat)).toBe(true);
    panel.model!.sharedModel.deleteCell(1);
    // What is gone has not changed: the snapshot stays whole.
    expect(sources.hasChanged(file, chat)).toBe(false);
    await expect(item.freeze()).rejects.toThrow(
      'the message is not in this chat any more.'
    );
  });
});
