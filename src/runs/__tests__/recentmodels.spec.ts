import { MemoryStorage } from '../../../faults/client/storage';
import { RecentModels } from '../recentmodels';

describe('RecentModels', () => {
  it('has the last five, newest first, in all tabs', () => {
    const storage = new MemoryStorage();
    const one = new RecentModels(storage);
    expect(one.last).toBe('');
    ['a/1', 'a/2', 'b/3', 'a/1', 'b/4', 'b/5', 'b/6'].forEach(model =>
      one.use(model)
    );
    const other = new RecentModels(storage);
    expect(other.list).toEqual(['b/6', 'b/5', 'b/4', 'a/1', 'b/3']);
    other.use('');
    other.use('b/3');
    expect(one.last).toBe('b/3');
    expect(one.list).toHaveLength(5);
  });

  it('survives a storage that cannot be read', () => {
    const storage = new MemoryStorage();
    storage.getItem = storage.setItem = () => {
      throw new Error('denied');
    };
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const recent = new RecentModels(storage);
    expect(recent.last).toBe('');
    recent.use('a/b');
    recent.use('c/d');
    expect(recent.list).toEqual(['c/d', 'a/b']);
    warn.mockRestore();
  });

  it('survives what others write there, and a storage that is full', () => {
    const storage = new MemoryStorage();
    const recent = new RecentModels(storage);
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    for (const text of ['{', 'null', '{"0": "a/b"}', '[1, null, ""]', '7']) {
      storage.setItem('turnbook:models', text);
      expect(recent.list).toEqual([]);
    }
    storage.setItem('turnbook:models', '["a/b", 1]');
    expect(recent.list).toEqual(['a/b']);
    storage.setItem = () => {
      throw new Error('full');
    };
    recent.use('c/d');
    expect(recent.list).toEqual(['c/d', 'a/b']);
    warn.mockRestore();
  });
});
