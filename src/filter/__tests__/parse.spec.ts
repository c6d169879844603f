import { execFileSync } from 'child_process';
import { resolve } from 'path';

import * as fc from 'fast-check';

import { accept } from '../diagnose';
import { MAX_DEPTH, MAX_LENGTH, parse } from '../parse';
import { print } from '../print';
import type { Expression, Query } from '../query';
import { anyQuery } from './arbitrary';

function read(text: string): Query {
  const parsed = parse(text);
  if ('error' in parsed) {
    throw new Error(`${text}: ${JSON.stringify(parsed.error)}`);
  }
  return parsed.query;
}

function fail(text: string) {
  const parsed = parse(text);
  if ('query' in parsed) {
    throw new Error(`${text} was read as ${JSON.stringify(parsed.query)}`);
  }
  return parsed.error;
}

const word = (text: string): Expression => ({
  kind: 'text',
  side: 'both',
  text
});

it('has parser tables generated from the grammar', () => {
  const root = resolve(__dirname, '../../..');
  execFileSync(process.execPath, ['scripts/grammar.mjs', '--check'], {
    cwd: root
  });
});

describe('structure', () => {
  const [a, b, c] = ['a', 'b', 'c'].map(word);

  it.each<[string, Expression | null]>([
    ['', null],
    ['  ', null],
    ['a', a],
    ['(a)', a],
    ['a b', { kind: 'and', of: [a, b] }],
    ['a OR b', { kind: 'or', of: [a, b] }],
    ['a b OR c', { kind: 'or', of: [{ kind: 'and', of: [a, b] }, c] }],
    ['a (b OR c)', { kind: 'and', of: [a, { kind: 'or', of: [b, c] }] }],
    ['-a b', { kind: 'and', of: [{ kind: 'not', of: a }, b] }],
    ['NOT a b', { kind: 'and', of: [{ kind: 'not', of: a }, b] }],
    ['NOT(a b)', { kind: 'not', of: { kind: 'and', of: [a, b] } }],
    ['--a', { kind: 'not', of: { kind: 'not', of: a } }],
    ['or not and', { kind: 'and', of: ['or', 'not', 'and'].map(word) }],
    ['"a  b"', word('a  b')],
    ['"OR"', word('OR')],
    ['"say \\"hi\\""', word('say "hi"')],
    ['"C:\\new"', word('C:\\new')],
    ['gpt-4o', word('gpt-4o')],
    ['größe 模型 🙂', { kind: 'and', of: ['größe', '模型', '🙂'].map(word) }],
    ['model:ollama/llama3:8b', { kind: 'model', glob: 'ollama/llama3:8b' }],
    ['topic:"my topic/*"', { kind: 'topic', glob: 'my topic/*' }],
    ['topic:""', { kind: 'topic', glob: '' }],
    ['topic=ml', { kind: 'topic', glob: 'ml' }],
    ['user:OR', { kind: 'text', side: 'user', text: 'OR' }],
    ['text:-1', word('-1')]
  ])('of %s', (text, where) => {
    expect(read(text)).toEqual({ where, last: null });
  });

  it('accepts last: only at the top level', () => {
    expect(read('last:20')).toEqual({ where: null, last: 20 });
    expect(read('last:20 a')).toEqual({ where: a, last: 20 });
    expect(read('a last:5 b').where).toEqual({ kind: 'and', of: [a, b] });
    expect(read('(a OR b) last:5').last).toBe(5);
    for (const text of [
      'a OR b last:5',
      '-last:5',
      '(last:5)',
      'a (b last:5)'
    ]) {
      const error = fail(text);
      expect(error.message).toMatch(/outside/);
      expect(text.slice(error.from, error.to)).toBe('last:5');
    }
    expect(accept('last:5 last:3', fail('last:5 last:3'))).toBe('last:5 ');
  });
});

