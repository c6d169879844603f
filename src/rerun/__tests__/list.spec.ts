import { DisposableDelegate } from '@lumino/disposable';

import type { IRerun } from '../../base/run';
import { RerunList } from '../list';

type Some = Pick<IRerun, 'id' | 'state' | 'writtenAt'>;

/** A server that says what a test wants, and a clock that goes when a test lets it. */
function made() {
  const server = { reruns: [] as Some[], fails: '', asked: 0 };
  const timers = new Map<() => void, number>();
  const list = new RerunList({
    api: {
      listReruns: async () => {
        server.asked++;
        if (server.fails) {
          throw new Error(server.fails);
        }
        return server.reruns as IRerun[];
      },
      startRerun: async () => ({}) as IRerun,
      continueRerun: async () => ({}) as IRerun,
      stopRerun: async () => {
        throw new Error('It belongs to another.');
      },
      forgetRerun: async () => undefined
    },
    later: (work, delay) => {
      timers.set(work, delay);
      return new DisposableDelegate(() => timers.delete(work));
    }
  });
  const pass = async () => {
    const [work] = timers.keys();
    timers.delete(work);
    work();
    await settled();
  };
  return { server, timers, list, pass };
}

const settled = () => new Promise(resolve => setTimeout(resolve));

const rerun = (
  state: IRerun['state'],
  writtenAt: number | null = null,
  id = 'a'
): Some => ({ id, state, writtenAt });

describe('RerunList', () => {
  it('asks again while a rerun is alive, and then no more', async () => {
    const { server, timers, list, pass } = made();
    server.reruns = [rerun('running')];
    await list.refresh();
    expect([...timers.values()]).toEqual([1000]);
    server.reruns = [rerun('ending')];
    await pass();
    expect([...timers.values()]).toEqual([1000]);
    server.reruns = [rerun('stopped')];
    await pass();
    expect(timers.size).toBe(0);
    expect(server.asked).toBe(3);
  });

  it('looks now and then while somebody watches', async () => {
    const { timers, list } = made();
    const watching = list.watch();
    await settled();
    expect([...timers.values()]).toEqual([10_000]);
    watching.dispose();
    expect(timers.size).toBe(0);
  });

  it('keeps what it knows when the server does not answer, and asks again', async () => {
    const { server, timers, list, pass } = made();
    server.reruns = [rerun('running')];
    await list.refresh();
    server.fails = 'No connection.';
    await pass();
    expect(list.trouble).toBe('No connection.');
    expect(list.reruns).toHaveLength(1);
    expect(timers.size).toBe(1);
    server.fails = '';
    await pass();
    expect(list.trouble).toBe('');
  });

  it('says when results were written, also of one that it finds alive', async () => {
    const { server, list, pass } = made();
    const written: unknown[] = [];
    list.written.connect((_, { writtenAt }) => written.push(writtenAt));
    server.reruns = [rerun('running', 1), rerun('done', 5, 'b')];
    await list.refresh();
    await pass();
    server.reruns = [rerun('running', 2), rerun('done', 5, 'b')];
    await pass();
    server.reruns = [rerun('done', 3), rerun('done', 5, 'b')];
    await pass();
    expect(written).toEqual([1, 2, 3]);
  });

  it('tells what the server refuses, and looks at the list nevertheless', async () => {
    const { server, list } = made();
    await expect(list.stop('a')).rejects.toThrow('It belongs to another.');
    expect(server.asked).toBe(1);
    list.dispose();
    await list.refresh();
    expect(list.reruns).toEqual([]);
  });
});
