import { Signal } from '@lumino/signaling';

import type { IChatPanel } from '../../../tokens';
import { ReferenceCompletion } from '../completion';
import type { IReferenceItem, IReferenceProvider } from '../providers';

const item = (label: string): IReferenceItem => ({
  label,
  kind: 'cell',
  freeze: async () => []
});

/** A provider that answers when it is told to. */
class Slow implements IReferenceProvider {
  constructor(readonly id: string) {}
  readonly label = 'Slow';
  asked: { query: string; signal: AbortSignal }[] = [];
  find(query: string, _: number, signal: AbortSignal) {
    this.asked.push({ query, signal });
    return new Promise<IReferenceItem[]>((resolve, reject) => {
      this.answer = (...labels) => resolve(labels.map(item));
      this.fail = reject;
    });
  }
  answer!: (...labels: string[]) => void;
  fail!: (error: Error) => void;
}

const settle = async () => {
  for (let n = 0; n < 5; n++) {
    await Promise.resolve();
  }
};

function completion(...list: IReferenceProvider[]) {
  const chat = () => ({}) as IChatPanel;
  const made = new ReferenceCompletion({ providers: { list }, chat });
  const type = (text: string) => made.update(text, text.length);
  const labels = () => made.items.map(({ label }) => label);
  const press = (key: string, shiftKey = false) => {
    const chosen: string[] = [];
    const taken = made.take({ key, shiftKey }, ({ label }) =>
      chosen.push(label)
    );
    return taken ? (chosen[0] ?? true) : false;
  };
  return { made, type, labels, press };
}

describe('ReferenceCompletion', () => {
  it.each([{}, { label: {} }, { label: 'a', detail: {} }, null])(
    'lists nothing that has no name: %j',
    async odd => {
      const provider = { id: 'odd', label: 'Odd', find: async () => [odd] };
      const { made, type } = completion(provider as never);
      type('@');
      await settle();
      expect(made.groups).toMatchObject([
        { items: [], problem: 'It offers something without a name.' }
      ]);
    }
  );

  it('shows what is there, in the order of the providers, and does not wait for the rest', async () => {
    const [first, second] = [new Slow('1'), new Slow('2')];
    const { made, type, labels } = completion(first, second);
    type('@');
    expect(made.isSearching).toBe(true);
    second.answer('b');
    await settle();
    expect(labels()).toEqual(['b']);
    first.answer('a');
    await settle();
    expect(labels()).toEqual(['a', 'b']);
    expect(made.isSearching).toBe(false);
  });

  it('ignores and aborts what belongs to an earlier key', async () => {
    const slow = new Slow('1');
    const { type, labels } = completion(slow);
    type('@a');
    const late = slow.answer;
    type('@ab');
    expect(slow.asked[0].signal.aborted).toBe(true);
    slow.answer('new');
    late('old');
    await settle();
    expect(labels()).toEqual(['new']);
    // The same text is not searched again.
    type('@ab');
    expect(slow.asked).toHaveLength(2);
  });

  it('keeps what the user went to when more arrives', async () => {
    const [first, second] = [new Slow('1'), new Slow('2')];
    const { type, press } = completion(first, second);
    type('@');
    second.answer('b', 'c');
    await settle();
    press('ArrowDown');
    first.answer('a');
    await settle();
    expect(press('Enter')).toBe('c');
  });

  it('keeps it when its provider is asked again and makes new items of the same', async () => {
    const [first, second] = [new Slow('1'), new Slow('2')];
    const changed = new Signal<Slow, void>(second);
    const { made, type, press } = completion(
      first,
      Object.assign(second, { changed })
    );
    type('@');
    first.answer('same');
    second.answer('same', 'b', 'same');
    await settle();
    press('ArrowUp');
    expect(made.active).toBe(3);
    changed.emit();
    second.answer('new', 'same', 'b', 'same');
    await settle();
    expect(made.active).toBe(4);
    press('ArrowUp');
    changed.emit();
    second.answer('b', 'same');
    await settle();
    expect(made.active).toBe(1);
    expect(press('Enter')).toBe('b');
  });

  it('is moved through in a circle, and chosen from with Enter and Tab', async () => {
    const slow = new Slow('1');
    const { type, press } = completion(slow);
    type('@');
    slow.answer('a', 'b');
    await settle();
    expect(press('Tab')).toBe('a');
    press('ArrowUp');
    expect(press('Enter')).toBe('b');
    press('ArrowDown');
    expect(press('Enter')).toBe('a');
    expect(press('Enter', true)).toBe(false);
    expect(press('x')).toBe(false);
  });

  it('does not let Enter send while it is searching, and does once there is nothing', async () => {
    const slow = new Slow('1');
    const { type, press } = completion(slow);
    type('@nobody');
    expect(press('Enter')).toBe(true);
    slow.answer();
    await settle();
    expect(press('Enter')).toBe(false);
  });

  it('stays closed after Esc until there is another @', async () => {
    const slow = new Slow('1');
    const { made, type, press } = completion(slow);
    type('@a');
    expect(press('Escape')).toBe(true);
    type('@ab');
    expect(made.mention).toBeNull();
    expect(press('Enter')).toBe(false);
    type('@ab @');
    expect(made.mention).toMatchObject({ start: 4 });
    type('');
    type('@a');
    expect(made.mention).toMatchObject({ query: 'a' });
  });

  it('asks a provider again that has found more, as long as the list is open', async () => {
    const slow = new Slow('1');
    const changed = new Signal<Slow, void>(slow);
    const { type, labels } = completion(Object.assign(slow, { changed }));
    type('@a');
    slow.answer('a');
    await settle();
    changed.emit();
    slow.answer('a', 'b');
    await settle();
    expect(labels()).toEqual(['a', 'b']);
    expect(slow.asked.map(({ query }) => query)).toEqual(['a', 'a']);
    type('');
    changed.emit();
    expect(slow.asked).toHaveLength(2);
  });

  it('says what of a provider could not be searched, beside what was found', async () => {
    const { made, type, press } = completion({
      id: 'half',
      label: 'Half',
      find: async (_query, _limit, _signal, _chat, report) => {
        report?.('a.ipynb: busy');
        report?.('b.ipynb: dead');
        return [item('x')];
      }
    });
    type('@');
    await settle();
    expect(made.groups).toMatchObject([
      { items: [{ label: 'x' }], problem: 'a.ipynb: busy\nb.ipynb: dead' }
    ]);
    expect(press('Enter')).toBe('x');
  });

  it('says which provider failed, and shows the others', async () => {
    const [first, second] = [new Slow('1'), new Slow('2')];
    const warn = jest.spyOn(console, 'warn').mockReturnValue();
    const { made, type, labels } = completion(first, second);
    type('@');
    first.fail(new Error('no kernel'));
    second.answer('b');
    await settle();
    expect(labels()).toEqual(['b']);
    expect(made.groups[0].problem).toBe('no kernel');
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });
});
