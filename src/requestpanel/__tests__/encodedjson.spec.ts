import { pathName } from '../../request/leaves';
import { encodedJson } from '../encodedjson';

describe('paths inside JSON', () => {
  it('are written as people write them', () => {
    expect(pathName(['tool_calls', 0, 'function', 'name'])).toBe(
      'tool_calls[0].function.name'
    );
    expect(pathName([0, 'text'])).toBe('[0].text');
    expect(pathName([])).toBe('');
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
