import { knowing, UNKNOWN, type IPairFacts } from '../pairfacts';

const read = { read: true, newest: null, skew: 0 };

describe('what a page knows of a pair', () => {
  it.each<[string, Partial<IPairFacts>]>([
    ['the journal was read', { journal: read }],
    ['another sentinel', { sentinel: '[CUT]' }],
    ['nobody has looked at it', { isNew: true }],
    ['it is being sent', { isPosting: true }],
    ['replayed cells are locked', { locked: true }]
  ])('changes by %s', (_, facts) => {
    expect(knowing(UNKNOWN, facts)).toEqual({ ...UNKNOWN, ...facts });
  });

  it('is the same object when nothing that is shown changed', () => {
    const known: IPairFacts = { ...UNKNOWN, journal: read, isNew: true };
    expect(knowing(known, {})).toBe(known);
    expect(knowing(known, { isNew: true, journal: { ...read } })).toBe(known);
  });

  it('ignores a small clock drift', () => {
    const known = { ...UNKNOWN, journal: read };
    expect(knowing(known, { journal: { ...read, skew: -500 } })).toBe(known);
    const far = { ...read, skew: -501 };
    expect(knowing(known, { journal: far }).journal).toBe(far);
  });

  it('changes with each newer attempt', () => {
    const known = { ...UNKNOWN, journal: read };
    const newest = { id: 'run' } as never;
    const next = knowing(known, { journal: { ...read, newest } });
    expect(next.journal.newest).toBe(newest);
  });
});
