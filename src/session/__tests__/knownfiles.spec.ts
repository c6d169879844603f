import { KnownFiles } from '../knownfiles';

/** What a browser keeps. */
function memory() {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key)
  };
}

describe('KnownFiles', () => {
  it('identifies a file by its chat and its path', () => {
    const storage = memory();
    const files = new KnownFiles(storage);
    expect(files.isMade('c', 'a.chat.ipynb')).toBe(false);
    files.make('c', 'a.chat.ipynb');
    const after = new KnownFiles(storage);
    expect(after.isMade('c', 'a.chat.ipynb')).toBe(true);
    expect(after.isMade('c', 'b.chat.ipynb')).toBe(false);
    expect(after.isMade('d', 'a.chat.ipynb')).toBe(false);
  });

  it('follows a file that it knows, and no other', () => {
    const files = new KnownFiles(memory());
    files.move('c', 'a', 'b');
    expect(files.isMade('c', 'b')).toBe(false);
    files.make('c', 'a');
    files.move('c', 'x', 'b');
    expect(files.isMade('c', 'a')).toBe(true);
    files.move('c', 'a', 'b');
    expect(files.isMade('c', 'b')).toBe(true);
    expect(files.isMade('c', 'a')).toBe(false);
  });

  it('remembers what was agreed to, only for that file', () => {
    const storage = memory();
    const files = new KnownFiles(storage);
    files.agree('c', 'a', { models: ['work/one'] });
    files.agree('c', 'a', { models: ['work/two'], options: ['digest'] });
    const after = new KnownFiles(storage);
    expect(after.agreement('c', 'a')).toMatchObject({
      models: ['work/two', 'work/one'],
      options: ['digest']
    });
    expect(after.isMade('c', 'a')).toBe(false);
    for (const [chat, path] of [
      ['c', 'b'],
      ['d', 'a'],
      ['__proto__', 'a'],
      ['*', '*']
    ]) {
      expect(after.agreement(chat, path)).toMatchObject({
        models: [],
        options: []
      });
    }
    for (let n = 0; n < 200; n++) {
      files.agree('c', 'a', { models: [`work/${n}`] });
    }
    expect(files.agreement('c', 'a').models).toHaveLength(100);
    expect(files.agreement('c', 'a').models[0]).toBe('work/199');
  });

  it('copies what it knows to a copy and to another id', () => {
    const files = new KnownFiles(memory());
    files.make('c', 'a');
    expect(
      files.copy({ chatId: 'c', path: 'a' }, { chatId: 'c', path: 'b' })
    ).toBe(true);
    files.rename('c', 'd', 'b');
    expect(files.isMade('d', 'b')).toBe(true);
    expect(files.isMade('c', 'b')).toBe(false);
    expect(files.isMade('c', 'a')).toBe(true);
    expect(
      files.copy({ chatId: 'x', path: 'a' }, { chatId: 'x', path: 'b' })
    ).toBe(false);
    // The same file, whether or not its path begins at the root.
    expect(files.isMade('c', '/a')).toBe(true);
  });

  it('ignores what cannot be read', () => {
    const warned = jest.spyOn(console, 'warn').mockImplementation();
    const storage = memory();
    const files = new KnownFiles(storage);
    files.make('c', 'a');
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{"made":1,"models":"work/x"}'
    ]) {
      storage.setItem('turnbook:file:c:a', text);
      expect(files.isMade('c', 'a')).toBe(false);
      expect(files.agreement('c', 'a')).toMatchObject({ models: [] });
    }
    warned.mockRestore();
  });

  it('remembers only for this page if nothing can be stored, and says so', () => {
    const warned = jest.spyOn(console, 'warn').mockImplementation();
    const full = {
      ...memory(),
      setItem: () => {
        throw new Error('full');
      }
    };
    const files = new KnownFiles(full);
    files.agree('c', 'a', { models: ['work/one'] });
    expect(files.agreement('c', 'a').models).toEqual(['work/one']);
    expect(new KnownFiles(full).agreement('c', 'a').models).toEqual([]);
    expect(warned).toHaveBeenCalledTimes(1);
    warned.mockRestore();
  });
});
