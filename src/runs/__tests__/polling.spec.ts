import { ApiError } from '../api';
import { Poller } from '../polling';
import type { IRun, IRunEvent, ServerMessage } from '../../base/run';

function run(id: string, change: Partial<IRun> = {}): IRun {
  return { id, chat: 'chat', state: 'streaming', ...change } as IRun;
}

/** A server whose runs are set by a test, and a count of its requests. */
function setUp() {
  const server = {
    isDown: false,
    open: [] as IRun[],
    known: new Map<string, { run: IRun; events: IRunEvent[] }>(),
    rounds: 0
  };
  const wanted: Poller.IWanted = { runs: new Map(), chats: new Set(['chat']) };
  const page = { isHidden: false };
  const heard: ServerMessage[] = [];
  const answers: boolean[] = [];
  const poller = new Poller({
    source: {
      skew: 0,
      listRuns: async () => {
        server.rounds++;
        if (server.isDown) {
          throw new TypeError('Failed to fetch');
        }
        return server.open;
      },
      getRun: async (id: string) => {
        const found = server.known.get(id);
        if (!found) {
          throw new ApiError(404, 'no-run', 'Not known');
        }
        return found;
      }
    },
    wanted: () => wanted,
    isHidden: () => page.isHidden,
    receive: message => heard.push(message),
    answered: ok => answers.push(ok)
  });
  /** What was received since the last call. */
  const news = () => heard.splice(0);
  return { answers, news, page, poller, server, wanted };
}

describe('Poller', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(console, 'debug').mockImplementation();
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('polls each second while a run is followed, and less often otherwise', async () => {
    const { poller, server, wanted } = setUp();
    poller.start();
    await jest.advanceTimersByTimeAsync(3500);
    expect(server.rounds).toBe(1);
    await jest.advanceTimersByTimeAsync(1000);
    expect(server.rounds).toBe(2);
    wanted.runs.set('r', 0);
    await jest.advanceTimersByTimeAsync(4000);
    const before = server.rounds;
    await jest.advanceTimersByTimeAsync(5000);
    expect(server.rounds).toBe(before + 5);
    poller.stop();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(server.rounds).toBe(before + 5);
  });

  it('started again during a round, polls as often as before', async () => {
    const { news, poller, server, wanted } = setUp();
    wanted.runs.set('r', 0);
    poller.start();
    poller.stop();
    poller.start();
    await jest.advanceTimersByTimeAsync(500);
    // Both have asked, and only the second has reported.
    expect(server.rounds).toBe(2);
    expect(news()).toEqual([{ chat: 'chat', runs: [] }]);
    await jest.advanceTimersByTimeAsync(3000);
    expect(server.rounds).toBe(5);
    poller.stop();
  });

  it('polls less often while the page is hidden', async () => {
    const { page, poller, server, wanted } = setUp();
    wanted.runs.set('r', 0);
    page.isHidden = true;
    poller.start();
    await jest.advanceTimersByTimeAsync(3500);
    expect(server.rounds).toBe(1);
    await jest.advanceTimersByTimeAsync(1000);
    expect(server.rounds).toBe(2);
    page.isHidden = false;
    poller.poke();
    await jest.advanceTimersByTimeAsync(5000);
    expect(server.rounds).toBe(8);
    poller.stop();
  });

  it('polls less and less often while the server does not respond, and at once when poked', async () => {
    const { answers, poller, server, wanted } = setUp();
    wanted.runs.set('r', 0);
    server.isDown = true;
    poller.start();
    await jest.advanceTimersByTimeAsync(1500);
    expect(server.rounds).toBe(1);
    expect(answers).toEqual([false]);
    await jest.advanceTimersByTimeAsync(600);
    expect(server.rounds).toBe(2);
    await jest.advanceTimersByTimeAsync(600_000);
    const before = server.rounds;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(server.rounds).toBe(before + 2);
    server.isDown = false;
    poller.poke();
    await jest.advanceTimersByTimeAsync(0);
    expect(answers[answers.length - 1]).toBe(true);
    await jest.advanceTimersByTimeAsync(1000);
    expect(server.rounds).toBe(before + 4);
    poller.stop();
  });

  it('delivers all open runs first, and then only changes', async () => {
    const { news, poller, server } = setUp();
    server.open = [run('a'), run('b')];
    poller.start();
    await jest.advanceTimersByTimeAsync(0);
    expect(news()).toEqual([{ chat: 'chat', runs: server.open }]);
    await jest.advanceTimersByTimeAsync(4000);
    expect(news()).toEqual([]);
    const changed = run('b', { state: 'done' });
    server.open = [run('a'), changed];
    await jest.advanceTimersByTimeAsync(4000);
    expect(news()).toEqual([{ chat: 'chat', changed }]);
    poller.stop();
  });

  it('asks about a run that is no longer open', async () => {
    const { news, poller, server } = setUp();
    server.open = [run('a'), run('forgotten')];
    poller.start();
    await jest.advanceTimersByTimeAsync(0);
    news();
    const landed = run('a', { state: 'done', landed: true });
    server.known.set('a', { run: landed, events: [] });
    server.open = [];
    await jest.advanceTimersByTimeAsync(4000);
    expect(news()).toEqual([{ chat: 'chat', changed: landed }]);
    await jest.advanceTimersByTimeAsync(4000);
    expect(news()).toEqual([]);
    poller.stop();
  });

  it('skips a run that the journal does not know, and continues with the others', async () => {
    const { answers, news, poller, server, wanted } = setUp();
    wanted.chats.clear();
    wanted.runs.set('gone', 0).set('a', 0);
    const event = { n: 1, data: 'x' };
    server.known.set('a', { run: run('a'), events: [event] });
    poller.start();
    await jest.advanceTimersByTimeAsync(0);
    expect(news()).toEqual([{ status: run('a') }, { run: 'a', event }]);
    expect(answers).toEqual([true]);
    poller.stop();
  });

  it('delivers all open runs again after a restart', async () => {
    const { news, poller, server } = setUp();
    server.open = [run('a')];
    poller.start();
    await jest.advanceTimersByTimeAsync(0);
    poller.stop();
    news();
    poller.start();
    await jest.advanceTimersByTimeAsync(0);
    expect(news()).toEqual([{ chat: 'chat', runs: server.open }]);
    poller.stop();
  });
});
