import type { IFileCheck } from '../../../../base/run';
import { freezeFile, type IFileReader } from '../serverfile';

const reader = (
  content: string | Buffer,
  kind: IFileCheck['kind'] = 'file',
  type = 'file'
): IFileReader => ({
  api: { checkFile: async () => ({ kind }) },
  contents: {
    driveName: (path: string) => /^(RTC|s3):/.exec(path)?.[1] ?? '',
    localPath: (path: string) => path.replace(/^(RTC|s3):/, ''),
    get: async (path: string, options?: { content?: boolean }) => ({
      name: path.split('/').pop(),
      path,
      type,
      size: content.length,
      content: options?.content ? Buffer.from(content).toString('base64') : null
    })
  } as never
});

describe('freezeFile', () => {
  it('freezes a text with its path and language', async () => {
    const { file } = await freezeFile('data/a.py', reader('print(1)\n'), 7);
    expect(file.data).toBe('File: data/a.py\n\n```python\nprint(1)\n\n```');
    expect(file.reference).toEqual({
      kind: 'file',
      path: 'data/a.py',
      name: 'data/a.py',
      at: 7,
      language: 'python'
    });
    const { file: odd } = await freezeFile('x.constructor', reader('1'), 7);
    expect(odd.reference).not.toHaveProperty('language');
  });

  it.each([
    ['outside', /outside the folder/],
    ['hidden', /hidden/],
    ['special', /device, a pipe/],
    ['missing', /no such file/]
  ] as const)('refuses what is %s, without reading it', async (kind, words) => {
    const unread = reader('x', kind);
    unread.contents.get = () => {
      throw new Error('read');
    };
    await expect(freezeFile('x.txt', unread)).rejects.toThrow(words);
  });

  it('asks the server about all paths in its folder, and about no others', async () => {
    const asked: string[] = [];
    const all = reader('x');
    all.api.checkFile = async path => {
      asked.push(path);
      return { kind: 'file' };
    };
    for (const path of ['a', 'RTC:b', 's3:c', 'odd: name', 'x:../y']) {
      await freezeFile(path, all);
    }
    expect(asked).toEqual(['a', 'b', 'odd: name', 'x:../y']);
  });

  it('refuses folders, binaries and what is too large', async () => {
    await expect(
      freezeFile('d', reader('x', 'file', 'directory'))
    ).rejects.toThrow('is a folder');
    await expect(
      freezeFile('x.bin', reader(Buffer.from([0, 1, 2, 0xff, 0])))
    ).rejects.toThrow('neither text nor');
    await expect(freezeFile('x.txt', reader('x'.repeat(3e6)))).rejects.toThrow(
      'too large'
    );
  });

  it('refuses a large file by its size, without reading it', async () => {
    const read: string[] = [];
    const large = reader('x');
    const { get } = large.contents;
    large.contents.get = async (path, options) => {
      if (options?.content) {
        read.push(path);
      }
      return { ...(await get(path, options)), size: 30e6 };
    };
    await expect(freezeFile('big.csv', large)).rejects.toThrow('too large');
    expect(read).toEqual([]);
    // Of an image the user may want a smaller one.
    await freezeFile('big.PNG', large);
    expect(read).toEqual(['big.PNG']);
  });
});
