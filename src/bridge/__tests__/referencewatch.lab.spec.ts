import { isCodeCellModel, type ICodeCellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import { showCells } from '../../chat/__tests__/shownchat';
import type { ChatPanel } from '../../chat/panel';
import { attachmentOutput, type IAttachment } from '../../document/attachments';
import { cellOutputAttachments } from '../notebookparts';
import { OpenKernels } from '../openkernels';
import { ReferenceWatch } from '../referencewatch';
import { ReferenceSources } from '../sources';
import { openNotebook } from './opennotebook';

/** A chat that refers to the output of a notebook's first cell. */
async function watched() {
  const notebook = await openNotebook('a.ipynb', ['print(1)', 'print(2)']);
  const [file] = cellOutputAttachments(
    notebook,
    [notebook.content.widgets[0]],
    1
  );
  const content = showCells([
    {
      cell_type: 'code',
      id: 'p',
      metadata: {},
      source: 'What is this?',
      execution_count: null,
      outputs: [attachmentOutput(file)]
    }
  ]);
  const owner = {};
  const draft = {
    attachments: [] as IAttachment[],
    changed: new Signal<object, void>(owner)
  };
  const attaching = { changedReferences: '' };
  const panel = {
    content,
    composer: { attaching },
    session: { draft, pairChanged: new Signal(owner) },
    disposed: new Signal<object, void>(owner),
    isDisposed: false
  };
  const sources = new ReferenceSources({
    notebooks: {
      find: (is: (one: NotebookPanel) => boolean) =>
        [notebook].find(one => is(one))
    },
    editors: null,
    kernels: new OpenKernels(null, null),
    reader: null as never
  });
  const read = jest.spyOn(sources, 'current');
  const watch = new ReferenceWatch({
    panel: panel as unknown as ChatPanel,
    notebooks: { widgetAdded: new Signal(owner) } as never,
    editors: null,
    sources
  });
  const cells = notebook.content.widgets.map(({ model }) => model);
  const check = () => {
    watch.check();
    const chip = content.node.querySelector('.jp-Turnbook-attached-changed');
    return { times: read.mock.calls.length, isChanged: chip !== null };
  };
  return {
    cells: cells.filter((one): one is ICodeCellModel => isCodeCellModel(one)),
    check,
    attaching,
    draft,
    file,
    watch,
    end: () => panel.disposed.emit()
  };
}

afterEach(() => jest.useRealTimers());

test('reads a source once, and again only after it changed', async () => {
  const { cells, check, end } = await watched();
  const [source, other] = cells;
  expect(check()).toEqual({ times: 1, isChanged: false });
  expect(check()).toEqual({ times: 1, isChanged: false });
  other.outputs.clear();
  expect(check()).toEqual({ times: 1, isChanged: false });
  // It is appended to what is there, and the cell ends.
  source.executionState = 'running';
  source.outputs.add({ output_type: 'stream', name: 'stdout', text: ' more' });
  source.executionState = 'idle';
  expect(check()).toEqual({ times: 2, isChanged: true });
  expect(check()).toEqual({ times: 2, isChanged: true });
  source.outputs.clear();
  source.outputs.add({ output_type: 'stream', name: 'stdout', text: 'out' });
  expect(check()).toEqual({ times: 3, isChanged: false });
  end();
});

test('marks references of the message being written, and does nothing for its text', async () => {
  jest.useFakeTimers();
  const { attaching, cells, draft, file, watch, end } = await watched();
  const [source] = cells;
  const rest = () => jest.advanceTimersByTimeAsync(300);
  await rest();
  const check = jest.spyOn(watch, 'check');
  draft.attachments = [file];
  draft.changed.emit();
  await rest();
  expect(check).toHaveBeenCalledTimes(1);
  expect(attaching.changedReferences).toBe('');
  // Keys.
  draft.changed.emit();
  draft.changed.emit();
  await rest();
  expect(check).toHaveBeenCalledTimes(1);
  source.outputs.clear();
  await rest();
  expect(attaching.changedReferences).toBe(file.sha256);
  draft.attachments = [];
  draft.changed.emit();
  await rest();
  expect(attaching.changedReferences).toBe('');
  end();
});
