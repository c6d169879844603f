import fc from 'fast-check';

import {
  gatherContext,
  idRanges,
  INTERRUPTED,
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

  it('leaves out empty texts and cells that say nothing', () => {
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

  it('sends a partial reply as it stands, with a sentinel if the user stopped it', () => {
    const { messages } = gatherContext(
      [pair('a', 'q', 'cut off', 'error'), pair('b', 'q', 'stopp', 'canceled')],
      'x'
    );
    expect(messages[1].content).toBe('cut off');
    expect(messages[3].content).toBe(`stopp\n\n${INTERRUPTED}`);
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
