import type { TurnbookAPI } from '../api';
import type { ILocal, IModelList } from '../../base/run';
import { ModelCatalog } from '../catalog';

const local = (state: ILocal['state'], received = 0): ILocal => ({
  state,
  message: '',
  model: 'smollm2-135m',
  size: 100,
  received
});
const list = (...ids: string[]): IModelList => ({
  providers: ids.map(id => id.split('/')[0]),
  models: ids.map(id => ({
    id,
    provider: id.split('/')[0],
    model: id.split('/')[1],
    window: null,
    price: null
  })),
  errors: [],
  default: 'local/x'
});

/** A server that responds with a list of states and counts requests. */
function server(states: (ILocal | Error)[]) {
  const asked = { local: 0, models: [] as boolean[] };
  const api = {
    getLocal: async () => {
      const state = states[Math.min(asked.local++, states.length - 1)];
      if (state instanceof Error) {
        throw state;
      }
      return state;
    },
    listModels: async (force: boolean) => {
      asked.models.push(force);
      return list('local/x');
    }
  } as unknown as TurnbookAPI;
  return { asked, api };
}

describe('ModelCatalog', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('polls while downloading and watched, then lists the models again', async () => {
    const { asked, api } = server([
      local('fetching', 10),
      local('fetching', 60),
      local('ready', 100)
    ]);
    const catalog = new ModelCatalog({ api });
    const seen: number[] = [];
    catalog.changed.connect(() => seen.push(catalog.local!.received));
    catalog.setLocal(local('fetching'));
    await jest.advanceTimersByTimeAsync(5000);
    expect(asked.local).toBe(0);

    const watching = catalog.watchLocal();
    await jest.advanceTimersByTimeAsync(500);
    expect(asked.local).toBe(1);
    await jest.advanceTimersByTimeAsync(2000);
    expect([...new Set(seen)]).toEqual([0, 10, 60, 100]);
    expect(catalog.local?.state).toBe('ready');
    expect(asked.models).toEqual([true]);
    expect(jest.getTimerCount()).toBe(0);
    watching.dispose();
    catalog.dispose();
  });

  it('stops polling when the last watcher leaves', async () => {
    const { asked, api } = server([local('fetching')]);
    const catalog = new ModelCatalog({ api });
    catalog.setLocal(local('fetching'));
    const one = catalog.watchLocal();
    const other = catalog.watchLocal();
    one.dispose();
    await jest.advanceTimersByTimeAsync(3000);
    expect(asked.local).toBeGreaterThanOrEqual(3);
    expect(asked.local).toBeLessThanOrEqual(5);
    other.dispose();
    const count = asked.local;
    await jest.advanceTimersByTimeAsync(5000);
    expect(asked.local).toBe(count);
    catalog.dispose();
  });

  it('reports that the server does not respond and asks again', async () => {
    const { api } = server([new Error('offline'), local('fetching', 7)]);
    const catalog = new ModelCatalog({ api });
    catalog.setLocal(local('fetching'));
    const watching = catalog.watchLocal();
    await jest.advanceTimersByTimeAsync(500);
    expect(catalog.localFailure).toBe('offline');
    await jest.advanceTimersByTimeAsync(1000);
    expect(catalog.localFailure).toBeNull();
    expect(catalog.local?.received).toBe(7);
    watching.dispose();
    catalog.dispose();
  });

  it('keeps a newer state over the response to an older request', async () => {
    let answer: (local: ILocal) => void = () => undefined;
    const api = {
      getLocal: () => new Promise<ILocal>(resolve => (answer = resolve)),
      listModels: async () => list()
    } as unknown as TurnbookAPI;
    const catalog = new ModelCatalog({ api });
    const refreshed = catalog.refresh();
    catalog.setLocal(local('fetching'));
    answer(local('missing'));
    await refreshed;
    expect(catalog.local?.state).toBe('fetching');
    catalog.dispose();
  });

  it('keeps the last list when the server does not respond, and says why', async () => {
    const { api } = server([local('ready')]);
    const catalog = new ModelCatalog({ api });
    await catalog.refresh();
    api.listModels = async () => {
      throw new Error('offline');
    };
    const refreshed = catalog.refresh();
    expect(catalog.isRefreshing).toBe(true);
    await refreshed;
    expect(catalog.isRefreshing).toBe(false);
    expect(catalog.failure).toContain('offline');
    expect(catalog.find('local/x')).toBeDefined();
    catalog.dispose();
  });
});