describe('an error', () => {
  it.each([
    // text, place, what the text becomes when the suggestion is taken
    ['tpoic:ml', 'tpoic', 'topic:ml'],
    ['Topic:ml', 'Topic', 'topic:ml'],
    ['d<6mo', 'd', 'age<6mo'],
    ['stars>=2', 'stars', 'star>=2'],
    ['constructor:x', 'constructor:x', '"constructor:x"'],
    ['http://example.org/a', 'http://example.org/a', '"http://example.org/a"'],
    ['is:eror', 'eror', 'is:error'],
    ['a is:Edited', 'Edited', 'a is:edited'],
    ['has:tols', 'tols', 'has:tool'],
    ['age<7days', '7days', 'age<7d'],
    ['age<6m', '6m', 'age<6mo'],
    ['age<3', '3', 'age<3d'],
    ['age:7d', ':', 'age<7d'],
    ['age=7d', '=', 'age<7d'],
    ['star:5', '5', 'star:3'],
    ['tokens>1.5k', '1.5k', 'tokens>1500'],
    ['topic>ml', '>', 'topic:ml'],
    ['topic:ml/', 'ml/', 'topic:ml'],
    ['topic:ml//nlp/**', 'ml//nlp/**', 'topic:ml/nlp/**'],
    ['date:2026-1-2', '2026-1-2', 'date:2026-01-02'],
    [
      'date:2026-11-16..2026-11-01',
      '2026-11-16..2026-11-01',
      'date:2026-11-01..2026-11-16'
    ],
    ['date:2026-11-01..', 'date:2026-11-01..', 'date>=2026-11-01'],
    ['date:..2026-11-01', 'date:..2026-11-01', 'date<=2026-11-01'],
    ['date>2026-11-01..2026-11-02', '>', 'date:2026-11-01..2026-11-02'],
    ['last>5', '>', 'last:5'],
    ['a AND b', 'AND ', 'a b'],
    ['star >= 2', 'star >= 2', 'star>=2'],
    ['topic: ml', 'topic: ml', 'topic:ml'],
    ['a - b', '- ', 'a -b'],
    ['foo(bar)', 'foo(bar)', '"foo(bar)"'],
    ['(a)(b)', '(a)(b)', '(a) (b)'],
    ['a"b"', 'a"b"', 'a "b"'],
    ['x "abc', '"abc', 'x "abc"'],
    ['(a OR b', '(a OR b', '(a OR b)'],
    ['a (b (c)', '(b (c)', 'a (b (c))'],
    ['a)', ')', 'a'],
    ['a ()', '()', 'a '],
    ['a OR', 'OR', 'a '],
    ['OR a', 'OR', ' a'],
    ['a OR OR b', 'OR', 'a OR  b'],
    ['a -', '-', 'a '],
    ['a NOT', 'NOT', 'a '],
    ['a ""', '""', 'a ']
  ])('in %s names its place and a way out', (text, place, better) => {
    const error = fail(text);
    expect(text.slice(error.from, error.to)).toBe(place);
    expect(accept(text, error)).toBe(better);
    expect(parse(better)).toHaveProperty('query');
    expect(error.message).toMatch(/\.$/);
  });

  it.each([
    ['topic:', 'topic:', /topic:ml\/nlp/],
    ['a (star>=)', 'star>=', /star>=2/],
    ['text:(a b)', 'text:', /quotes/],
    ['>=2', '>=', /field/],
    ['"a":b', ':', /field/],
    ['"', '"', /closed/],
    ['(', '(', /missing/],
    ['text:""', '""', /no text/],
    ['model:""', '""', /missing/],
    ['is:""', '""', /flag is missing/],
    ['star:two', 'two', /number/],
    ['star:1..2', '1..2', /number/],
    ['date:2026-02-30', '2026-02-30', /no day/],
    ['date:yesterday', 'yesterday', /year-month-day/],
    ['last:-1', '-1', /number/]
  ])('in %s without a guess says what is missing', (text, place, message) => {
    const error = fail(text);
    expect(text.slice(error.from, error.to)).toBe(place);
    expect(error.message).toMatch(message);
  });

  it('is returned for texts that are too long or too deep', () => {
    expect(fail('a'.repeat(MAX_LENGTH + 1)).from).toBe(MAX_LENGTH);
    const deep = '('.repeat(MAX_LENGTH / 2 - 1);
    expect(fail(`${deep}a${')'.repeat(deep.length)}`).message).toMatch(/deep/);
    expect(fail(`${'-'.repeat(MAX_LENGTH - 1)}a`).message).toMatch(/deep/);
    expect(parse(`${'-'.repeat(MAX_DEPTH)}a`)).toHaveProperty('query');
  });
});

describe('laws', () => {
  const pieces = fc.constantFrom(
    ...['(', ')', '"', '-', ' ', ':', '=', '<', '<=', '>', '>=', '..', '*'],
    ...[
      'OR',
      'NOT',
      'AND',
      'topic',
      'is',
      'has',
      'age',
      'date',
      'last',
      'star'
    ],
    ...['in', 'system', '7d', '2026-11-01', '3', 'ml/nlp', '\\', '\n', '\ud800']
  );
  const noise = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.nat(0xffff).map(code => String.fromCharCode(code)) }),
    fc.array(pieces, { maxLength: 30 }).map(parts => parts.join(''))
  );

  it('parsing never throws, and an error has a position in the text', () => {
    fc.assert(
      fc.property(noise, text => {
        const parsed = parse(text);
        if ('error' in parsed) {
          const { from, to, message } = parsed.error;
          expect(0 <= from && from <= to && to <= text.length).toBe(true);
          expect(message).not.toBe('');
          expect(typeof accept(text, parsed.error)).toBe('string');
        }
      }),
      { numRuns: 3000 }
    );
  });

  it('printing and parsing a query gives the same query', () => {
    fc.assert(
      fc.property(anyQuery, query => {
        const text = print(query);
        fc.pre(text.length <= MAX_LENGTH);
        expect(parse(text)).toEqual({ query });
      }),
      { numRuns: 1500 }
    );
  });

  it('printing is idempotent', () => {
    fc.assert(
      fc.property(noise, text => {
        const parsed = parse(text);
        if ('query' in parsed) {
          const printed = print(parsed.query);
          expect(parse(printed)).toEqual(parsed);
          expect(print(read(printed))).toBe(printed);
        }
      }),
      { numRuns: 3000 }
    );
  });
});

it.each(['constructor:x', 'toString>1', 'hasOwnProperty:y'])(
  'takes no key of an object for a field: %s',
  text => {
    expect(parse(text)).toHaveProperty('error');
  }
);
