import { YNotebook } from '@jupyter/ydoc';
import type { ICodeCell } from '@jupyterlab/nbformat';
import type { PartialJSONObject } from '@lumino/coreutils';
import fc from 'fast-check';

import { emptyChat, pairCell } from '../chatfile';
import type { IRunInfo } from '../metadata';
import { Pair } from '../pair';
import { replyOutput } from '../reply';
import { roundOutput } from '../rounds';
import {
  allTaken,
  byModel,
  NO_TOTAL,
  sumTotals,
  takenBy,
  type ITaken
} from '../usagetotals';

const PRICE = { input: 2, output: 10, cached: 1 };

function info(runId: string, more: Partial<IRunInfo> = {}): IRunInfo {
  return {
    state: 'succeeded',
    model: 'p/m',
    createdAt: 1,
    updatedAt: 2,
    runId,
    attempt: 1,
    context: [],
    requestHash: 'h',
    ...more
  };
}

const usage = (
  input: number,
  output: number,
  more: PartialJSONObject = {}
) => ({
  prompt_tokens: input,
  completion_tokens: output,
  ...more
});

function pair(cell: ICodeCell): Pair {
  const notebook = YNotebook.create({ data: emptyChat() });
  notebook.insertCell(0, cell);
  return Pair.all(notebook)[0];
}

function cell(run: IRunInfo, change: Partial<ICodeCell> = {}): ICodeCell {
  return { ...pairCell('a', 'Hello', run), ...change };
}

const runsOf = (one: Pair) => [...takenBy(one).keys()];

describe('what the runs of a pair took', () => {
  it('is that of its last run, of its tool rounds and of its versions, each once', () => {
    const round = (runId: string, taken?: PartialJSONObject) =>
      roundOutput(
        {
          message: { role: 'assistant', content: null, tool_calls: [{}] },
          results: []
        },
        { runId, partial: false, model: 'p/other', usage: taken }
      );
    const last = info('r3', { usage: usage(30, 3) });
    const made = cell(last, {
      outputs: [
        round('r1', usage(10, 1)),
        round('r2'),
        replyOutput({ text: 'Done', runId: 'r3', partial: false })
      ]
    });
    made.metadata.turnbook_versions = [
      {
        ...{ source: 'Hello', reply: 'Once', model: 'p/m', requestHash: 'h' },
        at: 1,
        runId: 'v1',
        run: { ...info('', { usage: usage(5, 5) }) },
        tools: [round('r1', usage(10, 1)), round('v0', usage(4, 4))]
      },
      // The reply of the last run as it was received.
      {
        ...{ source: 'Hello', reply: 'Don', model: 'p/m', requestHash: 'h' },
        at: 1,
        runId: 'r3',
        run: { ...last }
      },
      // An attempt that a later one continued or started over.
      {
        ...{ source: 'Hello', reply: 'D', model: 'p/m', requestHash: 'h' },
        at: 1,
        runId: 'v2',
        partial: true
      }
    ] as unknown as PartialJSONObject;
    const taken = takenBy(pair(made));
    expect([...taken.keys()]).toEqual(['r3', 'r1', 'r2', 'v1', 'v0']);
    expect(taken.get('r1')).toMatchObject({ model: 'p/other', input: 10 });
    expect(taken.get('r2')).toMatchObject({ unknown: 1, input: null });
    expect(taken.get('v1')).toMatchObject({ model: 'p/m', output: 5 });
  });

  it('counts nothing that is under way or was refused', () => {
    const error = { type: 'auth', code: '401', status: 401, message: 'No' };
    const refused = info('r', {
      state: 'error',
      error: error as IRunInfo['error']
    });
    expect(runsOf(pair(cell(info('r', { state: 'awaiting' }))))).toEqual([]);
    expect(runsOf(pair(cell(refused)))).toEqual([]);
    const outputs = [replyOutput({ text: 'Hal', runId: 'r', partial: true })];
    expect(runsOf(pair(cell(refused, { outputs })))).toEqual(['r']);
    const lost = { ...error, type: 'unknown', code: 'unknown', status: null };
    expect(
      runsOf(
        pair(cell({ ...refused, error: lost as unknown as IRunInfo['error'] }))
      )
    ).toEqual(['r']);
  });

  it('reads any file', () => {
    for (const odd of [
      null,
      7,
      'x',
      [],
      { prompt_tokens: 'many', completion_tokens: -1, attempts: 'two' },
      { prompt_tokens: 1e300, completion_tokens: 1e300, cost: Infinity }
    ]) {
      const made = cell(info('r', { usage: odd as never }));
      made.metadata.turnbook_versions = [{ source: 'x', reply: '', run: odd }];
      expect([...takenBy(pair(made)).values()]).toMatchObject([
        { runs: 1, unknown: 1, input: null, output: null, cost: null }
      ]);
    }
  });
});

function taken(change: Partial<ITaken> = {}): ITaken {
  return {
    model: 'p/m',
    runs: 1,
    unknown: 0,
    input: 1000,
    cached: null,
    output: 100,
    cost: null,
    uncosted: 0,
    ...change
  };
}

describe('totals', () => {
  it('count a run once, however many cells have it', () => {
    const one = new Map([['r', taken()]]);
    const none = new Map([['', taken()]]);
    expect(allTaken([one, one, none, none])).toHaveLength(3);
  });

  it('are the sum of what is known, and say how much is not', () => {
    const unknown = { unknown: 1, input: null, output: null };
    const totals = byModel(
      [
        taken({ cached: 400 }),
        taken(unknown),
        taken({ model: 'p/said', cost: 0.5 }),
        taken({ model: 'p/said', cost: 0.25, runs: 3, uncosted: 1 }),
        taken({ model: 'p/free' })
      ],
      model => (model === 'p/free' ? null : PRICE)
    );
    expect(totals.get('p/m')).toEqual({
      runs: 2,
      unknown: 1,
      input: 1000,
      cached: 400,
      output: 100,
      cost: (600 * 2 + 400 + 1000) / 1e6,
      unpriced: 1
    });
    expect(totals.get('p/said')).toMatchObject({
      runs: 4,
      cost: 0.75,
      unpriced: 1
    });
    expect(totals.get('p/free')).toMatchObject({ cost: null, unpriced: 1 });
    expect(sumTotals(totals.values())).toMatchObject({
      runs: 7,
      unknown: 1,
      unpriced: 3
    });
  });

  it('of nothing are unknown and not 0', () => {
    expect(sumTotals([])).toEqual(NO_TOTAL);
    const total = byModel(
      [taken({ unknown: 1, input: null, output: null })],
      () => PRICE
    ).get('p/m');
    expect(total).toMatchObject({ input: null, cost: null, unpriced: 1 });
  });

  it('do not depend on how runs are put together', () => {
    const fact = fc.option(fc.nat(1000), { nil: null });
    const run = fc
      .record({ input: fact, cached: fact, output: fact, cost: fact })
      .map(facts =>
        taken({
          ...facts,
          unknown: facts.input === null || facts.output === null ? 1 : 0
        })
      );
    fc.assert(
      fc.property(fc.array(run), fc.nat(), (runs, at) => {
        const of = (some: ITaken[]) => byModel(some, () => null).values();
        const whole = sumTotals(of(runs));
        const split = sumTotals([
          ...of(runs.slice(0, at)),
          ...of(runs.slice(at))
        ]);
        expect(split).toEqual(whole);
        expect(whole.runs).toBe(runs.length);
      })
    );
  });
});
