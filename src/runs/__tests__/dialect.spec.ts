import { existsSync, readdirSync, readFileSync } from 'fs';
import { join } from 'path';

import { MAX_DEPTH, parseChunk, parseJSON } from '../dialect';
import { honestEnd } from '../attempts';
import type { IOutcome } from '../../base/run';

const ROOT = join(__dirname, '../../..');
const SUITE =
  process.env.TURNBOOK_JSON_SUITE ?? join(ROOT, '../shared/json-suite');

/** The cases that the server is tested with too. */
const CASES = JSON.parse(
  readFileSync(join(ROOT, 'jupyterlab_turnbook/tests/json_cases.json'), 'utf-8')
) as { why: string; text: string; strict: boolean; chunk: unknown }[];

/** What the suite leaves open, and neither side accepts. */
const REFUSED = [
  'i_string_UTF-16LE_with_BOM.json',
  'i_string_utf16BE_no_BOM.json',
  'i_string_utf16LE_no_BOM.json',
  'i_structure_500_nested_arrays.json',
  'i_structure_UTF-8_BOM_empty_object.json'
];

function takes(text: string): boolean {
  try {
    parseJSON(text);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return false;
  }
}

it.each(CASES)('reads or refuses $why', ({ text, strict, chunk }) => {
  expect(takes(text)).toBe(strict);
  expect(parseChunk(text) ?? null).toEqual(chunk);
});

it('limits the depth', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(takes(nested(MAX_DEPTH))).toBe(true);
  expect(takes(nested(MAX_DEPTH + 1))).toBe(false);
  expect(takes(nested(100_000))).toBe(false);
  expect(takes(`[${'[],'.repeat(1000)}{}]`)).toBe(true);
  const strings = ['['.repeat(1000), '\\"{'.repeat(1000)];
  expect(takes(JSON.stringify(strings))).toBe(true);
});

it('limits numbers', () => {
  expect(parseJSON(`[${'9'.repeat(5000)}, 12]`)).toEqual([null, 12]);
});

(existsSync(SUITE) ? it : it.skip)(
  'takes and refuses the same files as the server',
  () => {
    const files = readdirSync(SUITE).filter(name => name.endsWith('.json'));
    expect(files.length).toBeGreaterThan(300);
    // As the server reads the bytes of a stream: invalid UTF-8 is replaced.
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    const wrong = files.filter(name => {
      const text = decoder.decode(readFileSync(join(SUITE, name)));
      const wanted =
        name.startsWith('y_') ||
        (name.startsWith('i_') && !REFUSED.includes(name));
      return takes(text) !== wanted;
    });
    expect(wrong).toEqual([]);
  }
);

it('a reply with unreadable parts is not complete', () => {
  const end = { type: null, finish: 'stop', status: 200 } as IOutcome;
  expect(honestEnd({ state: 'done', end }, 0)).toEqual({ state: 'done', end });
  expect(honestEnd({ state: 'done', end }, 1)).toMatchObject({
    state: 'failed',
    end: { type: 'server', code: 'unreadable', finish: 'stop' }
  });
  expect(honestEnd({ state: 'stopped', end }, 1)).toEqual({
    state: 'stopped',
    end
  });
});
