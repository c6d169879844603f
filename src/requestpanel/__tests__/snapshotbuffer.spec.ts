import { followed, isWritten } from '../snapshotbuffer';

describe('the text of a snapshot', () => {
  it('follows each render until the user changes it', () => {
    let buffer = followed(null, 'one');
    expect(buffer).toEqual({ text: 'one', base: 'one' });
    expect(followed(buffer, 'one')).toBe(buffer);
    buffer = followed(buffer, 'two');
    expect(buffer).toEqual({ text: 'two', base: 'two' });
    expect(isWritten(buffer)).toBe(false);
  });

  it('stays once the user changed it', () => {
    const written = { text: 'mine', base: 'one' };
    expect(isWritten(written)).toBe(true);
    expect(followed(written, 'two')).toBe(written);
  });
});
