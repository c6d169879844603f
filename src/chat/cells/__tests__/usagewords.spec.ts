import { english } from '../../../runs/__tests__/english';
import { usageWords } from '../usagewords';

const words = (
  info: Parameters<typeof usageWords>[0],
  price: Parameters<typeof usageWords>[1] = null
) => usageWords(info, price, english);

describe('usageWords', () => {
  it('says time, tokens and price in one line', () => {
    const usage = {
      prompt_tokens: 45_210,
      completion_tokens: 1_234,
      prompt_tokens_details: { cached_tokens: 38_000 },
      completion_tokens_details: { reasoning_tokens: 900 }
    };
    const price = {
      input: 1.25,
      output: 10,
      cached: 0.125,
      source: 'provider' as const
    };
    expect(words({ usage, seconds: 12.4 }, price)).toEqual({
      usage: '12 s · 45k in (38k cached) · 1.2k out · $0.03',
      usageNote: [
        'Sent: 45,210 tokens',
        'of which from a cache: 38,000',
        'Received: 1,234 tokens',
        'of which reasoning: 900',
        'Price by the list: $1.25 per million tokens sent, $10.00 received'
      ].join('\n')
    });
  });

  it('says how old the price is', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 10 };
    const source = 'genai-prices' as const;
    const price = { input: 1, output: 2, source, asOf: '2026-10-01' };
    expect(words({ usage }, price).usageNote).toContain(
      'Price by the list of 2026-10-01: $1.00 per million tokens sent, $2.00 received'
    );
    expect(words({ usage }, { input: 1, output: 2 }).usageNote).toContain(
      'Price by your settings: $1.00 per million tokens sent, $2.00 received'
    );
  });

  it('leaves out what is not known, and never says 0 for it', () => {
    expect(words({})).toEqual({ usage: '', usageNote: '' });
    expect(
      words({ usage: { total_tokens: 5 } }, { input: 1, output: 1 })
    ).toEqual({
      usage: '',
      usageNote: ''
    });
    expect(
      words({ usage: { completion_tokens: 8 } }, { input: 1, output: 1 }).usage
    ).toBe('8 out');
    expect(words({ seconds: 75 }).usage).toBe('1 min 15 s');
  });

  it('prefers the price that the provider says', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 10, cost: 0.25 };
    const said = words({ usage }, { input: 1e6, output: 1e6 });
    expect(said.usage).toBe('10 in · 10 out · $0.25');
    expect(said.usageNote).toContain('Price as the provider says');
  });

  it('says of how many attempts it is the sum, and how many were counted', () => {
    const usage = { completion_tokens: 8, attempts: 3, unreported: 2 };
    expect(words({ usage })).toEqual({
      usage: '8 out · in 3 attempts',
      usageNote: 'Received: 8 tokens\nThe provider counted 1 of 3 attempts.'
    });
  });

  it('is the sum of a turn that called tools, by the price of each model', () => {
    const usage = { prompt_tokens: 200, completion_tokens: 20 };
    const price = { input: 1000, output: 10_000 };
    const other = { input: 2000, output: 0 };
    const first = {
      usage: { prompt_tokens: 100, completion_tokens: 10, attempts: 2 },
      price: other
    };
    const said = usageWords({ usage, seconds: 3 }, price, english, [first]);
    expect(said.usage).toBe('3 s · 300 in · 30 out · $0.60 · in 3 requests');
    expect(said.usageNote).toContain('Sent: 300 tokens');
    expect(said.usageNote).toContain('$2000.00 per million');
    expect(said.usageNote).toContain('The time is that of the last request.');
    const partly = usageWords({ usage }, price, english, [
      { ...first, price: null },
      { price: null }
    ]);
    expect(partly.usage).toBe('300 in · 30 out · $0.40 + ? · in 4 requests');
    expect(partly.usageNote).toContain('The provider counted 3 of 4 requests.');
  });

  it('reads a hostile file without harm', () => {
    const usage = { prompt_tokens: 'x', attempts: '<b>', cost: -1 } as any;
    expect(words({ usage }).usage).toBe('');
  });
});
