import { Budget } from '../../../context/budget';
import { savedPair } from '../../../session/__tests__/sessionparts';
import { showCells } from '../../__tests__/shownchat';
import type { ChatNotebook } from '../notebook';
import { OutMarks } from '../outmarks';

const IDS = ['a', 'b', 'c'];

function budget(ids = IDS): Budget {
  return new Budget(
    ids.map(id => ({ id, kind: 'pair', tokens: 10 })),
    { window: 100, softCap: 100, reserve: 0 }
  );
}

/** The pairs that are shown as OUT. */
function marked(content: ChatNotebook): string[] {
  return IDS.filter(id =>
    content.pair(id)!.node.hasAttribute('data-turnbook-ooc')
  );
}

describe('OutMarks', () => {
  let content: ChatNotebook;
  let marks: OutMarks;
  beforeEach(() => {
    content = showCells(IDS.map(id => savedPair(id, id, id)));
    marks = new OutMarks(content);
  });
  afterEach(() => content.dispose());

  it('are on the pairs before the boundary, wherever it goes', () => {
    const one = budget();
    const expected = [[], ['a'], ['a', 'b'], ['a', 'b', 'c']];
    for (const boundary of [0, 2, 3, 1, 0]) {
      marks.show(one, boundary, null);
      expect(marked(content)).toEqual(expected[boundary]);
    }
  });

  it('are made again for another budget with the same boundary', () => {
    marks.show(budget(), 1, null);
    marks.show(budget(['b', 'c']), 1, null);
    expect(marked(content)).toEqual(['b']);
  });

  it('are those of a special send, and afterwards the context’s again', () => {
    const one = budget();
    marks.show(one, 1, null);
    const special = { state: one.at(0), isOut: (id: string) => id === 'c' };
    marks.show(one, 1, special);
    expect(marked(content)).toEqual(['c']);
    marks.show(one, 1, null);
    expect(marked(content)).toEqual(['a']);
  });

  it('ignore pairs that are gone', () => {
    const one = budget(['gone', ...IDS]);
    marks.show(one, 0, null);
    marks.show(one, 2, null);
    expect(marked(content)).toEqual(['a']);
  });
});
