import { Notification } from '@jupyterlab/apputils';
import { Context } from '@jupyterlab/docregistry';
import {
  NotebookModelFactory,
  type INotebookModel
} from '@jupyterlab/notebook';
import {
  KernelManager,
  SessionManager,
  type Contents
} from '@jupyterlab/services';
import { nullTranslator } from '@jupyterlab/translation';
import { PromiseDelegate } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { Results } from '../results';

const PATH = 'results.ipynb';

/** One file, whose content may come late. */
class File {
  readonly fileChanged = new Signal<this, unknown>(this);
  text = 'first';
  written = 0;
  /** Resolves when a file is on its way. */
  asked = new PromiseDelegate<void>();
  arrives: Promise<void> = Promise.resolve();

  async get(path: string, options: Contents.IFetchOptions = {}) {
    const [content, hash] = [this.content, this.text];
    if (options.content !== false) {
      this.asked.resolve();
      await this.arrives;
    }
    return { ...this.model(path, hash), content };
  }

  async save(path: string, { content }: { content: any }) {
    this.written++;
    this.text = content.cells[0].source;
    return this.model(path, this.text);
  }

  model(path: string, hash: string) {
    return {
      path,
      name: path,
      type: 'notebook',
      format: 'json',
      writable: true,
      hash,
      hash_algorithm: 'sha256',
      last_modified: '2026-01-01T00:00:00Z'
    };
  }

  get content() {
    return {
      cells: [
        { cell_type: 'markdown', id: 'a', source: this.text, metadata: {} }
      ],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5
    };
  }

  localPath = (path: string) => path;
  driveName = () => '';
  listCheckpoints = async () => [{}];
  getSharedModelFactory = () => null;
  normalize = (path: string) => path;
}

let file: File;
let context: Context<INotebookModel>;
let results: Results;

const cell = () => context.model.sharedModel.cells[0];

const told = () => Notification.manager.notifications.length;

beforeEach(async () => {
  file = new File();
  const kernelManager = new KernelManager.NoopManager();
  context = new Context<INotebookModel>({
    manager: {
      kernels: kernelManager,
      kernelspecs: { specs: null, specsChanged: new Signal({}) },
      sessions: new SessionManager.NoopManager({ kernelManager }),
      contents: file,
      ready: Promise.resolve()
    } as any,
    factory: new NotebookModelFactory(),
    path: PATH
  });
  await context.initialize(false);
  context.model.dirty = false;
  file.asked = new PromiseDelegate();
  const widget = new Widget();
  results = new Results({
    app: {
      serviceManager: { contents: file },
      shell: { widgets: () => [widget] }
    } as any,
    documents: { contextForWidget: () => context } as any,
    trans: nullTranslator.load('jupyterlab_turnbook')
  });
});

afterEach(() => {
  Notification.dismiss();
  context.dispose();
});

describe('open results', () => {
  it('are read again, as the file that they are then', async () => {
    file.text = 'second';
    await results.reload(PATH);
    expect(cell().getSource()).toBe('second');
    expect(context.model.dirty).toBe(false);
    // JupyterLab knows which version that is: it does not ask before it saves.
    cell().setSource('third');
    await context.save();
    expect(file.text).toBe('third');
    expect(document.querySelector('.jp-Dialog')).toBeNull();
    expect(told()).toBe(0);
  });

  it('keep what the user writes while they are read', async () => {
    file.text = 'second';
    const arrived = new PromiseDelegate<void>();
    file.arrives = arrived.promise;
    const reading = results.reload(PATH);
    await file.asked.promise;
    cell().setSource('My note');
    arrived.resolve();
    await reading;
    expect(cell().getSource()).toBe('My note');
    expect(context.model.dirty).toBe(true);
    expect(told()).toBe(1);
    await results.reload(PATH);
    expect(cell().getSource()).toBe('My note');
    expect(told()).toBe(1);
  });
});
