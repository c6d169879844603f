import type { ISharedCodeCell } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';

import {
  freezeFile,
  type IFileReader
} from '../../chat/composer/files/serverfile';
import { frozenReplies } from '../../chat/siblings';
import type { IChatPanel } from '../../chat/tokens';
import { editReply } from '../../document/editedreply';
import { Pair } from '../../document/pair';
import {
  frozenText,
  referenceAttachment,
  withFolder
} from '../../document/references';
import { replyOutput } from '../../document/reply';
import { cutMiddle } from '../cuttext';
import {
  cellAttachments,
  cellOutputAttachments,
  errorAttachments
} from '../notebookparts';
import type { IOpenKernel } from '../openkernels';
import { ReferenceSources, type ISnapshot } from '../sources';
import { openNotebook } from './opennotebook';

/** A server whose files have their paths as texts. */
const reader: IFileReader = {
  api: { checkFile: async () => ({ kind: 'file' }) },
  contents: {
    driveName: () => '',
    localPath: path => path,
    get: async path =>
      ({ name: path, type: 'file', size: 9, content: btoa(path) }) as never
  }
};

const sourcesOf = (...panels: NotebookPanel[]) =>
  new ReferenceSources({
    notebooks: { find: test => panels.find(test) },
    editors: null,
    kernels: { find: () => null },
    reader
  });

const ERROR = {
  output_type: 'error',
  ename: 'E',
  evalue: 'no',
  traceback: ['E: no']
};

