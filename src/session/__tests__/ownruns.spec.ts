import { OwnRuns } from '../ownruns';

/** A browser whose pages have tabs. */
function browser() {
  const taken = new Map<string, object>();
  return {
    /** A page that is opened in a tab. */
    open(kept: Map<string, string> = new Map()) {
      const page = {};
      const own = new OwnRuns({
        storage: {
          getItem: key => kept.get(key) ?? null,
          setItem: (key, value) => void kept.set(key, value),
          removeItem: key => void kept.delete(key)
        },
        take: async id => {
          const isFree = !taken.has(id);
          if (isFree) {
            taken.set(id, page);
          }
          return isFree;
        }
      });
      return {
        own,
        kept,
        leave: () =>
          taken.forEach((one, id) => one === page && taken.delete(id))
      };
    }
  };
}

describe('OwnRuns', () => {
  it('survives a reload of the tab, and forgets the oldest', async () => {
    const { open } = browser();
    const page = open();
    await page.own.ready;
    for (let n = 0; n < 101; n++) {
      page.own.add(`r${n}`);
    }
    page.leave();
    const { own } = open(page.kept);
    await own.ready;
    expect(own.has('r100')).toBe(true);
    expect(own.has('r0')).toBe(false);
    expect(open().own.has('r100')).toBe(false);
  });

  it('does not extend to a copy of the tab, which has its own runs', async () => {
    const { open } = browser();
    const page = open();
    await page.own.ready;
    page.own.add('first');
    const copy = open(new Map(page.kept));
    // Sent before it is known that this is a copy.
    copy.own.add('second');
    await copy.own.ready;
    expect(copy.own.has('first')).toBe(false);
    expect(copy.own.has('second')).toBe(true);
    copy.leave();
    const again = open(copy.kept);
    await again.own.ready;
    expect(again.own.has('first')).toBe(false);
    expect(again.own.has('second')).toBe(true);
    expect(page.own.has('first')).toBe(true);
  });

  it('does not extend to a copy of a copy either', async () => {
    const { open } = browser();
    const page = open();
    await page.own.ready;
    page.own.add('first');
    const copies = [open(new Map(page.kept)), open(new Map(page.kept))];
    await Promise.all(copies.map(({ own }) => own.ready));
    const last = open(new Map(copies[1].kept));
    await last.own.ready;
    for (const { own } of [...copies, last]) {
      expect(own.has('first')).toBe(false);
    }
  });

  it('reads what an earlier version stored, and ignores what cannot be read', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const { open } = browser();
    const old = open(new Map([['turnbook:own-runs', '["r"]']]));
    await old.own.ready;
    expect(old.own.has('r')).toBe(true);
    for (const stored of ['{', '{}', 'null']) {
      const { own } = open(new Map([['turnbook:own-runs', stored]]));
      await own.ready;
      expect(own.has('r')).toBe(false);
    }
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });
});
