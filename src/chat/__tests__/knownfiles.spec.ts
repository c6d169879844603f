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
  it('knows a file by its chat and its path', () => {
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

  it('knows nothing where nothing can be kept, and says so', () => {
    const warned = jest.spyOn(console, 'warn').mockImplementation();
    const full = {
      ...memory(),
      setItem: () => {
        throw new Error('full');
      }
    };
    const files = new KnownFiles(full);
    files.make('c', 'a');
    expect(files.isMade('c', 'a')).toBe(false);
    expect(warned).toHaveBeenCalledTimes(1);
    warned.mockRestore();
  });
});
