/**
 * @jest-environment node
 */
import { DisposableDelegate } from '@lumino/disposable';

import type { IRunListener } from '../listeners';
import { connect, NodeWebSocket } from './ends';

/** How long a socket may be silent at first. */
const PROOF_MS = 8_000;

function listener(seen: number[]): IRunListener {
  return {
    onStatus: () => undefined,
    onEvent: ({ n }) => seen.push(n),
    onError: message => {
      throw new Error(message);
    }
  };
}

describe('RunSocket', () => {
  it('accepts several events in one message, each once', async () => {
    const ends = await connect();
    const seen: number[] = [];
    ends.socket.subscribe('r', 0, listener(seen));
    await ends.heard(1);
    ends.events('r', 1, 2, 3);
    ends.events('r', 2, 3, 4, 5);
    ends.ping();
    await ends.heard(2);
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    expect(ends.said).toEqual([
      { subscribe: 'r', after: 0, batch: true, gather: true },
      { pong: 1 }
    ]);
    ends.close();
  });

  it('says that a provider is written to, unless it is not connected', async () => {
    const ends = await connect();
    expect(ends.socket.prepare('early')).toBe(false);
    ends.socket.subscribe('r', 0, listener([]));
    await ends.heard(1);
    expect(ends.socket.prepare('work')).toBe(true);
    await ends.heard(2);
    expect(ends.said[1]).toEqual({ prepare: 'work' });
    ends.close();
  });

  it('asks once for skipped events', async () => {
    const ends = await connect();
    const seen: number[] = [];
    ends.socket.subscribe('r', 0, listener(seen));
    await ends.heard(1);
    [1, 3, 4, 5].forEach(n => ends.event('r', n));
    // The response to a ping shows that everything before it was handled.
    ends.ping();
    await ends.heard(3);
    expect(ends.said).toEqual([
      { subscribe: 'r', after: 0, batch: true, gather: true },
      { subscribe: 'r', after: 1, batch: true, gather: true },
      { pong: 1 }
    ]);
    [2, 3, 4, 5, 7, 8].forEach(n => ends.event('r', n));
    ends.ping();
    await ends.heard(5);
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    expect(ends.said.slice(3)).toEqual([
      { subscribe: 'r', after: 5, batch: true, gather: true },
      { pong: 1 }
    ]);
    ends.close();
  });

  it('asks again for what the server could not provide, at longer and longer intervals', async () => {
    jest.spyOn(console, 'warn').mockReturnValue();
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const { setTimeout: real } = globalThis;
    const delays: number[] = [];
    const timers = jest.spyOn(globalThis, 'setTimeout');
    timers.mockImplementation(((act: () => void, ms = 0) => {
      delays.push(ms);
      return real(act, ms === PROOF_MS ? ms : 0);
    }) as typeof setTimeout);
    const ends = await connect();
    const seen: number[] = [];
    ends.socket.subscribe('r', 0, listener(seen));
    await ends.heard(1);
    ends.event('r', 1);
    delays.length = 0;
    ends.error('journal', 'r');
    await ends.heard(2);
    ends.error('journal', 'r');
    await ends.heard(3);
    expect(ends.said.slice(1)).toEqual([
      { subscribe: 'r', after: 1, batch: true, gather: true },
      { subscribe: 'r', after: 1, batch: true, gather: true }
    ]);
    expect(delays[1]).toBeGreaterThan(delays[0]);
    ends.event('r', 2);
    ends.ping();
    await ends.heard(4);
    expect(seen).toEqual([1, 2]);
    // The same for a chat.
    const lists: unknown[] = [];
    const watcher = {
      onRuns: (runs: unknown) => lists.push(runs),
      onChanged: () => undefined
    };
    ends.socket.watch('c', watcher);
    await ends.heard(5);
    ends.error('journal');
    await ends.heard(6);
    expect(ends.said[5]).toEqual({ watch: 'c' });
    ends.close();
    jest.restoreAllMocks();
  });

  it('reports that a run cannot be followed', async () => {
    jest.spyOn(console, 'warn').mockReturnValue();
    const ends = await connect();
    const errors: string[] = [];
    ends.socket.subscribe('r', 0, {
      ...listener([]),
      onError: message => errors.push(message)
    });
    await ends.heard(1);
    ends.error('damaged', 'r');
    ends.ping();
    await ends.heard(2);
    expect(errors).toEqual(['damaged']);
    ends.close();
    jest.restoreAllMocks();
  });

  it('serves two listeners to a run from different positions', async () => {
    const ends = await connect();
    const early: number[] = [];
    const late: number[] = [];
    ends.socket.subscribe('r', 0, listener(early));
    await ends.heard(1);
    ends.socket.subscribe('r', 2, listener(late));
    await ends.heard(2);
    expect(ends.said[1]).toEqual({
      subscribe: 'r',
      after: 0,
      batch: true,
      gather: true
    });
    [1, 2, 3].forEach(n => ends.event('r', n));
    ends.ping();
    await ends.heard(3);
    expect([early, late]).toEqual([[1, 2, 3], [3]]);
    ends.close();
  });

  it('reconnects at once after a working connection, however long it took to establish', async () => {
    const { setTimeout: real } = globalThis;
    const delays: number[] = [];
    const clock = jest.spyOn(globalThis, 'setTimeout').mockImplementation(((
      act: () => void,
      ms = 0
    ) => {
      const isRetry = ms >= 300 && ms < 8000 && ms !== 2500;
      if (isRetry) {
        delays.push(ms);
      }
      return real(act, isRetry ? 0 : ms);
    }) as typeof setTimeout);
    let tries = 0;
    class Late extends NodeWebSocket {
      constructor(url: string | URL) {
        // Nothing listens on the discard port.
        super(++tries <= 4 ? 'ws://127.0.0.1:9' : url);
        this.addEventListener('error', () => undefined);
      }
    }
    const ends = await connect(Late);
    ends.socket.subscribe('r', 0, listener([]));
    await ends.heard(1);
    expect(delays).toHaveLength(4);
    expect(delays[3]).toBeGreaterThan(2000);
    ends.ping();
    await ends.heard(2);
    ends.hangUp();
    await ends.heard(3);
    expect(delays[4]).toBeLessThan(700);
    clock.mockRestore();
    ends.close();
  });

  it('checks its connection when the page wakes up, until it is disposed', async () => {
    const wakers = new Set<() => void>();
    const ends = await connect(NodeWebSocket, {
      page: {
        isHidden: false,
        onWake: wake => {
          wakers.add(wake);
          return new DisposableDelegate(() => wakers.delete(wake));
        }
      }
    });
    ends.socket.subscribe('r', 0, listener([]));
    await ends.heard(1);
    wakers.forEach(wake => wake());
    await ends.heard(2);
    expect(ends.said[1]).toHaveProperty('ping');
    ends.close();
    expect(wakers.size).toBe(0);
  });

  it('pings a connection after the page slept, before it closes it', async () => {
    let beat: () => void = () => undefined;
    const timers = jest.spyOn(globalThis, 'setInterval').mockImplementation(((
      act: () => void
    ) => {
      beat = act;
      return 0;
    }) as unknown as typeof setInterval);
    const ends = await connect();
    ends.socket.subscribe('r', 0, listener([]));
    await ends.heard(1);
    ends.ping();
    await ends.heard(2);
    expect(ends.socket.connected).toBe(true);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 600_000);
    beat();
    expect(ends.socket.connected).toBe(true);
    await ends.heard(3);
    expect(ends.said[2]).toHaveProperty('ping');
    // Awake, and still no message for too long: it is half open.
    clock.mockReturnValue(Date.now() + 20_000);
    beat();
    expect(ends.socket.connected).toBe(false);
    clock.mockRestore();
    timers.mockRestore();
    ends.close();
  });
});
