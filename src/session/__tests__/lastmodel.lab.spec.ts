import { MemoryStorage } from '../../../faults/client/storage';
import { RecentModels } from '../../runs/recentmodels';
import { sessionParts, settle } from './sessionparts';

type Parts = ReturnType<typeof sessionParts>;

/** A browser in which this model was used last. */
function browserWith(model: string): MemoryStorage {
  const storage = new MemoryStorage();
  new RecentModels(storage).use(model);
  return storage;
}

const STEPS: Record<string, (parts: Parts, defaultModel: string) => void> = {
  document: parts => parts.readDocument(),
  models: parts => parts.listModels(),
  settings: (parts, defaultModel) => parts.readSettings({ defaultModel })
};

const ORDERS = Object.keys(STEPS).flatMap(first =>
  Object.keys(STEPS)
    .filter(step => step !== first)
    .map(second => [
      first,
      second,
      ...Object.keys(STEPS).filter(step => step !== first && step !== second)
    ])
);

describe('the model of a new chat', () => {
  it.each(ORDERS)(
    'is the one used last, or that of the setting: %s, %s, %s',
    async (...order) => {
      for (const [setting, last, model, missing] of [
        ['', 'work/large', 'work/large', null],
        ['local/small', 'work/large', 'local/small', null],
        ['', 'gone/it', 'local/small', 'gone/it'],
        ['gone/it', 'work/large', 'work/large', 'gone/it']
      ] as const) {
        const storage = browserWith(last);
        const parts = sessionParts([], { model: null, storage });
        const session = parts.open();
        for (const step of order) {
          STEPS[step](parts, setting);
          await settle();
        }
        expect(session.model).toBe(model);
        expect(session.about.missingModel).toBe(missing);
        expect(session.info?.model).toBeUndefined();
        session.draft.text = 'Hello';
        await session.send();
        expect(JSON.parse(parts.bodies[0]).model).toBe(model.split('/')[1]);
        expect(session.about.missingModel).toBeNull();
        expect(new RecentModels(storage).last).toBe(model);
        session.dispose();
      }
    }
  );

  it('does not change in an open chat when another is used elsewhere', async () => {
    const storage = browserWith('work/large');
    const parts = sessionParts([], { model: null, storage });
    const session = parts.open();
    Object.values(STEPS).forEach(step => step(parts, ''));
    await settle();
    new RecentModels(storage).use('local/small');
    expect(session.model).toBe('work/large');
    parts.changeSettings({ defaultModel: 'local/small' });
    expect(session.model).toBe('local/small');
    session.dispose();
  });

  it('is the user’s choice, and never what a file says', async () => {
    const storage = browserWith('local/small');
    const parts = sessionParts([], { model: 'work/large', storage });
    const session = parts.open();
    Object.values(STEPS).forEach(step => step(parts, ''));
    await settle();
    const { recent } = session.about;
    expect(session.model).toBe('work/large');
    expect(recent.last).toBe('local/small');
    // What the user keeps for one file only is no choice for others.
    session.about.model = 'local/other';
    expect(recent.last).toBe('local/small');
    session.model = 'work/new';
    expect(recent.last).toBe('work/new');
    session.dispose();
  });

  it('is not one that a file names while a message is being sent', async () => {
    const storage = browserWith('');
    const parts = sessionParts([], { model: 'local/small', storage });
    const session = parts.open();
    Object.values(STEPS).forEach(step => step(parts, ''));
    await settle();
    const post = parts.api.createRun;
    parts.api.createRun = (run: unknown) => {
      session.about.write({ ...session.info!, model: 'work/theirs' });
      return post(run);
    };
    session.draft.text = 'Hello';
    await session.send();
    expect(session.model).toBe('work/theirs');
    session.dispose();
    expect(new RecentModels(storage).last).toBe('local/small');
  });

  it('is not one that only a single request used', async () => {
    const storage = browserWith('local/small');
    const parts = sessionParts([], { model: null, storage });
    const session = parts.open();
    Object.values(STEPS).forEach(step => step(parts, ''));
    await settle();
    session.draft.text = 'Hello';
    session.requests.live.setOption('model', 'other');
    await session.send();
    session.dispose();
    expect(new RecentModels(storage).last).toBe('local/small');
  });
});
