import { isKeptMessages, keepMessages, readKeptMessages } from '../messages';

const TEXT = [{ role: 'user', content: 'hi' }];
const kept = (json: string) => ({ ...keepMessages([], TEXT), json });

describe('kept messages', () => {
  it('count while the text is unchanged', () => {
    const value = keepMessages([{ role: 'user', content: null }], TEXT);
    expect(readKeptMessages(value, () => TEXT)).toEqual([
      { role: 'user', content: null }
    ]);
    expect(readKeptMessages(value, () => [])).toBeNull();
  });

  it.each([
    '{"role":"user"}',
    '[1]',
    '[null]',
    '[{}]',
    '[{"role":1}]',
    '[',
    '""'
  ])('that are no messages do not count: %s', json => {
    expect(isKeptMessages(kept(json))).toBe(false);
    expect(readKeptMessages(kept(json), () => TEXT)).toBeNull();
  });

  it.each([null, [], {}, { json: '[]' }, { json: 1, textHash: 'h' }])(
    'cannot be read from %j',
    value => {
      expect(isKeptMessages(value)).toBe(false);
    }
  );
});
