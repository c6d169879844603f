import { Saves } from '../saves';

describe('Saves', () => {
  it('returns what the document contained when the save started', () => {
    const saves = new Saves();
    saves.began(['a', 'b']);
    expect([...saves.ended(true)]).toEqual(['a', 'b']);
  });

  it('does not count what landed during the save', () => {
    const saves = new Saves();
    saves.began([]);
    saves.began(['late']);
    expect(saves.ended(true).has('late')).toBe(false);
    expect(saves.ended(true).has('late')).toBe(true);
  });

  it('counts nothing for a save that failed', () => {
    const saves = new Saves();
    saves.began(['a']);
    expect(saves.ended(false).size).toBe(0);
    saves.began(['a']);
    expect(saves.ended(true).has('a')).toBe(true);
  });

  it('is at most one save late after one that ended without an event', () => {
    const saves = new Saves();
    saves.began([]);
    saves.began(['a']);
    expect(saves.ended(true).size).toBe(0);
    saves.began(['a']);
    expect(saves.ended(true).has('a')).toBe(true);
  });

  it('counts nothing for saves during which the file was read again', () => {
    const saves = new Saves();
    saves.began(['a']);
    saves.forget();
    expect(saves.ended(true).size).toBe(0);
    saves.began(['a']);
    expect(saves.ended(true).has('a')).toBe(true);
  });

  it('counts nothing when no save is known', () => {
    expect(new Saves().ended(true).size).toBe(0);
  });
});
