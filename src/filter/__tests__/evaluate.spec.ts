import * as fc from 'fast-check';

import { evaluate } from '../evaluate';
import { compile, type IFilterPair } from '../predicate';
import type { Query } from '../query';
import { anyExpression, anyQuery } from './arbitrary';
import { pair, query } from './pairs';

const NOW = new Date(2026, 10, 16, 12, 0, 0).getTime();
const HOUR = 60 * 60 * 1000;

/** The ids of the cells that stay visible. */
function shown(text: string, cells: readonly IFilterPair[]): string {
  const visible = evaluate(query(text), cells, NOW);
  return cells
    .filter((_, index) => visible[index])
    .map(({ id }) => id)
    .join(' ');
}

function cells<K extends keyof IFilterPair>(
  key: K,
  values: Record<string, IFilterPair[K]>
): IFilterPair[] {
  return Object.entries(values).map(([id, value]) =>
    pair({ id, [key]: value })
  );
}

describe('topic', () => {
  const topics = cells('topic', {
    none: '',
    ml: 'ml',
    nlp: 'ml/nlp',
    bert: 'ml/nlp/bert',
    mlx: 'mlx',
    space: 'my topic/a'
  });

  it.each([
    ['topic:ml/nlp', 'nlp'],
    ['topic:ml/*', 'nlp'],
    ['topic:ml/**', 'ml nlp bert'],
    ['topic:ml', 'ml'],
    ['topic:ml*', 'ml mlx'],
    ['topic:**/bert', 'bert'],
    ['topic:*/*/bert', 'bert'],
    ['topic:""', 'none'],
    ['topic:**', 'none ml nlp bert mlx space'],
    ['-topic:ml/**', 'none mlx space'],
    ['topic:"my topic/*"', 'space']
  ])('%s', (text, ids) => expect(shown(text, topics)).toBe(ids));
});

describe('model', () => {
  const models = cells('model', {
    none: '',
    mini: 'openai/gpt-4o-mini',
    four: 'gpt-4o',
    llama: 'ollama/llama3:8b',
    router: 'openrouter/meta/Llama-3'
  });

  it.each([
    ['model:gpt-4o*', 'mini four'],
    ['model:gpt-4o', 'four'],
    ['model:openai/*', 'mini'],
    ['model:openai/gpt-4o-mini', 'mini'],
    ['model:llama3:8b', 'llama'],
    ['model:meta/llama-3', 'router'],
    ['model:*llama*', 'llama router'],
    ['model:*', 'mini four llama router'],
    ['model:gpt', '']
  ])('%s', (text, ids) => expect(shown(text, models)).toBe(ids));

  it('takes no longer for a glob with many possible matches', () => {
    const many = pair({ model: 'a'.repeat(2000) });
    const glob = `model:${'*a'.repeat(300)}*b`;
    // Of this process alone: a busy machine makes the same work last longer.
    const before = process.cpuUsage();
    expect(evaluate(query(glob), [many], NOW)[0]).toBe(0);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(500);
  });
});

describe('star and tokens', () => {
  const stars = cells('star', { a: 0, b: 1, c: 2, d: 3 });
  const sizes = cells('tokens', { a: 10, b: 1000, c: 1001 });

  it.each([
    ['star:2', 'c'],
    ['star=2', 'c'],
    ['star>=2', 'c d'],
    ['star>2', 'd'],
    ['star<2', 'a b'],
    ['star<=2', 'a b c'],
    ['star:0', 'a']
  ])('%s', (text, ids) => expect(shown(text, stars)).toBe(ids));

  it.each([
    ['tokens>1000', 'c'],
    ['tokens>=1000', 'b c'],
    ['tokens:10', 'a']
  ])('%s', (text, ids) => expect(shown(text, sizes)).toBe(ids));
});

