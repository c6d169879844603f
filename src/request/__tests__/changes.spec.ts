import fc from 'fast-check';

import { changesBetween } from '../changes';
import { RequestDraft } from '../draft';
import { defaultFrame, renderRequest } from '../render';
import { anyBase, usual } from './requests';

const body = (...texts: string[]) =>
  renderRequest(
    defaultFrame('m'),
    texts.map(content => ({ role: 'user', content }))
  );

describe('changes between two bodies', () => {
  it.each([
    ['nothing', body('a', 'b'), 0],
    ['an edit', body('a', 'x'), 1],
    ['two edits', body('y', 'x'), 2],
    ['a deletion', body('a'), 1],
    ['an addition', body('a', 'b', 'c'), 1],
    ['an edit and an addition', body('x', 'b', 'c'), 2],
    ['the same message twice', body('a', 'b', 'b'), 1],
    ['another order', body('b', 'a'), 2],
    ['an option', body('a', 'b').replace('"m"', '"n"'), 1],
    ['an option less', body('a', 'b').replace('"stream":true,', ''), 1],
    ['the spelling', body('a', 'b').replace('"m"', ' "m"'), 1]
  ])('count %s', (_, after, count) => {
    expect(changesBetween(body('a', 'b'), after)).toBe(count);
  });

  it('are symmetric, and zero only for equal bytes', () => {
    fc.assert(
      fc.property(anyBase, anyBase, (one, two) => {
        const [a, b] = [one, two].map(
          base => new RequestDraft({ base }).request.body
        );
        expect(changesBetween(a, b)).toBe(changesBetween(b, a));
        expect(changesBetween(a, b) === 0).toBe(a === b);
      })
    );
  });

  it('count the edits, whatever the ids of sections', () => {
    const draft = new RequestDraft({ base: usual() });
    const before = draft.request.body;
    draft.setLeaf('c0/system', ['content'], 'x');
    draft.setOption('temperature', 1);
    expect(changesBetween(before, draft.request.body)).toBe(2);
  });
});
