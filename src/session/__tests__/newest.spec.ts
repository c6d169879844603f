import type { IRun } from '../../base/run';
import { NewestAttempts } from '../newest';

function attempt(n: number, retryAt: number | null = null): IRun {
  return {
    id: `r${n}`,
    pair: 'p',
    attempt: n,
    state: 'failed',
    updatedAt: n,
    turn: { retryAt }
  } as unknown as IRun;
}

it('the newest attempt stays when news of an earlier one arrives late', () => {
  const newest = new NewestAttempts();
  expect(newest.get('p')).toBeNull();
  expect(newest.learn(attempt(2))).toBe(true);
  expect(newest.learn(attempt(1))).toBe(false);
  expect(newest.get('p')?.id).toBe('r2');
});

it('the list is cleared when the server reports everything from the start', () => {
  const newest = new NewestAttempts();
  newest.learn(attempt(1));
  expect([...newest.clear().keys()]).toEqual(['p']);
  expect(newest.get('p')).toBeNull();
  expect(newest.waiting).toBeNull();
});
