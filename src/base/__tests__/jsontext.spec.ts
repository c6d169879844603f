import fc from 'fast-check';
import { existsSync, readdirSync, readFileSync } from 'fs';
import { join } from 'path';

import { jsonErrorAt, lineOf } from '../jsontext';

const SUITE =
  process.env.TURNBOOK_JSON_SUITE ??
  join(__dirname, '../../..', '../shared/json-suite');

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return false;
  }
}

/** JSON with something wrong in it, mostly. */
const damaged = fc
  .tuple(
    fc.json({ maxDepth: 3 }),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', ',', '"', '}', ']', ':', '\\', '\n', '0', '-', '.', 'e')
  )
  .map(([json, place, length, text]) => {
    const at = place % (json.length + 1);
    return json.slice(0, at) + text + json.slice(at + length);
  });

describe('the first error in JSON', () => {
  it('is there whenever the browser finds one', () => {
    fc.assert(
      fc.property(fc.oneof(damaged, fc.json(), fc.string()), text => {
        expect(jsonErrorAt(text) === null).toBe(isJson(text));
      }),
      { numRuns: 2000 }
    );
  });

  it('is where valid JSON cannot go on', () => {
    fc.assert(
      fc.property(damaged, text => {
        const at = jsonErrorAt(text);
        if (at !== null) {
          expect(at).toBeGreaterThanOrEqual(0);
          expect(at).toBeLessThanOrEqual(text.length);
          // What comes before is not to blame: alone, it is wrong only at its end, if at all.
          const before = jsonErrorAt(text.slice(0, at));
          expect(before === null || before === at).toBe(true);
        }
      }),
      { numRuns: 2000 }
    );
  });

  it.each([
    ['', 0],
    ['{"a": 1', 7],
    ['{"a": 01}', 7],
    ['{"a": tru}', 6],
    ['{"a": 1,}', 8],
    ['{a: 1}', 1],
    ['{"a" 1}', 5],
    ['[1 2]', 3],
    ['"a\nb"', 2],
    ['"\\x"', 1],
    ['1 2', 2],
    ['Sorry.', 0]
  ])('is in %j at %d', (text, at) => {
    expect(jsonErrorAt(text)).toBe(at);
  });

  it('does not depend on the depth', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(jsonErrorAt(deep)).toBeNull();
    expect(jsonErrorAt(deep.slice(0, -1))).toBe(deep.length - 1);
    expect(jsonErrorAt(JSON.stringify('x\\"'.repeat(500_000)))).toBeNull();
  });

  (existsSync(SUITE) ? it : it.skip)(
    'is found in the files that others test parsers with',
    () => {
      const files = readdirSync(SUITE).filter(name => name.endsWith('.json'));
      expect(files.length).toBeGreaterThan(300);
      for (const file of files) {
        const text = readFileSync(join(SUITE, file), 'utf-8');
        expect([file, jsonErrorAt(text) === null]).toEqual([
          file,
          isJson(text)
        ]);
      }
    }
  );
});

describe('a place', () => {
  it('is a line and a column, from 1', () => {
    expect(lineOf('ab\ncd', 0)).toEqual({ line: 1, column: 1 });
    expect(lineOf('ab\ncd', 2)).toEqual({ line: 1, column: 3 });
    expect(lineOf('ab\ncd', 4)).toEqual({ line: 2, column: 2 });
    expect(lineOf('', 0)).toEqual({ line: 1, column: 1 });
  });
});
