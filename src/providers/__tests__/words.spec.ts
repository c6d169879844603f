import type { IOutcome } from '../../base/run';
import { advice } from '../words';
import { english } from '../../runs/__tests__/english';

const outcome = (change: Partial<IOutcome>): IOutcome => ({
  type: 'unknown',
  code: null,
  status: null,
  message: '',
  retryAfter: null,
  finish: null,
  ...change
});
const settings = { baseUrl: 'http://localhost:1/v1', hasKey: true };

describe('advice', () => {
  it.each<[string, Partial<IOutcome>, string]>([
    ['auth', { type: 'auth', code: 'auth', status: 401 }, 'Check the API key'],
    ['quota', { type: 'rate', code: 'quota', status: 402 }, 'billing'],
    ['rate', { type: 'rate', code: 'rate' }, 'Try again in a while'],
    ['Retry-After', { type: 'rate', retryAfter: 7.2 }, 'Try again in 8 s'],
    [
      'network',
      { type: 'network', code: 'network' },
      'http://localhost:1/v1. Is the server running at that address?'
    ],
    ['server', { type: 'server', code: 'server', status: 503 }, '(503)'],
    ['404', { status: 404, code: 'not_found' }, 'most end in /v1'],
    ['others', { status: 400, code: 'odd' }, '(odd)']
  ])('tells what to do about %s', (_, change, words) => {
    expect(advice(outcome(change), settings, english)).toContain(words);
  });

  it('does not repeat the message of the server', () => {
    const message = 'Incorrect API key provided. Check the API key.';
    const text = advice(outcome({ type: 'auth', message }), settings, english);
    expect(text).toBe('The provider does not accept the key.');
  });

  it('asks for a key if there is none', () => {
    const text = advice(
      outcome({ type: 'auth' }),
      { ...settings, hasKey: false },
      english
    );
    expect(text).toContain('Enter the API key');
  });
});
