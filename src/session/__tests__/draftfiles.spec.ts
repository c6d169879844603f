import { PromiseDelegate } from '@lumino/coreutils';

import { textAttachment } from '../../document/attachments';
import { Draft } from '../draft';
import { DraftFiles } from '../draftfiles';

/** The browser's storages, which outlive a page. */
class Browser {
  readonly items = new Map<string, string>();
  readonly blobs = new Map<string, unknown>();
  isFull = false;
  /** Whether reading fails. */
  isBroken = false;
  writes = 0;

  /** Resolves when the last blob was deleted. */
  get emptied(): Promise<void> {
    return this._empty.promise;
  }

  /** The draft of a page that has just been opened. */
  async open(): Promise<{ draft: Draft; files: DraftFiles }> {
    const opened = this.begin();
    await opened.draft.ready;
    return opened;
  }

  /** The same while its files are still being read. */
  begin(): { draft: Draft; files: DraftFiles } {
    const files = new DraftFiles({
      get: async key => {
        if (this.isBroken) {
          throw new Error('UnknownError');
        }
        return this.blobs.get(key);
      },
      set: async (key, value) => {
        if (this.isFull) {
          throw new Error('QuotaExceededError');
        }
        this.writes++;
        this.blobs.set(key, value);
      },
      del: async key => {
        this.blobs.delete(key);
        if (!this.blobs.size) {
          this._empty.resolve();
        }
      }
    });
    const draft = new Draft({
      storage: {
        getItem: key => this.items.get(key) ?? null,
        setItem: (key, value) => void this.items.set(key, value),
        removeItem: key => void this.items.delete(key)
      },
      files
    });
    draft.open('chat');
    return { draft, files };
  }

  private _empty = new PromiseDelegate<void>();
}

const [a, b, c] = ['a', 'b', 'c'].map(name =>
  textAttachment(`${name}.txt`, name)
);

describe('the attachments of a draft', () => {
  it('are restored with its text, in order, also without a text', async () => {
    const browser = new Browser();
    const { draft, files } = await browser.open();
    expect(draft.isEmpty).toBe(true);
    expect([a, b, a].map(file => draft.attach(file))).toEqual([
      true,
      true,
      false
    ]);
    expect(draft.isEmpty).toBe(false);
    await files.kept;
    const { draft: again } = await browser.open();
    expect(again.attachments).toEqual([a, b]);
    expect(again.pair).toBe(draft.pair);
    again.detach(again.attachments[0]);
    expect(again.attachments).toEqual([b]);
  });

  it('are each stored once, and a key press stores none', async () => {
    const browser = new Browser();
    const { draft, files } = await browser.open();
    draft.attach(a);
    draft.attach(b);
    await files.kept;
    const { writes } = browser;
    expect(writes).toBe(4);
    const before = draft.attachments;
    draft.text = 'x';
    draft.flush();
    await files.kept;
    expect(browser.writes).toBe(writes);
    expect(draft.attachments).toBe(before);
  });

  it('stay stored until the message has reached the server', async () => {
    const browser = new Browser();
    const { draft, files } = await browser.open();
    const { pair } = draft;
    draft.attach(a);
    draft.text = 'sent';
    draft.clear();
    expect(draft.attachments).toEqual([]);
    await files.kept;
    expect(browser.blobs.size).toBe(2);
    draft.forget(pair);
    await browser.emptied;
    expect(browser.blobs.size).toBe(0);
  });

  it('come back with a message that was refused, before those attached since', async () => {
    const { draft } = await new Browser().open();
    const { pair } = draft;
    draft.attach(a);
    draft.clear();
    draft.attach(b);
    draft.restore(pair, 'again', [a]);
    expect(draft.attachments).toEqual([a, b]);
    expect(draft.pair).toBe(pair);
  });

  it('come back with a message whose page went away', async () => {
    const browser = new Browser();
    const { draft, files } = await browser.open();
    const { pair } = draft;
    draft.attach(a);
    draft.attach(c);
    draft.clear();
    await files.kept;
    const { draft: next } = await browser.open();
    expect(next.attachments).toEqual([]);
    next.restore(pair, 'lost');
    await next.ready;
    expect(next.attachments).toEqual([a, c]);
  });

  it('say if they would not survive a reload', async () => {
    const browser = new Browser();
    const { draft } = await browser.open();
    browser.isFull = true;
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const told = new Promise(resolve =>
      draft.changed.connect(() => draft.problem && resolve(draft.problem))
    );
    draft.attach(a);
    expect(await told).toMatch(/too large for the browser/);
    expect(draft.attachments).toEqual([a]);
    warn.mockRestore();
  });

  it('are still there if the page goes away while they are read', async () => {
    const browser = new Browser();
    const { draft, files } = await browser.open();
    draft.attach(a);
    await files.kept;
    browser.begin().draft.dispose();
    expect((await browser.open()).draft.attachments).toEqual([a]);
  });

  it('are tried again after a failed read, which is said', async () => {
    const browser = new Browser();
    const { draft, files } = await browser.open();
    draft.attach(a);
    await files.kept;
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    browser.isBroken = true;
    const { draft: broken } = await browser.open();
    expect(broken.problem).toMatch(/could not be read/);
    broken.text = 'typed';
    broken.flush();
    browser.isBroken = false;
    const { draft: again } = await browser.open();
    expect(again.attachments).toEqual([a]);
    expect([again.text, again.problem]).toEqual(['typed', null]);
    warn.mockRestore();
  });

  it('are missed if they cannot be drawn or sent', async () => {
    const browser = new Browser();
    const { draft, files } = await browser.open();
    const [odd, good] = [textAttachment('a', 'x'), textAttachment('b', 'y')];
    draft.attach({ ...odd, type: 'text/plain' });
    draft.attach({ ...good, reference: { kind: 'table' } as never });
    await files.kept;
    const again = (await browser.open()).draft;
    expect(again.attachments).toEqual([good]);
    expect(again.problem).toContain('Attach them again');
  });

  it('are missed if the browser has dropped them', async () => {
    const browser = new Browser();
    const { draft, files } = await browser.open();
    draft.attach(a);
    draft.attach(b);
    await files.kept;
    for (const key of browser.blobs.keys()) {
      if (key.endsWith(b.sha256)) {
        browser.blobs.delete(key);
      }
    }
    const { draft: next } = await browser.open();
    expect(next.attachments).toEqual([a]);
    expect(next.problem).toMatch(/no longer in the browser/);
    // A message without files misses none.
    next.clear();
    next.restore('other', 'lost');
    await next.ready;
    expect(next.problem).toBe(null);
    expect(browser.items.get('turnbook:draft:chat')).not.toContain('files');
  });
});
