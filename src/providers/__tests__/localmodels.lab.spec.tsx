import { Dialog } from '@jupyterlab/apputils';

import type { ILocalModel } from '../../base/run';
import { ModelCatalog } from '../../runs/catalog';
import { showLocalModels } from '../localmodelsdialog';
import { noticeLocalModels } from '../uselocalmodels';
import { button, click, StandIn, until } from './standin';

const SMALL: ILocalModel = {
  name: 'Small-0.5B',
  parameters: '0.5B',
  page: 'https://hub.example/owner/small',
  size: 491e6,
  memory: 1e9,
  fits: true,
  license: 'Apache-2.0',
  state: 'absent',
  received: 0,
  message: ''
};

/** A server whose only local model is in the state that a test gives it. */
class Server extends StandIn {
  refused: string | null = null;

  constructor() {
    super();
    this.set({});
  }

  set(state: Partial<ILocalModel>): void {
    const models = [{ ...SMALL, ...state }];
    this.localModels = { ...this.localModels, models };
  }

  /** List the model among those of all providers. */
  offer(): void {
    const info = {
      id: 'local/Small-0.5B',
      provider: 'local',
      model: 'Small-0.5B',
      window: null,
      price: null
    };
    const models = [...this.models.models, info];
    this.models = { ...this.models, models };
  }

  async downloadLocalModel(name: string) {
    this.calls.push(['download', name]);
    if (this.refused) {
      throw new Error(this.refused);
    }
    this.set({ state: 'downloading', received: 100e6 });
    return this.localModels;
  }

  async stopDownload(name: string) {
    this.calls.push(['stop', name]);
    this.set({ state: 'partial', received: 200e6 });
    return this.localModels;
  }

  async removeLocalModel(name: string) {
    this.calls.push(['remove', name]);
    this.set({});
    return this.localModels;
  }
}

let server: Server;
let catalog: ModelCatalog;
let used: string[];

const open = async (withChat = true) => {
  const use = withChat ? (model: string) => used.push(model) : undefined;
  // Flushing a dialog that a test leaves open rejects.
  showLocalModels(server.api, catalog, undefined, use).catch(() => undefined);
  await until(() => document.querySelector('li') !== null, 'the list');
};
const text = () => document.querySelector('.jp-Dialog')?.textContent ?? '';

beforeEach(() => {
  server = new Server();
  catalog = new ModelCatalog({ api: server.api });
  used = [];
});

afterEach(() => {
  Dialog.flush();
  catalog.dispose();
  document.body.innerHTML = '';
});

it('names size, memory and licence, and downloads nothing by itself', async () => {
  await open();
  expect(text()).toContain(
    '0.5B parameters · 491 MB to download · about 1.0 GB of memory · Apache-2.0'
  );
  expect(text()).toContain('hub.example');
  expect(text()).toContain('20.0 GB free');
  expect(server.calls).toEqual([]);
});

it('downloads, stops, continues, and uses the model', async () => {
  await open();
  await click('Download 491 MB');
  await until(() => document.querySelector('progress') !== null, 'progress');
  expect(document.querySelector('progress')!.value).toBe(100e6);
  expect(text()).toContain('100 MB of 491 MB');
  await click('Stop');
  await until(() => text().includes('200 MB of 491 MB'), '200 MB of 491 MB');
  await click('Continue (291 MB)');
  await until(() => document.querySelector('progress') !== null, 'progress');
  server.set({ state: 'checking', received: 491e6 });
  await until(() => text().includes('Checking…'), 'Checking…');
  server.set({ state: 'ready', received: 491e6 });
  await until(() => text().includes('Use now'), 'Use now');
  await click('Use now');
  await until(() => document.querySelector('.jp-Dialog') === null, 'closing');
  expect(used).toEqual(['local/Small-0.5B']);
  expect(server.calls.map(([call]) => call)).toEqual([
    'download',
    'stop',
    'download',
    // The model menu learns of it without a click.
    'models'
  ]);
});

it('lists a model that arrived while no dialog was open', async () => {
  await catalog.refresh();
  server.set({ state: 'ready', received: 491e6 });
  server.offer();
  await open();
  await until(() => catalog.find('local/Small-0.5B'), 'the model');
  expect(server.calls.length).toBe(2);
  // What is known is not asked for again.
  Dialog.flush();
  await until(() => document.querySelector('li') === null, 'closing');
  await open();
  await until(() => button('Use now'), 'Use now');
  await noticeLocalModels(server.api, catalog);
  expect(server.calls.length).toBe(2);
  // The menu does the same.
  server.set({});
  await noticeLocalModels(server.api, catalog);
  expect(server.calls.length).toBe(3);
});

it('offers the engine instead of models that cannot run', async () => {
  server.localModels = { ...server.localModels, engine: false };
  await open();
  expect(text()).toContain('they need the package xllamacpp to run');
  expect(button('Download 491 MB')!.disabled).toBe(true);
  await click('Fetch model');
  await until(() => button('Cancel'), 'Cancel');
  expect(server.calls.map(([call]) => call)).toEqual(['models', 'fetch']);
  server.localModels = { ...server.localModels, engine: true };
  await until(() => !button('Download 491 MB')!.disabled, 'the download');
  expect(text()).not.toContain('xllamacpp');
});

it('asks before it removes a model', async () => {
  server.set({ state: 'ready', received: 491e6 });
  server.offer();
  await open(false);
  expect(text()).toContain('491 MB on disk');
  expect(text()).not.toContain('to download');
  expect(text()).not.toContain('Use now');
  await click('Remove');
  await until(
    () => text().includes('Delete 491 MB from the disk?'),
    'Delete 491 MB from the disk?'
  );
  expect(document.activeElement).toBe(button('Keep'));
  await click('Keep');
  await until(() => !text().includes('Yes, delete'), 'Remove');
  await click('Remove');
  await until(() => text().includes('Yes, delete'), 'Yes, delete');
  expect(server.calls.map(([call]) => call)).not.toContain('remove');
  await until(() => catalog.find('local/Small-0.5B'), 'the model');
  server.models = { ...server.models, models: [] };
  await click('Yes, delete');
  await until(() => text().includes('Download 491 MB'), 'Download 491 MB');
  await until(() => !catalog.find('local/Small-0.5B'), 'the end of the model');
});

it('says why a download failed, and what does not fit', async () => {
  server.set({
    state: 'partial',
    received: 200e6,
    message: 'The disk is full.',
    fits: false
  });
  await open();
  expect(document.querySelector('[role="alert"]')!.textContent).toBe(
    'The disk is full.'
  );
  expect(text()).toContain('more memory than this machine has (16.0 GB)');
  server.refused = 'Not now.';
  await click('Continue (291 MB)');
  await until(() => text().includes('Not now.'), 'Not now.');
  await click('Discard');
  await until(() => text().includes('Download 491 MB'), 'Download 491 MB');
  expect(text()).not.toContain('Not now.');
});

it('offers no download without a hub', async () => {
  server.localModels = { ...server.localModels, hub: '' };
  await open();
  expect(text()).toContain('This server offers no downloads.');
  expect(text()).not.toContain('Download 491');
});

it('asks a server again that does not answer', async () => {
  const listed = jest
    .spyOn(server, 'listLocalModels')
    .mockRejectedValueOnce(new Error('Failed to fetch'));
  showLocalModels(server.api, catalog).catch(() => undefined);
  await until(() => text().includes('Failed to fetch'), 'Failed to fetch');
  await until(() => text().includes('Small-0.5B'), 'Small-0.5B');
  expect(text()).not.toContain('Failed to fetch');
  expect(listed).toHaveBeenCalledTimes(2);
});
