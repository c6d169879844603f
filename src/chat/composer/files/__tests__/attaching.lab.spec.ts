import {
  textAttachment,
  type IAttachment
} from '../../../../document/attachments';
import { referenceAttachment } from '../../../../document/references';
import { Draft } from '../../../../session/draft';
import type { IReferenceItem } from '../../references/providers';
import { Attaching } from '../attaching';

const FILE = textAttachment('a.txt', 'text');
const REFERENCE = referenceAttachment(
  { kind: 'cell', path: 'a.ipynb', name: 'cell 1', at: 1 },
  'x = 1'
);

function open() {
  const items = new Map<string, string>();
  const draft = new Draft({
    storage: {
      getItem: key => items.get(key) ?? null,
      setItem: (key, value) => void items.set(key, value),
      removeItem: key => void items.delete(key)
    }
  });
  const attaching = new Attaching({
    draft,
    contents: null as never,
    api: null as never
  });
  const names = () => draft.attachments.map(({ name }) => name);
  const words = () => attaching.problems.map(one => one.words);
  return { attaching, draft, names, words };
}

/** What a provider offers, whatever its `freeze()` gives. */
const item = (freeze: () => unknown): IReferenceItem => ({
  label: 'Table',
  kind: 'cell',
  freeze: freeze as IReferenceItem['freeze']
});

const never = item(() => new Promise(() => undefined));

