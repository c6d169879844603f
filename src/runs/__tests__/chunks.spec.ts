import { ChunkReader } from '../chunks';

describe('ChunkReader', () => {
  it('reads events as one response, however they are cut', async () => {
    const seen: unknown[] = [];
    const reader = new ChunkReader(chunk => seen.push(chunk));
    reader.push('{"a": "é\u2028"}');
    reader.push('{\n"b":\n2}');
    reader.close();
    expect(await reader.finished).toBeNull();
    expect(seen).toEqual([{ a: 'é\u2028' }, { b: 2 }]);
  });

  it('says where reading ended and keeps what came before', async () => {
    const seen: unknown[] = [];
    const reader = new ChunkReader(chunk => seen.push(chunk));
    reader.push('{"a": 1}');
    reader.push('{"error": {"message": "Overloaded"}}');
    reader.close();
    expect(await reader.finished).toMatch(/Overloaded/);
    expect(seen).toEqual([{ a: 1 }]);
  });
});
