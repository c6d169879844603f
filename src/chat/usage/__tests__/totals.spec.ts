import type { IDayUsage } from '../../../base/run';
import { english } from '../../../runs/__tests__/english';
import {
  NO_TOTAL,
  sumTotals,
  type ITotal
} from '../../../document/usagetotals';
import { dayStarts, dayTotals } from '../totals';
import { gapWords, shortTotal, sourceWords, totalWords } from '../totalwords';

const PRICE = { input: 2, output: 10 };

function day(start: number, change: Partial<IDayUsage> = {}): IDayUsage {
  return {
    start,
    provider: 'p',
    model: 'm',
    runs: 1,
    unknown: 0,
    input: 1000,
    cached: null,
    output: 100,
    cost: null,
    ...change
  };
}

describe('days', () => {
  it('begin at midnight of the user, one after another', () => {
    const now = new Date(2026, 2, 31, 15, 30);
    const starts = dayStarts(30, now).map(start => new Date(start));
    expect(starts).toHaveLength(30);
    expect(starts.at(-1)).toEqual(new Date(2026, 2, 31));
    for (const [n, start] of starts.entries()) {
      expect([start.getHours(), start.getMinutes()]).toEqual([0, 0]);
      expect(start).toEqual(new Date(2026, 2, 2 + n));
    }
  });

  it('are listed last first, by model, with what the provider said it costs', () => {
    const totals = dayTotals(
      [
        day(1),
        day(2, { cost: 0.5, runs: 2 }),
        day(2, { unknown: 1, runs: 2 }),
        day(2, { provider: 'local', model: 'tiny' }),
        day(2, { provider: 'q' })
      ],
      model => (model === 'p/m' ? PRICE : null)
    );
    expect(totals.map(({ start }) => start)).toEqual([2, 1]);
    const [{ models }] = totals;
    expect([...models.keys()]).toEqual(['p/m', 'local/tiny', 'q/m']);
    expect(models.get('p/m')).toMatchObject({
      runs: 4,
      unknown: 1,
      unpriced: 1,
      cost: 0.5 + 0.003
    });
    // What runs on this machine costs nothing; what is not listed is unknown.
    expect(models.get('local/tiny')).toMatchObject({ cost: 0, unpriced: 0 });
    expect(models.get('q/m')).toMatchObject({ cost: null, unpriced: 1 });
  });
});

describe('words', () => {
  const total = (change: Partial<ITotal>): ITotal => ({
    ...NO_TOTAL,
    runs: 3,
    ...change
  });

  it('say what is unknown, and never 0 for it', () => {
    expect(totalWords(total({ unknown: 3, unpriced: 3 }), english)).toEqual({
      requests: '3',
      input: 'unknown',
      output: 'unknown',
      price: 'unknown'
    });
    expect(
      totalWords(
        total({
          input: 45_000,
          cached: 38_000,
          output: 1200,
          cost: 0.08,
          unknown: 1,
          unpriced: 1
        }),
        english
      )
    ).toEqual({
      requests: '3',
      input: '45k (38k cached) + ?',
      output: '1.2k + ?',
      price: '$0.08 + ?'
    });
    expect(gapWords(total({ unknown: 1, unpriced: 2 }), english)).toEqual([
      'The provider did not report the tokens of 1 request; the sums do not include them.',
      'The price of 2 requests is unknown; the sums do not include it.'
    ]);
    expect(gapWords(total({}), english)).toEqual([]);
  });

  it('are short in the status bar', () => {
    const short = (change: Partial<ITotal>) =>
      shortTotal(total(change), english);
    expect(short({ cost: 0.42, input: 5, output: 5 })).toBe('$0.42');
    expect(short({ cost: 0.42, unpriced: 1 })).toBe('$0.42 + ?');
    expect(short({ input: 45_000, output: 1000 })).toBe('46k tokens');
    expect(short({ input: 45_000, output: null, unknown: 1 })).toBe(
      '45k tokens + ?'
    );
    expect(short({ unknown: 3 })).toBe('3 requests');
    expect(shortTotal(sumTotals([]), english)).toBe('0 requests');
  });

  it('say how old prices are and where they come from', () => {
    const listed = (asOf?: string) => ({
      ...PRICE,
      source: 'genai-prices' as const,
      ...(asOf ? { asOf } : {})
    });
    expect(
      sourceWords(
        [listed('2026-10-02'), listed('2026-10-01'), listed('2026-10-02')],
        english
      )
    ).toEqual(['Prices are those of the lists of 2026-10-01, 2026-10-02.']);
    expect(sourceWords([listed(), PRICE], english)).toEqual([
      'Prices are those of the providers’ lists.',
      'Prices of some models are from your settings.'
    ]);
    expect(sourceWords([PRICE], english)).toEqual([
      'Prices are from your settings.'
    ]);
    expect(sourceWords([], english)).toEqual([]);
  });
});
