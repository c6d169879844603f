import { RefusedText } from '../refused';

describe('the text of a pair that was not sent again', () => {
  it('is returned once, to its pair', () => {
    const refused = new RefusedText();
    refused.keep('a', 'Not lost');
    expect(refused.take('b')).toBeNull();
    expect(refused.take('a')).toBe('Not lost');
    expect(refused.take('a')).toBeNull();
  });

  it('is the last one', () => {
    const refused = new RefusedText();
    refused.keep('a', 'First');
    refused.keep('b', 'Second');
    expect(refused.take('a')).toBeNull();
    expect(refused.take('b')).toBe('Second');
  });
});
