import { activityText, RunActivity } from '../activity';
import { ALL_CHATS } from '../polling';
import type { IChatWatcher } from '../listeners';
import type { IRun, RunState } from '../../base/run';

function run(
  pair: string,
  attempt: number,
  state: RunState,
  retryAt: number | null = null
): IRun {
  return {
    id: `${pair}-${attempt}`,
    chat: 'c',
    pair,
    attempt,
    state,
    createdAt: attempt,
    turn: { auto: true, retryAt }
  } as IRun;
}

function activity() {
  let watcher: IChatWatcher | null = null;
  let left = false;
  const watching = new RunActivity({
    watch: (chat, one) => {
      expect(chat).toBe(ALL_CHATS);
      watcher = one;
      return {
        isDisposed: false,
        dispose: () => {
          left = true;
        }
      };
    }
  });
  return { watching, tell: watcher! as IChatWatcher, left: () => left };
}

const ids = (runs: IRun[]) => runs.map(({ id }) => id);

it('follows runs in progress and waiting ones, in all chats', () => {
  const { watching, tell, left } = activity();
  let news = 0;
  watching.changed.connect(() => news++);
  tell.onRuns([
    run('a', 1, 'streaming'),
    run('b', 2, 'failed', 99),
    run('c', 1, 'failed')
  ]);
  expect(ids(watching.alive)).toEqual(['a-1']);
  expect(ids(watching.waiting)).toEqual(['b-2']);
  tell.onChanged(run('b', 3, 'claimed'));
  tell.onChanged(run('a', 1, 'done'));
  expect(ids(watching.alive)).toEqual(['b-3']);
  expect(watching.waiting).toEqual([]);
  // Late news of an earlier attempt.
  tell.onChanged(run('b', 2, 'failed', 99));
  tell.onChanged(run('a', 1, 'streaming'));
  expect(ids(watching.alive)).toEqual(['b-3']);
  expect(watching.waiting).toEqual([]);
  expect(news).toBe(5);
  watching.dispose();
  expect(left()).toBe(true);
});

it('forgets finished turns, but none in progress', () => {
  const { watching, tell } = activity();
  tell.onChanged(run('first', 1, 'streaming'));
  tell.onChanged(run('waits', 1, 'failed', 5));
  for (let n = 0; n < 1000; n++) {
    tell.onChanged(run(`p${n}`, 1, 'done'));
  }
  expect(ids(watching.alive)).toEqual(['first-1']);
  expect(ids(watching.waiting)).toEqual(['waits-1']);
});

it.each([
  [0, 0, 'idle'],
  [1, 0, '1 stream'],
  [1, 1, '1 stream, 1 retry waiting'],
  [0, 2, '2 retries waiting'],
  [3, 2, '3 streams, 2 retries waiting']
])('%d streams and %d retries are %s', (streams, retries, text) => {
  expect(activityText(streams, retries)).toBe(text);
});