describe('Attaching', () => {
  it.each<[unknown, string]>([
    [{ ...FILE, type: 'text/plain' }, 'type'],
    [{ ...FILE, type: 'image/svg+xml' }, 'type'],
    [{ ...FILE, type: 'constructor' }, 'type'],
    [{ ...FILE, name: undefined }, 'name'],
    [{ ...FILE, data: new Uint8Array(2) }, 'data'],
    [{ ...FILE, sha256: undefined }, 'sha256'],
    [{ ...FILE, size: '4' }, 'size'],
    [
      { ...REFERENCE, reference: { ...REFERENCE.reference, kind: 'table' } },
      'reference'
    ],
    [
      { ...REFERENCE, reference: { kind: 'cell', name: 'x', at: 1 } },
      'reference'
    ],
    [{ ...REFERENCE, reference: null }, 'reference'],
    [null, 'attachment']
  ])(
    'refuses what cannot be drawn or sent, and says what is wrong: %j',
    async (odd, part) => {
      const { attaching, names, words } = open();
      await attaching.take([odd as IAttachment, FILE]);
      expect(names()).toEqual(['a.txt']);
      expect(words()).toEqual([
        expect.stringContaining(`wrong form (${part})`)
      ]);
      await attaching.freeze(item(async () => [odd, REFERENCE]));
      expect(names()).toEqual(['a.txt', 'cell 1']);
      expect(words().at(-1)).toContain('Table is not attached');
    }
  );

  it('puts what a reference is now in its place, once, and not of one that is gone', async () => {
    const { attaching, draft, names, words } = open();
    const cell = (path: string, text: string) =>
      referenceAttachment(
        { kind: 'cell', path, name: 'a.ipynb · cell 1', at: 1 },
        text
      );
    await attaching.take([REFERENCE, FILE, cell('d/a.ipynb', '1')]);
    const next = cell('e/a.ipynb', '2');
    expect(attaching.update(REFERENCE, next)).toBe(null);
    // Two notebooks with one name.
    const updated = ['e/a.ipynb · cell 1', 'a.txt', 'a.ipynb · cell 1'];
    expect(names()).toEqual(updated);
    expect(attaching.update(REFERENCE, next)).toMatch(/not attached any more/);
    expect(names()).toEqual(updated);
    // It is attached already, further up.
    expect(attaching.update(FILE, draft.attachments[0])).toBe(null);
    expect(names()).toEqual(['e/a.ipynb · cell 1', 'a.ipynb · cell 1']);
    const large = { ...cell('e/a.ipynb', '3'), size: 1e12 };
    expect(attaching.update(FILE, large)).toMatch(/not attached any more/);
    expect(attaching.update(draft.attachments[0], large)).toMatch(/together/);
    expect(names()).toHaveLength(2);
    expect(words()).toEqual([]);
  });

  it('says that a reference cannot be of another kind', async () => {
    const { attaching, names, words } = open();
    const table = { kind: 'table' as never, path: '', name: 'x', at: 1 };
    await attaching.freeze(item(async () => [referenceAttachment(table, 'x')]));
    expect(names()).toEqual([]);
    expect(words()[0]).toContain('cannot be of the kind table');
  });

  it('names the folder of what is called like something else', async () => {
    const { attaching, names, words } = open();
    const cell = (path: string) =>
      referenceAttachment(
        { kind: 'cell', path, name: 'a.ipynb · cell 1', at: 1 },
        'x = 1'
      );
    const image = (sha256: string, path: string): IAttachment => ({
      ...cell(path),
      type: 'image/png',
      data: 'AAAA',
      sha256
    });
    await attaching.take([cell('d/a.ipynb'), cell('e/a.ipynb')]);
    await attaching.take([cell('a.ipynb'), image('1', 'f/a.ipynb')]);
    expect(names()).toEqual([
      'a.ipynb · cell 1',
      'e/a.ipynb · cell 1',
      './a.ipynb · cell 1',
      'f/a.ipynb · cell 1'
    ]);
    expect(words()).toEqual([]);
    await attaching.take([cell('e/a.ipynb')]);
    expect(words()).toEqual([expect.stringContaining('attached already')]);
  });

  it('gives up on what cannot be read in time, and goes on', async () => {
    jest.useFakeTimers();
    const { attaching, names, words } = open();
    const sent = jest.fn();
    void attaching.freeze(never);
    const done = attaching.take([FILE]);
    attaching.whenAttached(sent);
    await jest.advanceTimersByTimeAsync(60_000);
    await done;
    expect(names()).toEqual(['a.txt']);
    expect(words()).toEqual([
      'Table is not attached: it could not be read within 60 s.'
    ]);
    expect(attaching.isReading).toBe(false);
    expect(sent).not.toHaveBeenCalled();
    jest.useRealTimers();
  });

  it('sends once, when everything is attached', async () => {
    const { attaching, names } = open();
    const sent: string[][] = [];
    let read!: (files: IAttachment[]) => void;
    const done = attaching.freeze(
      item(() => new Promise(resolve => (read = resolve)))
    );
    attaching.whenAttached(() => sent.push(names()));
    attaching.whenAttached(() => sent.push(names()));
    expect(attaching.isAwaited).toBe(true);
    await Promise.resolve();
    expect(sent).toEqual([]);
    read([REFERENCE]);
    await done;
    expect(sent).toEqual([['cell 1']]);
    expect(attaching.isAwaited).toBe(false);
    attaching.whenAttached(() => sent.push([]));
    expect(sent).toHaveLength(2);
  });

  it('sends although an earlier problem is dismissed meanwhile, and not after a dismissed new one', async () => {
    const { attaching, words } = open();
    const sent = jest.fn();
    await attaching.take([null as never]);
    expect(words()).toHaveLength(1);
    let done = attaching.take([FILE]);
    attaching.whenAttached(sent);
    attaching.dismiss();
    await done;
    expect(sent).toHaveBeenCalledTimes(1);
    let read!: (files: IAttachment[]) => void;
    void attaching.take([null as never]);
    done = attaching.freeze(
      item(() => new Promise(resolve => (read = resolve)))
    );
    attaching.whenAttached(sent);
    await new Promise(resolve => setTimeout(resolve));
    expect(words()).toHaveLength(1);
    attaching.dismiss();
    read([REFERENCE]);
    await done;
    expect(sent).toHaveBeenCalledTimes(1);
  });

  it('says what is wrong with something that is no list, and goes on without sending', async () => {
    const { attaching, names, words } = open();
    const sent = jest.fn();
    void attaching.freeze(item(async () => [REFERENCE]));
    void attaching.take({} as never);
    attaching.whenAttached(sent);
    await attaching.take([FILE]);
    expect(words()).toEqual([
      expect.stringMatching(/^Not attached: .*not iterable/)
    ]);
    expect(names()).toEqual(['cell 1', 'a.txt']);
    expect([attaching.isReading, attaching.isAwaited]).toEqual([false, false]);
    expect(sent).not.toHaveBeenCalled();
  });

  it('can be canceled: nothing is attached or sent later', async () => {
    const { attaching, names, words } = open();
    const sent = jest.fn();
    let read!: (files: IAttachment[]) => void;
    void attaching.freeze(item(() => new Promise(resolve => (read = resolve))));
    const done = attaching.take([FILE]);
    attaching.whenAttached(sent);
    await Promise.resolve();
    attaching.cancel();
    await done;
    read([REFERENCE]);
    await Promise.resolve();
    expect(names()).toEqual([]);
    expect(words()).toEqual([expect.stringContaining('canceled')]);
    expect([attaching.isReading, attaching.isAwaited]).toEqual([false, false]);
    expect(sent).not.toHaveBeenCalled();
    await attaching.take([FILE]);
    expect(names()).toEqual(['a.txt']);
  });
});
