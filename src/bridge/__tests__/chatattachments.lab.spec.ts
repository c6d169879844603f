import type { Contents } from '@jupyterlab/services';

import type { IFileReader } from '../../chat/composer/files/serverfile';
import { ReferenceProviders } from '../../chat/composer/references/providers';
import { freezeChatAttachment } from '../chatattachments';
import { FileProvider } from '../fileprovider';
import { openNotebook } from './opennotebook';

const NOTEBOOK = {
  metadata: { language_info: { name: 'python' } },
  cells: [
    { cell_type: 'markdown', id: 'a', source: ['# Rain\n', 'text'] },
    { cell_type: 'code', id: 'b', source: 'load()' },
    { cell_type: 'raw', id: 'c', source: 'raw' },
    { cell_type: 'code', id: 'd', source: ' ' }
  ]
};

/** A server with a text file and a notebook; what it was asked to read. */
function server(kind: 'file' | 'outside' = 'file', size = 9) {
  const read: string[] = [];
  const reader: IFileReader = {
    api: { checkFile: async () => ({ kind }) },
    contents: {
      driveName: () => '',
      localPath: path => path,
      get: async (path: string, options?: Contents.IFetchOptions) => {
        if (options?.content !== false) {
          read.push(path);
        }
        return {
          name: path,
          type: 'file',
          size,
          content: options?.type === 'notebook' ? NOTEBOOK : btoa('day,mm\n1,2')
        } as Contents.IModel;
      }
    }
  };
  return { reader, read };
}

function accepting(
  reader: IFileReader,
  ...panels: Awaited<ReturnType<typeof openNotebook>>[]
) {
  const providers = new ReferenceProviders();
  const find = (is: (panel: any) => boolean) => panels.find(is);
  providers.add(
    new FileProvider(reader, described =>
      freezeChatAttachment(described, { reader, notebooks: { find } as never })
    )
  );
  return async (described: unknown) =>
    (await providers.accept(described)).map(({ data, reference }) => ({
      data,
      reference
    }));
}

describe('an attachment of Jupyter Chat', () => {
  it('is a file, or what was selected in it', async () => {
    const accept = accepting(server().reader);
    expect(
      await accept({ type: 'file', value: 'rain.csv', mimetype: 'text/csv' })
    ).toEqual([
      {
        data: 'File: rain.csv\n\n```csv\nday,mm\n1,2\n```',
        reference: expect.objectContaining({ kind: 'file', path: 'rain.csv' })
      }
    ]);
    const { reader, read } = server();
    const selection = { start: [0, 0], end: [0, 3], content: 'day' };
    expect(
      await accepting(reader)({ type: 'file', value: 'd/rain.csv', selection })
    ).toEqual([
      {
        data: 'Selection: rain.csv · selection\n\n```\nday\n```',
        reference: expect.objectContaining({ path: 'd/rain.csv' })
      }
    ]);
    expect(read).toEqual([]);
  });

  it('is cells of a notebook on the server, in their order', async () => {
    const accept = accepting(server().reader);
    const cells = [
      { id: 'b', input_type: 'code' },
      { id: 'a', input_type: 'markdown' },
      { id: 'd', input_type: 'code' },
      { id: 'c', input_type: 'raw', selection: { content: 'r' } }
    ];
    const found = await accept({ type: 'notebook', value: 'x.ipynb', cells });
    expect(found.map(({ data }) => data)).toEqual([
      'Cell: x.ipynb · cell 2\n\n```python\nload()\n```',
      'Cell: x.ipynb · cell 1\n\n```markdown\n# Rain\ntext\n```',
      'Selection: x.ipynb · selection in cell 3\n\n```\nr\n```'
    ]);
    expect(found[0].reference).toMatchObject({ cellId: 'b', path: 'x.ipynb' });
    await expect(
      accept({ type: 'notebook', value: 'x.ipynb', cells: [{ id: 'gone' }] })
    ).rejects.toThrow('x.ipynb is not attached: it has no cell gone any more.');
  });

  it('is taken from an open notebook, which may not be saved', async () => {
    const panel = await openNotebook('x.ipynb', ['one()', 'two()']);
    const { reader, read } = server();
    const accept = accepting(reader, panel);
    panel.model!.sharedModel.cells[1].setSource('two(2)');
    expect(
      await accept({
        type: 'notebook',
        value: 'x.ipynb',
        cells: [{ id: 'c1' }]
      })
    ).toMatchObject([
      { data: 'Cell: x.ipynb · cell 2\n\n```python\ntwo(2)\n```' }
    ]);
    expect(read).toEqual([]);
    panel.dispose();
  });

  it('of a closed notebook that is too large is refused before it is read', async () => {
    const { reader, read } = server('file', 100e6);
    await expect(
      accepting(reader)({
        type: 'notebook',
        value: 'x.ipynb',
        cells: [{ id: 'a' }]
      })
    ).rejects.toThrow('100 MB');
    expect(read).toEqual([]);
  });

  it('out of the server’s folder is refused', async () => {
    const { reader, read } = server('outside');
    const accept = accepting(reader);
    for (const described of [
      { type: 'file', value: '../x' },
      { type: 'notebook', value: '../x.ipynb', cells: [{ id: 'a' }] }
    ]) {
      await expect(accept(described)).rejects.toThrow('outside the folder');
    }
    expect(read).toEqual([]);
  });

  it.each([null, 1, {}, { type: 'image', value: 'x' }, { type: 'file' }])(
    'is not %j',
    async described => {
      await expect(accepting(server().reader)(described)).rejects.toThrow(
        'No reference provider knows what this is.'
      );
    }
  );
});
