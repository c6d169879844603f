import fc from 'fast-check';

import {
  gatherContext,
  idRanges,
  idsOf,
  INTERRUPTED,
  NEW_MESSAGE,
  PRELUDE,
  type ContextCell
} from '../gather';

const pair = (
  id: string,
  user: string,
  reply: string,
  state: 'succeeded' | 'error' | 'canceled' | 'idle' = 'succeeded'
): ContextCell => ({ kind: 'pair', id, user, reply, state });

describe('gatherContext', () => {
  it('sends system cells and pairs in order and the new message last', () => {
    const { messages, cells } = gatherContext(
      [
        { kind: 'system', id: 's', text: 'Be brief.' },
        pair('a', 'One?', '1'),
        { kind: 'note', id: 'n' },
        pair('b', 'Two?', '2')
      ],
      'Three?'
    );
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'One?' },
      { role: 'assistant', content: '1' },
      { role: 'user', content: 'Two?' },
      { role: 'assistant', content: '2' },
      { role: 'user', content: 'Three?' }
    ]);
    expect(cells).toEqual(['s', 'a', 'b']);
  });

  it('leaves out empty texts and empty cells', () => {
    const { messages, cells } = gatherContext(
      [
        { kind: 'system', id: 's', text: ' \n' },
        pair('a', '', ''),
        pair('b', 'Failed?', '', 'error'),
        pair('c', ' ', 'only a reply')
      ],
      'x'
    );
    expect(messages).toEqual([
      { role: 'user', content: 'Failed?' },
      { role: 'assistant', content: 'only a reply' },
      { role: 'user', content: 'x' }
    ]);
    expect(cells).toEqual(['b', 'c']);
  });

  it('sends a partial reply as it is, with a sentinel if the user stopped it', () => {
    const { messages } = gatherContext(
      [pair('a', 'q', 'cut off', 'error'), pair('b', 'q', 'stopp', 'canceled')],
      'x'
    );
    expect(messages[1].content).toBe('cut off');
    expect(messages[3].content).toBe(`stopp\n\n${INTERRUPTED}`);
  });
});

describe('sections', () => {
  const cells: ContextCell[] = [
    { kind: 'system', id: `${PRELUDE}units`, text: 'Use SI units.' },
    { kind: 'system', id: 's', text: 'Be brief.' },
    { kind: 'note', id: 'n' },
    { kind: 'pair', id: 'a', user: 'hi', reply: 'hello', state: 'succeeded' }
  ];

  it('say where each message comes from', () => {
    const context = gatherContext(cells, 'now');
    expect(context.sections).toEqual([
      { id: 'prelude:units/system', kind: 'context', cell: null },
      { id: 's/system', kind: 'system', cell: 's' },
      { id: 'a/user', kind: 'history', cell: 'a' },
      { id: 'a/assistant', kind: 'history', cell: 'a' },
      NEW_MESSAGE
    ]);
    expect(context.cells).toEqual(['s', 'a']);
  });

  it('are the same objects until their cell changes', () => {
    const one = gatherContext(cells, 'now');
    const two = gatherContext(cells, 'then');
    expect(two.messages[3]).toBe(one.messages[3]);
    expect(two.sections[3]).toBe(one.sections[3]);
    const other = gatherContext([...cells.slice(0, 3), { ...cells[3] }], 'x');
    expect(other.messages[3]).not.toBe(one.messages[3]);
    expect(other.messages[3]).toEqual(one.messages[3]);
  });

  it('follow a changed sentinel', () => {
    const stopped: ContextCell = {
      kind: 'pair',
      id: 'a',
      user: 'hi',
      reply: 'hel',
      state: 'canceled'
    };
    const content = (sentinel: string) =>
      gatherContext([stopped], 'now', { sentinel }).messages[1].content;
    expect(content('[CUT]')).toBe('hel\n\n[CUT]');
    expect(content('')).toBe('hel');
  });
});

describe('idRanges', () => {
  it('joins neighbours', () => {
    expect(idRanges(['a', 'b', 'd'], ['a', 'b', 'c', 'd'])).toEqual([
      ['a', 'b', 2],
      ['d', 'd', 1]
    ]);
  });

  it('covers exactly the ids, whatever is left out', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), kept => {
        const order = kept.map((_, index) => `c${index}`);
        const ids = order.filter((_, index) => kept[index]);
        const back = idRanges(ids, order).flatMap(([first, last, count]) => {
          const slice = order.slice(
            order.indexOf(first),
            order.indexOf(last) + 1
          );
          expect(slice).toHaveLength(count);
          return slice;
        });
        expect(back).toEqual(ids);
      })
    );
  });
});

describe('idsOf', () => {
  it('returns what ranges were made of, while the document has it', () => {
    const order = ['a', 'b', 'c', 'd', 'e'];
    const ids = ['a', 'b', 'd', 'e'];
    expect(idsOf(idRanges(ids, order), order)).toEqual(ids);
    expect(idsOf(idRanges(ids, order), ['b', 'd', 'e'])).toEqual([
      'b',
      'd',
      'e'
    ]);
    expect(idsOf([['x', 'y', 2]], order)).toEqual([]);
  });
});

describe('a stopped reply without text', () => {
  it.each(['', ' \n'])('sends no bare sentinel: %j', reply => {
    const { messages } = gatherContext(
      [{ kind: 'pair', id: 'a', user: 'hi', reply, state: 'canceled' }],
      'new'
    );
    expect(messages).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'user', content: 'new' }
    ]);
  });
});
