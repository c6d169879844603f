import fc from 'fast-check';

import {
  attemptsOf,
  costOf,
  dollars,
  readUsage,
  shortCount,
  sumUsage,
  usageFacts
} from '../usage';

describe('usage', () => {
  it('is kept whole, as the provider sent it', () => {
    const sent = {
      prompt_tokens: 5,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 3 },
      cost: 0.1,
      queue_time: 'short'
    };
    expect(readUsage(sent)).toBe(sent);
  });

  it('does not take a provider’s own key for the number of attempts', () => {
    const lies = {
      total_tokens: 5,
      attempts: 900,
      unreported: 3,
      _attempts: 1
    };
    const read = readUsage(lies)!;
    expect(read).toEqual({
      total_tokens: 5,
      _attempts: 900,
      _unreported: 3,
      __attempts: 1
    });
    expect(attemptsOf(read)).toEqual({ attempts: 1, reported: 1 });
    expect(attemptsOf(sumUsage([read, read]))).toMatchObject({ attempts: 2 });
  });

  it.each([null, 5, [], {}, { total_tokens: -1 }, { note: 'x' }])(
    'is none without a count: %j',
    value => {
      expect(readUsage(value)).toBeNull();
    }
  );

  it('is cut down to its counts if it is huge', () => {
    const sent = { total_tokens: 7, note: 'x'.repeat(5000) };
    expect(readUsage(sent)).toEqual({ total_tokens: 7 });
  });

  it('adds up over attempts, also what is inside, and says of how many', () => {
    const one = { completion_tokens: 2, details: { cached: 1 }, tier: 'a' };
    const two = {
      completion_tokens: 3,
      details: { cached: 4, more: 1 },
      tier: 'b'
    };
    expect(sumUsage([one])).toEqual(one);
    expect(sumUsage([one, null, two])).toEqual({
      completion_tokens: 5,
      details: { cached: 5, more: 1 },
      tier: 'b',
      attempts: 3,
      unreported: 1
    });
    expect(sumUsage([null, null])).toBeUndefined();
    expect(attemptsOf(sumUsage([one, null, two]))).toEqual({
      attempts: 3,
      reported: 2
    });
  });

  it.each([
    [{ prompt_tokens_details: { cached_tokens: 3 } }],
    [{ prompt_cache_hit_tokens: 3 }],
    [{ cache_read_input_tokens: 3 }]
  ])('has cached tokens in the ways of several providers: %j', usage => {
    expect(usageFacts(usage).cached).toBe(3);
  });

  it('costs what tokens cost, cached ones less, and nothing unknown', () => {
    const price = { input: 2, output: 10, cached: 0.5 };
    const facts = usageFacts({
      prompt_tokens: 1000,
      prompt_cache_hit_tokens: 400,
      completion_tokens: 100
    });
    expect(costOf(facts, price)).toBeCloseTo(0.0024);
    expect(costOf(facts, { input: 2, output: 10 })).toBeCloseTo(0.003);
    expect(costOf(facts, null)).toBeNull();
    expect(costOf({ ...facts, output: null }, price)).toBeNull();
    expect(costOf({ ...facts, cost: 0 }, null)).toBe(0);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), values => {
        const read = values.map(value => readUsage(value));
        usageFacts(sumUsage(read) ?? {});
      })
    );
  });

  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1k'],
    [1234, '1.2k'],
    [45_210, '45k'],
    [999_499, '999k'],
    [999_500, '1M'],
    [1_340_000, '1.3M']
  ])('counts %j as %s', (tokens, words) => {
    expect(shortCount(tokens)).toBe(words);
  });

  it.each([
    [0, '$0.00'],
    [1.236, '$1.24'],
    [0.08, '$0.08'],
    [0.0031, '$0.0031'],
    [0.00001, '<$0.0001']
  ])('writes %j dollars as %s', (amount, words) => {
    expect(dollars(amount)).toBe(words);
  });
});
