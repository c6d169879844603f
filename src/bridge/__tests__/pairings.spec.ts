import { Pairings } from '../pairings';

function stored(items: Record<string, string> = {}) {
  return {
    getItem: (key: string) => items[key] ?? null,
    setItem: (key: string, value: string) => {
      items[key] = value;
    },
    removeItem: (key: string) => {
      delete items[key];
    }
  };
}

test('remembers the chat of a notebook in another page too', () => {
  const storage = stored();
  new Pairings(storage).set('a.ipynb', 'a.chat.ipynb');
  const other = new Pairings(storage);
  expect(other.chatOf('a.ipynb')).toBe('a.chat.ipynb');
  expect(other.chatOf('b.ipynb')).toBeNull();
  other.forget('a.ipynb');
  expect(other.chatOf('a.ipynb')).toBeNull();
});

test('follows notebooks, chats and folders that are renamed', () => {
  const pairings = new Pairings(stored());
  pairings.set('d/a.ipynb', 'd/a.chat.ipynb');
  pairings.rename('d/a.ipynb', 'd/b.ipynb');
  expect(pairings.chatOf('d/b.ipynb')).toBe('d/a.chat.ipynb');
  pairings.rename('d/a.chat.ipynb', 'd/questions.chat.ipynb');
  pairings.rename('d', 'e');
  expect(pairings.chatOf('e/b.ipynb')).toBe('e/questions.chat.ipynb');
  expect(pairings.chatOf('d/a.ipynb')).toBeNull();
  // What a chat is about while it is being read, whatever its file says.
  expect(pairings.notebookOf('e/questions.chat.ipynb')).toBe('e/b.ipynb');
  expect(pairings.notebookOf('d/a.chat.ipynb')).toBeNull();
});

test('drops the oldest of many, and ignores what it cannot read', () => {
  const pairings = new Pairings(stored());
  for (let n = 0; n < 300; n++) {
    pairings.set(`n${n}.ipynb`, 'x.chat.ipynb');
  }
  expect(pairings.chatOf('n299.ipynb')).not.toBeNull();
  expect(pairings.chatOf('n0.ipynb')).toBeNull();
  const warn = jest.spyOn(console, 'warn').mockImplementation();
  for (const text of ['{', '[1]', '{"a.ipynb": 3}']) {
    const odd = new Pairings(stored({ 'turnbook:about': text }));
    expect(odd.chatOf('a.ipynb')).toBeNull();
  }
  warn.mockRestore();
});
