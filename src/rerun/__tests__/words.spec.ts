import { nullTranslator } from '@jupyterlab/translation';

import type { IRerun, IRerunPreview } from '../../base/run';
import {
  canGoOn,
  duration,
  estimateWords,
  progressWords,
  stateWords
} from '../words';

const trans = nullTranslator.load('jupyterlab_turnbook');

const PREVIEW: IRerunPreview = {
  plan: 'a',
  problem: '',
  records: [],
  refused: [],
  folder: null,
  out: 'results.ipynb',
  replaces: false,
  requests: 6,
  had: 0,
  models: []
};

const row = (model: string, cost: number | null, out: number | null = 50) => ({
  model,
  requests: 3,
  inputTokens: 1200,
  outputTokens: out,
  cost
});

const RERUN: IRerun = {
  id: '11111111-1111-4111-8111-111111111111',
  state: 'running',
  out: 'results.ipynb',
  folder: null,
  records: 2,
  models: ['a/b'],
  repeats: 5,
  set: [],
  maxRequests: null,
  maxCost: null,
  createdAt: 1,
  elsewhere: false,
  total: 10,
  done: 4,
  broken: 0,
  unknown: 0,
  refused: 0,
  underWay: 3,
  rate: 2.25,
  cost: 0.0123,
  unpriced: 0,
  secondsLeft: 62,
  notes: [],
  message: '',
  writtenAt: null
};

describe('estimateWords', () => {
  it('says requests, tokens and price', () => {
    const models = [row('a/b', 0.5), row('a/c', 0.25)];
    expect(estimateWords({ ...PREVIEW, models }, trans)).toBe(
      '6 requests · ~2,400 tokens in · ~100 tokens out · about $0.75'
    );
  });

  it('never calls an unknown price or length nothing', () => {
    const none = [row('a/b', null, null)];
    expect(
      estimateWords({ ...PREVIEW, requests: 3, models: none }, trans)
    ).toBe(
      '3 requests · ~1,200 tokens in · tokens out unknown · price unknown'
    );
    const some = [row('a/b', 0.5), row('a/c', null)];
    expect(estimateWords({ ...PREVIEW, models: some }, trans)).toContain(
      'about $0.50 · price of a/c unknown'
    );
  });

  it('says what is there already', () => {
    const models = [{ ...row('a/b', 0), requests: 0 }];
    const preview = { ...PREVIEW, requests: 0, had: 6, models };
    expect(estimateWords(preview, trans)).toBe(
      '0 requests · 6 replies are there already'
    );
  });
});

describe('progressWords', () => {
  it('says replies, rate, cost and time left', () => {
    expect(progressWords(RERUN, trans)).toBe(
      '4 of 10 replies · 3 under way · 2.3/s · $0.01 so far · 1:02 left'
    );
  });

  it('says what is not known about the cost', () => {
    const some = { ...RERUN, unpriced: 1 };
    expect(progressWords(some, trans)).toContain('$0.01 or more so far');
    const none = { ...RERUN, unpriced: 4, cost: 0 };
    expect(progressWords(none, trans)).toContain('cost unknown');
    const before = { ...RERUN, done: 0, cost: 0, rate: 0, secondsLeft: null };
    expect(progressWords(before, trans)).toBe('0 of 10 replies · 3 under way');
  });

  it('says neither rate nor time left of one that has ended', () => {
    const ended: IRerun = {
      ...RERUN,
      state: 'stopped',
      underWay: 0,
      broken: 2
    };
    expect(progressWords(ended, trans)).toBe(
      '4 of 10 replies · 2 ended early · $0.01 so far'
    );
  });
});

describe('canGoOn', () => {
  it('is for those that have ended and lack what can be sent without a doubt', () => {
    expect(canGoOn(RERUN)).toBe(false);
    expect(canGoOn({ ...RERUN, state: 'ending' })).toBe(false);
    expect(canGoOn({ ...RERUN, state: 'stopped' })).toBe(true);
    expect(canGoOn({ ...RERUN, state: 'interrupted' })).toBe(true);
    expect(canGoOn({ ...RERUN, state: 'incomplete', refused: 6 })).toBe(true);
    expect(canGoOn({ ...RERUN, state: 'incomplete', unknown: 6 })).toBe(false);
    expect(canGoOn({ ...RERUN, state: 'done', done: 10 })).toBe(false);
  });
});

describe('stateWords', () => {
  it('says what is waited for', () => {
    const ending: IRerun = { ...RERUN, state: 'ending' };
    expect(stateWords(ending, trans)).toBe(
      'Stopping: 3 requests under way are waited for'
    );
  });
});

describe('duration', () => {
  it.each([
    [0.4, '0:00'],
    [9.6, '0:10'],
    [62, '1:02'],
    [3599.6, '1:00:00'],
    [7325, '2:02:05']
  ])('%d s is %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
