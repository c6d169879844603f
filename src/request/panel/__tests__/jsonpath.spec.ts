import { encodedJson, pathName, valueAt, withValue } from '../jsonpath';

const value = { a: [{ b: 'x' }, 2], c: null };

describe('places inside JSON', () => {
  it('are written as people write them', () => {
    expect(pathName(['tool_calls', 0, 'function', 'name'])).toBe(
      'tool_calls[0].function.name'
    );
    expect(pathName([0, 'text'])).toBe('[0].text');
    expect(pathName([])).toBe('');
  });

  it('are read and written without touching the original', () => {
    const next = withValue(value, ['a', 0, 'b'], 'y');
    expect(valueAt(next, ['a', 0, 'b'])).toBe('y');
    expect(valueAt(value, ['a', 0, 'b'])).toBe('x');
    expect(valueAt(value, ['a', 5, 'b'])).toBeUndefined();
    expect(valueAt(value, ['c', 'd'])).toBeUndefined();
  });

  it('can be taken away', () => {
    expect(withValue(value, ['a', 0], undefined)).toEqual({ a: [2], c: null });
    expect(withValue(value, ['c'], undefined)).toEqual({ a: [{ b: 'x' }, 2] });
  });
});

describe('JSON inside a text', () => {
  it('is found when the text is an object or a list', () => {
    expect(encodedJson('{"city": "Bern"}')).toEqual({ city: 'Bern' });
    expect(encodedJson(' [1, 2]')).toEqual([1, 2]);
  });

  it('is not looked for elsewhere', () => {
    expect(encodedJson('12')).toBeNull();
    expect(encodedJson('{"city": ')).toBeNull();
    expect(encodedJson('Words')).toBeNull();
  });
});
