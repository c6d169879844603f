/**
 * A chat's session with what it needs, each part of which arrives when a test says so.
 */
import type { YNotebook } from '@jupyter/ydoc';
import { NotebookModel } from '@jupyterlab/notebook';
import { PromiseDelegate, type PartialJSONObject } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import { MemoryStorage } from '../../../faults/client/storage';
import { ModelCatalog } from '../../runs/catalog';
import { SharedRules } from '../../request/autoapply';
import type { INewRun } from '../../base/run';
import { ChatFile } from '../file';
import { OwnRuns } from '../ownruns';
import { ChatSession } from '../session';
import { ChatSettings, type IChatSettings } from '../settings';

/** A pair's cell as it is saved after it was sent. */
export function savedPair(
  id: string,
  user: string,
  reply: string,
  state = 'succeeded'
): PartialJSONObject {
  const runId = `run-${id}`;
  return {
    cell_type: 'code',
    id,
    source: user,
    execution_count: null,
    metadata: {
      turnbook_run: {
        state,
        model: 'work/large',
        createdAt: 10,
        updatedAt: 10,
        runId,
        attempt: 1,
        context: [],
        requestHash: 'h'
      }
    },
    outputs: reply
      ? [
          {
            output_type: 'display_data',
            data: { 'text/markdown': reply },
            metadata: { turnbook: { runId } }
          }
        ]
      : []
  };
}

/** Parts of a chat of which nothing has arrived yet. */
export function sessionParts(
  cells: PartialJSONObject[],
  options: {
    models?: { id: string; provider?: string; window: number | null }[];
    defaultModel?: string;
    /** The model in the file; null for none. */
    model?: string | null;
    /** What the browser keeps. */
    storage?: MemoryStorage;
    confirm?: ChatSession.IOptions['confirm'];
    loadTokenizer?: () => Promise<(text: string) => number>;
  } = {}
) {
  const model = new NotebookModel();
  const ready = new PromiseDelegate<void>();
  const context: any = {
    model,
    path: 'a.chat.ipynb',
    localPath: 'a.chat.ipynb',
    contentsModel: { hash: 'one' },
    isReady: false,
    ready: ready.promise,
    disposed: new Signal<object, void>({}),
    saveState: new Signal<object, void>({}),
    pathChanged: new Signal<object, void>({}),
    save: async () => undefined,
    rename: async () => undefined,
    revert: async () => undefined
  };
  const bodies: string[] = [];
  const posted: INewRun[] = [];
  const listed = new PromiseDelegate<unknown>();
  const api: any = {
    listModels: () => listed.promise,
    getLocal: async () => ({ state: 'absent' }),
    openChat: async (chatId: string) => ({ chatId, status: 'known' }),
    emitEvent: async () => undefined,
    getRequest: async () => null,
    createRun: async (run: INewRun) => {
      bodies.push(run.body);
      posted.push(run);
      return { ...run, state: 'done', attempt: 1, hash: run.requestHash };
    }
  };
  const idle = { dispose: () => undefined, isDisposed: false };
  const socket: any = {
    skew: 0,
    watch: () => idle,
    send: () => null,
    prepare: () => undefined,
    subscribe: () => idle,
    changed: new Signal<object, void>({})
  };
  const catalog = new ModelCatalog({ api });
  const settings = new ChatSettings({ loadTokenizer: options.loadTokenizer });
  const loading = new PromiseDelegate<any>();
  settings.load(loading.promise);
  const requestStorage = new MemoryStorage().requests;
  const composite: Partial<IChatSettings> = {};
  const settingsChanged = new Signal<object, void>({});
  return {
    api,
    bodies,
    catalog,
    composite,
    context,
    notebook: model.sharedModel as YNotebook,
    posted,
    settings,
    /** Make the session; the other parts may be there or not. */
    open(): ChatSession {
      const session = new ChatSession({
        context,
        file: new ChatFile({
          context,
          contents: { get: async () => ({ hash: 'one' }) } as any,
          isAutosaved: () => false
        }),
        api,
        socket,
        catalog,
        storage: options.storage ?? new MemoryStorage(),
        own: new OwnRuns({
          storage: new MemoryStorage(),
          take: async () => true
        }),
        requestStorage,
        sharedRules: new SharedRules(requestStorage),
        settings,
        ask: async () => 'use',
        confirm: options.confirm
      });
      if (catalog.list === null) {
        void catalog.refresh();
      }
      return session;
    },
    /** The file has been read. */
    readDocument(): void {
      (model.sharedModel as YNotebook).fromJSON({
        cells,
        metadata: {
          turnbook: {
            format: 1,
            chatId: 'c4a7c4a7-0000-4000-8000-000000000001',
            ...(options.model === null
              ? {}
              : { model: options.model ?? 'work/large' })
          }
        },
        nbformat: 4,
        nbformat_minor: 5
      } as any);
      context.isReady = true;
      ready.resolve();
    },
    /** The server has told its models. */
    listModels(): void {
      const models = options.models ?? [
        { id: 'local/small', provider: 'local', window: 2_000 },
        { id: 'work/large', provider: 'work', window: 128_000 }
      ];
      listed.resolve({
        default: options.defaultModel ?? 'local/small',
        providers: models.map(({ provider }) => provider),
        models,
        errors: []
      });
    },
    /** JupyterLab has read the user's settings. */
    readSettings(values: Partial<IChatSettings> = {}): void {
      Object.assign(composite, values);
      loading.resolve({ composite, changed: settingsChanged });
    },
    /** The user has changed settings. */
    changeSettings(values: Partial<IChatSettings>): void {
      Object.assign(composite, values);
      settingsChanged.emit();
    }
  };
}

/** Let everything that waits for nothing else happen. */
export async function settle(): Promise<void> {
  for (let n = 0; n < 3; n++) {
    await new Promise(resolve => setTimeout(resolve));
  }
}
