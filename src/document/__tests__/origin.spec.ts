import { ORIGIN_KEY, originHash, originMetadata, readOrigin } from '../origin';
import { chatErrors } from './chatschema';

const from = { chatId: 'chat', pair: 'pair', run: '' };

describe('where a cell comes from', () => {
  it('is read as it was written', () => {
    const { [ORIGIN_KEY]: entry } = originMetadata('x', from);
    expect(readOrigin(entry)).toEqual({ ...from, sha256: originHash('x') });
    const cells = [{ id: 'x', metadata: originMetadata('x', from) }];
    expect(chatErrors({ metadata: {}, cells })).toEqual([]);
  });

  it('is not written for a chat without an id', () => {
    expect(originMetadata('x', { ...from, chatId: '' })).toEqual({});
  });

  it('can be hashed whatever the text', () => {
    expect(originHash('\ud800')).toMatch(/^[0-9a-f]{64}$/);
  });

  const sha256 = originHash('x');
  it.each([
    undefined,
    null,
    'chat',
    [],
    {},
    { ...from, sha256: 'x' },
    { ...from, sha256, chatId: '' },
    { ...from, sha256, chatId: 'x'.repeat(1e6) },
    { ...from, sha256, pair: { toString: 'x' } },
    { ...from, sha256, pair: 3 },
    { ...from, sha256, run: ['x'] }
  ])('is nothing if it cannot be read: %#', value => {
    expect(readOrigin(value)).toBeNull();
  });
});
