import * as fc from 'fast-check';

import { mentionAt } from '../trigger';

/** `|` is the cursor. */
const at = (text: string) =>
  mentionAt(text.replace('|', ''), text.indexOf('|'));

describe('mentionAt', () => {
  it.each([
    ['@|', { start: 0, end: 1, query: '' }],
    ['Look at @ana|', { start: 8, end: 12, query: 'ana' }],
    ['line\n@data/x.csv|', { start: 5, end: 16, query: 'data/x.csv' }],
    ['(@4|)', { start: 1, end: 3, query: '4' }],
    ['@a|b c', { start: 0, end: 2, query: 'a' }],
    ['ein „@ä|', { start: 5, end: 7, query: 'ä' }]
  ])('finds the @ before the cursor: %s', (text, mention) => {
    expect(at(text)).toEqual(mention);
  });

  it.each([
    ['me@example.org|'],
    ['a@|'],
    ['5@|'],
    ['@a b|'],
    ['@@|'],
    ['|@a'],
    ['no mention|'],
    ['@\n|'],
    ['|'],
    [`@${'x'.repeat(500)}|`]
  ])('finds none in a word, an address or elsewhere: %s', text => {
    expect(at(text)).toBeNull();
  });

  it('names exactly the text between @ and the cursor', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('@', ' ', '\n', 'a', '.', '(', '😀')),
        fc.nat(),
        (letters, place) => {
          const text = letters.join('');
          const caret = text.length ? place % (text.length + 1) : 0;
          const found = mentionAt(text, caret);
          if (found) {
            expect(text.slice(found.start, caret)).toBe(`@${found.query}`);
            expect(found.query).not.toMatch(/\s/);
            expect(text[found.start - 1] ?? ' ').toMatch(/[\s(]/);
          }
        }
      )
    );
  });

  it('looks only at the end of a long text', () => {
    const long = 'x '.repeat(1e6);
    expect(mentionAt(`${long}@q`, long.length + 2)?.query).toBe('q');
  });
});