describe('flags and contents', () => {
  const flagged = [
    pair({ id: 'plain' }),
    pair({ id: 'out', in: false }),
    pair({ id: 'error', state: 'error' }),
    pair({ id: 'edited', edited: true }),
    pair({ id: 'stopped', state: 'canceled' }),
    pair({ id: 'sending', state: 'sending' }),
    pair({ id: 'awaiting', state: 'awaiting' }),
    pair({ id: 'idle', state: 'idle' }),
    pair({ id: 'new', isNew: true })
  ];
  const contents = [
    pair({ id: 'plain' }),
    pair({ id: 'tool', hasTool: true }),
    pair({ id: 'code', hasCode: true }),
    pair({ id: 'image', hasImage: true }),
    pair({ id: 'unsent', hasUnsent: true }),
    pair({ id: 'versions', versions: 2 }),
    pair({ id: 'siblings', model: 'a/one', otherModels: ['b/two', 'a/one'] })
  ];

  it.each([
    ['is:in', 'plain error edited stopped sending awaiting idle new'],
    ['is:out', 'out'],
    ['is:error', 'error'],
    ['is:edited', 'edited'],
    ['is:stopped', 'stopped'],
    ['is:pending', 'sending awaiting'],
    ['is:new', 'new'],
    ['is:system', '']
  ])('%s', (text, ids) => expect(shown(text, flagged)).toBe(ids));

  it.each([
    ['has:tool', 'tool'],
    ['has:code', 'code'],
    ['has:image', 'image'],
    ['has:unsent', 'unsent'],
    ['has:versions', 'versions'],
    ['has:siblings', 'siblings'],
    ['has:siblings model:two', 'siblings'],
    ['has:siblings model:b/*', 'siblings']
  ])('%s', (text, ids) => expect(shown(text, contents)).toBe(ids));
});

describe('text', () => {
  const texts = [
    pair({ id: 'a', user: 'Compare AREA frames', reply: 'Dual frame.' }),
    pair({ id: 'b', user: 'dual', reply: 'An area frame: (see "x:y")' }),
    pair({ id: 'c', user: 'ÜBER größe', reply: '' })
  ];

  it.each([
    ['area', 'a b'],
    ['"area frame"', 'a b'],
    ['text:area', 'a b'],
    ['text:"area frames"', 'a'],
    ['user:DUAL', 'b'],
    ['reply:dual', 'a'],
    ['reply:"area frame"', 'b'],
    ['area dual', 'a b'],
    ['area -compare', 'b'],
    ['compare OR über', 'a c'],
    ['NOT (compare OR über)', 'b'],
    ['"\\"x:y\\""', 'b']
  ])('%s', (text, ids) => expect(shown(text, texts)).toBe(ids));

  it('follows a record whose text changes', () => {
    const growing = pair({ reply: 'one' });
    expect(evaluate(query('two'), [growing], NOW)[0]).toBe(0);
    growing.reply = 'one TWO';
    expect(evaluate(query('two'), [growing], NOW)[0]).toBe(1);
  });
});

describe('time', () => {
  const local = (...parts: [number, number, number, number?, number?]) =>
    new Date(...(parts as [number, number, number])).getTime();
  const times = cells('createdAt', {
    unknown: NaN,
    year: local(2025, 10, 15),
    may: local(2026, 4, 17),
    first: local(2026, 10, 1),
    late: local(2026, 10, 1, 23, 59),
    second: local(2026, 10, 2),
    week: NOW - 7 * 24 * HOUR,
    hour: NOW - HOUR,
    now: NOW
  });

  it.each([
    ['age<7d', 'hour now'],
    ['age<=7d', 'week hour now'],
    ['age<1w', 'hour now'],
    ['age<2h', 'hour now'],
    ['age<30min', 'now'],
    ['age<6mo', 'may first late second week hour now'],
    ['age>6mo', 'year'],
    ['age>=1y', 'year'],
    ['age<999999999y', 'year may first late second week hour now'],
    ['date:2026-11-01', 'first late'],
    ['date:2026-11-01..2026-11-16', 'first late second week hour now'],
    ['date:2026-11-01..2026-11-01', 'first late'],
    ['date<2026-11-01', 'year may'],
    ['date<=2026-11-01', 'year may first late'],
    ['date>2026-11-01', 'second week hour now'],
    ['date>=2026-11-02', 'second week hour now']
  ])('%s', (text, ids) => expect(shown(text, times)).toBe(ids));

  it('counts a month back from the 31st to the end of a shorter one', () => {
    const now = local(2026, 2, 31, 12);
    const visible = (date: number) =>
      evaluate(query('age<=1mo'), [pair({ createdAt: date })], now)[0];
    expect(visible(local(2026, 1, 28, 12))).toBe(1);
    expect(visible(local(2026, 1, 28, 11))).toBe(0);
  });
});

