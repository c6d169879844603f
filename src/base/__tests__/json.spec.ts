import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';
import fc from 'fast-check';

import { isDeepJSON, restored, storable, wellFormedJSON } from '../json';

const key = fc.oneof(
  fc.string(),
  fc.constantFrom('_proto__', '__proto__', '___proto__', '____proto__', 'a')
);

const { value } = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue({ maxDepth: 0 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true })
  )
}));

/** Objects as JSON text has them: `__proto__` is an ordinary key. */
const objects = fc
  .dictionary(key, value, { maxKeys: 4 })
  .map(made => JSON.parse(JSON.stringify(made)) as PartialJSONObject);

describe('storable', () => {
  it('is undone by `restored`, even after JupyterLab has copied it', () => {
    fc.assert(
      fc.property(objects, given => {
        const held = storable(given);
        const copied = JSONExt.deepCopy(held as any);
        expect(JSON.stringify(copied)).toBe(JSON.stringify(held));
        expect(JSON.stringify(restored(copied))).toBe(
          JSON.stringify(wellFormedJSON(given))
        );
      })
    );
  });

  it('leaves all keys unchanged except those like `__proto__`', () => {
    expect(storable({ _proto__: 1, __proto: 2, a__proto__: 3 })).toEqual({
      _proto__: 1,
      __proto: 2,
      a__proto__: 3
    });
    expect(storable(JSON.parse('{"__proto__":1,"___proto__":2}'))).toEqual({
      ___proto__: 1,
      ____proto__: 2
    });
  });

  it('replaces lone surrogates in texts and keys', () => {
    expect(storable({ 'a\ud800': ['\udc00b'] })).toEqual({
      'a\ufffd': ['\ufffdb']
    });
  });
});

describe('isDeepJSON', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  it('is about brackets that are nested, not about those in a row or in strings', () => {
    expect(isDeepJSON(nested(200))).toBe(false);
    expect(isDeepJSON(nested(201))).toBe(true);
    expect(isDeepJSON(`[${'[],{},'.repeat(500)}1]`)).toBe(false);
    expect(isDeepJSON(JSON.stringify('["\\'.repeat(500)))).toBe(false);
    expect(isDeepJSON(JSON.stringify({ a: '\\' }) + nested(201))).toBe(true);
    // Text that is cut off in a string.
    expect(isDeepJSON('["' + nested(500))).toBe(false);
  });

  it('lets everything through that can be written again', () => {
    fc.assert(
      fc.property(fc.jsonValue(), made => !isDeepJSON(JSON.stringify(made)))
    );
  });
});
