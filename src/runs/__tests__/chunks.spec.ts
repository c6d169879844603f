import { ChunkReader } from '../chunks';
import { parseChunk } from '../dialect';

describe('ChunkReader', () => {
  it('reads events as one response, however they are split', async () => {
    const seen: unknown[] = [];
    const reader = new ChunkReader(chunk => seen.push(chunk));
    reader.push('{"a": "é\u2028"}');
    reader.push('{\n"b":\n2}');
    reader.close();
    expect(await reader.finished).toBeNull();
    expect(seen).toEqual([{ a: 'é\u2028' }, { b: 2 }]);
  });

  it('says where reading stopped and keeps what came before', async () => {
    const seen: unknown[] = [];
    const reader = new ChunkReader(chunk => seen.push(chunk));
    reader.push('{"a": 1}');
    reader.push('{"error": {"message": "Overloaded"}}');
    reader.close();
    expect(await reader.finished).toMatch(/Overloaded/);
    expect(seen).toEqual([{ a: 1 }]);
    expect(reader.unread).toEqual(['{"error": {"message": "Overloaded"}}']);
  });

  it('accepts more after reading stopped', async () => {
    const reader = new ChunkReader(() => undefined);
    reader.push('not JSON');
    expect(await reader.finished).not.toBeNull();
    reader.push('{"a": 1}');
    reader.close();
    expect(reader.unread).toEqual(['not JSON', '{"a": 1}']);
  });

  it('says that the package cannot be loaded, and keeps everything', async () => {
    const seen: unknown[] = [];
    const reader = new ChunkReader(
      chunk => seen.push(chunk),
      () => Promise.reject(new Error('Loading chunk 7 failed.'))
    );
    reader.push('{"a": 1}');
    expect(await reader.finished).toBe('Loading chunk 7 failed.');
    reader.push('{"a": 2}');
    expect(reader.unread).toEqual(['{"a": 1}', '{"a": 2}']);
    expect(seen).toEqual([]);
  });
});

describe('parseChunk', () => {
  it('returns undefined for an invalid chunk', () => {
    expect(parseChunk('{"a": 1}')).toEqual({ a: 1 });
    expect(parseChunk('[DONE]')).toBeUndefined();
  });
});