describe('the source of a reference', () => {
  const chat = { context: { path: 'c.chat.ipynb' } } as IChatPanel;

  it('has changed if the error, the output or the text is gone, and is unknown if the cell is', async () => {
    const panel = await openNotebook('a.ipynb', ['print(1)', 'x']);
    const [cell, other] = panel.content.widgets;
    const shared = cell.model.sharedModel as ISharedCodeCell;
    shared.setOutputs([ERROR]);
    const sources = sourcesOf(panel);
    const freeze = [cellAttachments, cellOutputAttachments, errorAttachments];
    const frozen = freeze.map(read => read(panel, [cell], 1)[0] as ISnapshot);
    const changed = () => frozen.map(one => sources.hasChanged(one, chat));
    expect(changed()).toEqual([false, false, false]);
    // Mended and run again.
    shared.setOutputs([
      { output_type: 'stream', name: 'stdout', text: 'fine' }
    ]);
    expect(changed()).toEqual([false, true, true]);
    expect(sources.current(frozen[2], chat)).toBe('gone');
    shared.setOutputs([]);
    expect(sources.current(frozen[1], chat)).toBe('gone');
    shared.setSource('');
    expect(changed()).toEqual([true, true, true]);
    const [moved] = cellAttachments(panel, [other], 1) as ISnapshot[];
    panel.model!.sharedModel.deleteCell(1);
    expect(sources.current(moved, chat)).toBeNull();
    expect(sources.hasChanged(moved, chat)).toBe(false);
  });

  it('has changed if selected text is not in it any more, as far as an editor tells', async () => {
    const panel = await openNotebook('a.ipynb', ['x = 1\ny = 2', '# Head']);
    const file = { getSource: () => text };
    let text = 'one\ntwo\n';
    const sources = new ReferenceSources({
      notebooks: { find: test => [panel].find(test) },
      editors: {
        find: (test: (one: never) => boolean) =>
          [
            {
              context: { path: 'd/a.txt' },
              content: { model: { sharedModel: file } }
            } as never
          ].find(test)
      },
      kernels: { find: () => null },
      reader: null as never
    });
    const selection = (selected: string, more: object) =>
      referenceAttachment(
        { kind: 'selection', path: 'a.ipynb', name: 'x', at: 1, ...more },
        cutMiddle(selected, 400)
      );
    const edited = selection('y = 2', { cellId: 'c0', language: 'python' });
    const shown = selection('Head', { cellId: 'c1' });
    const inFile = selection('two', { path: 'd/a.txt' });
    const closed = selection('two', { path: 'd/b.txt' });
    const all = [edited, shown, inFile, closed];
    const now = () => all.map(one => sources.current(one, chat));
    expect(now()).toEqual([edited, null, inFile, null]);
    panel.model!.sharedModel.cells[0].setSource('x = 1\nz = 2');
    text = 'one\n';
    expect(now()).toEqual(['gone', null, 'gone', null]);
    expect(all.map(one => sources.hasChanged(one, chat))).toEqual([
      true,
      false,
      true,
      false
    ]);
    text = Array.from({ length: 999 }, (_, n) => `line ${n}\n`).join('');
    const long = selection(text, { path: 'd/a.txt' });
    expect(long.data).toContain('characters left out');
    expect(sources.current(long, chat)).toBe(long);
    text = text.replace('line 998', 'line');
    expect(sources.current(long, chat)).toBe('gone');
  });

  it('is found after its notebook or folder was renamed, also if another has the name since', async () => {
    const before = await openNotebook('work/a.ipynb', ['x = 1']);
    const [snapshot] = cellAttachments(
      before,
      before.content.widgets,
      1
    ) as ISnapshot[];
    const after = await openNotebook('done/b.ipynb', ['x = 2']);
    const sources = sourcesOf(after);
    expect(sources.hasChanged(snapshot, chat)).toBe(false);
    sources.rename('work/a.ipynb', 'work/b.ipynb');
    sources.rename('work', 'done');
    expect(sources.hasChanged(snapshot, chat)).toBe(true);
    const both = sourcesOf(after, before);
    both.rename('work/a.ipynb', 'done/b.ipynb', 2);
    expect(both.hasChanged(snapshot, chat)).toBe(true);
    const later = { ...snapshot.reference, at: 3 };
    expect(both.cell(later)?.panel).toBe(before);
    expect(both.hasChanged({ ...snapshot, reference: later }, chat)).toBe(
      false
    );
  });

  it('is never another notebook or file that had the path before or has it since', () => {
    const open = new Set<string>();
    const editors = () =>
      [...open].map(path => ({
        context: { path },
        content: { model: { sharedModel: { getSource: () => path } } }
      }));
    const sources = new ReferenceSources({
      notebooks: null,
      editors: { find: test => editors().find(test as never) as never },
      kernels: {
        find: path => (open.has(path) ? ({} as IOpenKernel) : null)
      },
      reader
    });
    const of = (kind: 'variable' | 'selection', at: number) =>
      referenceAttachment({ kind, path: 'a', name: 'a · x', at }, 'x');
    sources.rename('a', 'b', 2_000);
    const known = (at: number) => [
      sources.canRead(of('variable', at)),
      sources.hasChanged(of('selection', at), chat)
    ];
    // The one that was frozen before the rename is b, the other one is the a that was made since.
    open.add('b');
    expect([known(1_000), known(3_000)]).toEqual([
      [true, true],
      [false, false]
    ]);
    open.clear();
    open.add('a');
    expect([known(1_000), known(3_000)]).toEqual([
      [false, false],
      [true, true]
    ]);
  });

  it('keeps the folder in its name, which tells it from one that is called like it', async () => {
    const panel = await openNotebook('work/a.ipynb', ['x = 1']);
    const sources = sourcesOf(panel);
    const [plain] = cellAttachments(panel, panel.content.widgets, 1);
    const { file } = await freezeFile('a.csv', reader, 1_000);
    const twins = [plain, file].map(one => withFolder(one) as ISnapshot);
    panel.model!.sharedModel.cells[0].setSource('x = 2');
    expect(sources.current(plain as ISnapshot, chat)).toMatchObject({
      name: 'a.ipynb · cell 1'
    });
    expect(sources.current(twins[0], chat)).toMatchObject({
      name: 'work/a.ipynb · cell 1',
      data: expect.stringContaining('Cell: work/a.ipynb · cell 1\n')
    });
    expect((await sources.read(file as ISnapshot)).name).toBe('a.csv');
    expect((await sources.read(twins[1])).name).toBe('./a.csv');
    // As it is called where it is now.
    const moved = sourcesOf(await openNotebook('done/b.ipynb', ['x = 2']));
    moved.rename('work/a.ipynb', 'done/b.ipynb');
    expect(moved.current(twins[0], chat)).toMatchObject({
      name: 'done/b.ipynb · cell 1'
    });
  });

  it('is read from the path that its file has now', async () => {
    const sources = sourcesOf();
    const { file } = await freezeFile('work/a.csv', reader, 1_000);
    const { file: later } = await freezeFile('work/a.csv', reader, 3_000);
    sources.rename('work', 'done', 2_000);
    const paths = await Promise.all(
      [file, later].map(async one =>
        frozenText((await sources.read(one as ISnapshot)).data)
      )
    );
    expect(paths).toEqual(['done/a.csv', 'work/a.csv']);
  });

  it('is one of several replies, and not the others', async () => {
    const panel = await openNotebook('a.chat.ipynb', ['Which?']);
    const notebook = panel.model!.sharedModel;
    const pair = Pair.find(notebook, 'c0')!;
    const group = '11111111-2222-4333-8444-555555555555';
    const info = (sibling: number) => ({
      state: 'succeeded' as const,
      model: `p/m${sibling}`,
      createdAt: 1,
      updatedAt: 1,
      runId: `run-${sibling}`,
      attempt: 1,
      context: [],
      requestHash: '',
      group,
      sibling
    });
    const { createdAt, context, attempt, state } = info(0);
    pair.setRun(info(1));
    pair.setVersions([
      {
        source: 'Which?',
        reply: 'The first.',
        model: 'p/m0',
        requestHash: '',
        at: 1,
        runId: 'run-0',
        run: { createdAt, context, attempt, state },
        group,
        sibling: 0
      }
    ]);
    pair.changeParts(
      [],
      [replyOutput({ text: 'The second.', runId: 'run-1', partial: false })]
    );
    const self = panel as unknown as IChatPanel;
    const replies = frozenReplies(self, 'c0');
    expect(replies.map(({ reference }) => reference.sibling)).toEqual([0, 1]);
    const sources = sourcesOf();
    const changed = () => replies.map(one => sources.hasChanged(one, self));
    expect(changed()).toEqual([false, false]);
    expect(editReply(notebook, pair, 'Another second.')).toBe(true);
    expect(changed()).toEqual([false, true]);
    expect(sources.current(replies[1], self)).toMatchObject({
      data: expect.stringContaining('```markdown\nAnother second.\n```')
    });
    // One that was not asked for with these is no source.
    pair.setRun({ ...info(1), group: 'other' });
    expect(sources.current(replies[0], self)).toBeNull();
  });
});