describe('id and last', () => {
  const ids = ['aa3F9c', 'b3f9cd', 'c', 'd3f9c'].map(id => pair({ id }));

  it.each([
    ['id:3f9c', 'aa3F9c d3f9c'],
    ['last:2', 'c d3f9c'],
    ['last:1 -id:c', 'b3f9cd'],
    ['-id:c last:1', 'b3f9cd'],
    ['(id:3f9c OR id:cd) last:2', 'b3f9cd d3f9c'],
    ['last:20', 'aa3F9c b3f9cd c d3f9c'],
    ['last:0', '']
  ])('%s', (text, shownIds) => expect(shown(text, ids)).toBe(shownIds));
});

describe('system cells and notes', () => {
  const chat = [
    pair({ id: 'system', kind: 'system', user: 'be brief' }),
    pair({ id: 'x', topic: 'x' }),
    pair({ id: 'note', kind: 'note', user: 'todo' }),
    pair({ id: 'y', topic: 'y' })
  ];

  it.each([
    ['', 'system x note y'],
    ['topic:x', 'system x note'],
    ['-topic:x', 'system note y'],
    ['nowhere', 'system note'],
    ['last:1', 'system note y'],
    ['last:0', 'system note'],
    ['-is:system', 'x note y'],
    ['NOT is:system', 'x note y'],
    ['-is:system topic:x', 'x note'],
    ['topic:x -is:system', 'x note'],
    ['-is:system last:1', 'note y'],
    ['-(is:system OR topic:x)', 'note y'],
    ['(-is:system topic:x) OR (-is:system topic:y)', 'x note y'],
    // One branch leaves it undecided, so it is not excluded.
    ['-is:system OR topic:x', 'system x note y'],
    ['-(is:system topic:x)', 'system x note y'],
    ['is:system', 'system note'],
    ['is:system OR topic:x', 'system x note'],
    ['--is:system', 'system note']
  ])('%s', (text, ids) => expect(shown(text, chat)).toBe(ids));

  it('hides nothing without a query', () => {
    expect([...evaluate(null, chat, NOW)]).toEqual([1, 1, 1, 1]);
  });
});

describe('laws', () => {
  const anyPair = fc
    .record({
      topic: fc.constantFrom('', 'ml', 'ml/nlp'),
      star: fc.nat(3),
      in: fc.boolean(),
      user: fc.string(),
      reply: fc.string(),
      state: fc.constantFrom('succeeded' as const, 'error' as const),
      createdAt: fc.integer({ min: 0, max: NOW }),
      kind: fc.constantFrom('pair' as const, 'system' as const, 'note' as const)
    })
    .map(pair);
  const chats = fc.array(anyPair, { maxLength: 20 });

  it('a negated expression matches exactly the other pairs', () => {
    fc.assert(
      fc.property(anyExpression, anyPair, (of, cell) => {
        const negated = compile({ kind: 'not', of }, NOW);
        expect(negated(cell)).toBe(!compile(of, NOW)(cell));
      })
    );
  });

  it('last: keeps the end of what the rest matches', () => {
    fc.assert(
      fc.property(anyQuery, chats, fc.nat(5), ({ where }, chat, last) => {
        const pairsOf = (found: Query) =>
          [...evaluate(found, chat, NOW)].flatMap((flag, index) =>
            flag && chat[index].kind === 'pair' ? [index] : []
          );
        const all = pairsOf({ where, last: null });
        expect(pairsOf({ where, last })).toEqual(
          all.slice(Math.max(0, all.length - last))
        );
      })
    );
  });

  it('notes stay, and system cells are all shown or all hidden', () => {
    fc.assert(
      fc.property(anyQuery, chats, (any, chat) => {
        const visible = evaluate(any, chat, NOW);
        const flags = (kind: string) =>
          new Set(visible.filter((_, index) => chat[index].kind === kind));
        expect(flags('note').has(0)).toBe(false);
        expect(flags('system').size).toBeLessThan(2);
      })
    );
  });
});
