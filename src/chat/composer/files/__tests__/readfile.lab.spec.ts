import { excess, LIMITS, readFile, type IReadable } from '../readfile';

const PNG = '\x89PNG\r\n\x1a\n';
const IEND = '\0\0\0\0IEND\xae\x42\x60\x82';

const bytesOf = (text: string) =>
  Uint8Array.from([...text].map(letter => letter.charCodeAt(0)));

const file = (name: string, content: string): IReadable => {
  const bytes = bytesOf(content);
  return { name, size: bytes.length, bytes: async () => bytes };
};

/** A file whose bytes must not be read, besides the first. */
const unread = (name: string, size: number, start?: string): IReadable => ({
  name,
  size,
  bytes: () => Promise.reject(new Error('The file was read.')),
  ...(start === undefined ? {} : { start: async () => bytesOf(start) })
});

describe('readFile', () => {
  it('names, hashes and encodes a file', async () => {
    const { file: read, note } = await readFile(
      file('a\u202e\nplot.png', PNG + IEND)
    );
    expect(read).toMatchObject({
      type: 'image/png',
      name: 'a plot.png',
      data: btoa(PNG + IEND),
      size: 20
    });
    expect(read.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(note).toBeUndefined();
  });

  it.each([
    ['200 MB', unread('film.png', 200e6, PNG)],
    ['200 MB on the server', unread('film.png', 200e6)],
    ['30 MB that are no image', unread('data.png', 30e6, 'PK\x03\x04')]
  ])('refuses %s without reading them', async (_, large) => {
    await expect(readFile(large)).rejects.toThrow(
      /^(film|data)\.png has .* MB, which is too large: up to 20.* MB can be attached\.$/
    );
  });

  it('offers to scale a large image down, under its own name', async () => {
    const content = PNG + '\x01\x31\x2d\x00IDAT' + 'x'.repeat(0x01312d00 + 4);
    await expect(
      readFile({ ...file('wall.png', content + IEND) })
    ).rejects.toMatchObject({ image: { name: 'wall.png', type: 'image/png' } });
  });

  it.each([
    ['a.png', 'PK\x03\x04', 'a.png is not attached: its content is ZIP.'],
    ['b.jpg', '\xff\xd8\xff\xe0\x00\x02', 'b.jpg is cut off'],
    ['c.png', '<svg xmlns="x"/>', 'c.png is an SVG drawing'],
    ['d.pdf', '%PDF-1.7\n/Encrypt 1 0 R\n%%EOF', 'd.pdf is protected'],
    ['e.txt', '', 'e.txt is empty.'],
    ['f.txt', 'x'.repeat(LIMITS.text + 1), 'f.txt has 2'],
    ['g.bin', '\x01\xfe\x02', 'g.bin is not attached: its content is neither']
  ])('refuses %s', async (name, content, words) => {
    await expect(readFile(file(name, content))).rejects.toThrow(words);
  });

  it('reads text of other encodings, and says so if that is a guess', async () => {
    const utf16 = await readFile(file('a.txt', '\xff\xfeG\0r\0\xfc\0n\0'));
    expect(utf16.file.data).toContain('Grün');
    expect(utf16.note).toBeUndefined();
    const old = await readFile(file('b.csv', 'Gr\xfcn;5\xa3\r\n'));
    expect(old.file.data).toContain('Grün;5£\r\n');
    expect(old.note).toMatch(/^b\.csv is attached\..*Windows-1252/);
  });
});

it('a message has a limit of files and of their size together', () => {
  const one = { name: 'x', size: 1e6 };
  const full = Array.from({ length: LIMITS.count }, () => one);
  expect(excess(full.slice(1), one)).toBe(null);
  expect(excess(full, one)).toMatch(/a message can have 20 files/);
  const large = Array.from({ length: 3 }, () => ({ name: 'x', size: 17e6 }));
  expect(excess(large, one)).toMatch(/50.* MB together/);
});
