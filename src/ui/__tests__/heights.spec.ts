import { estimateHeight } from '../heights';

describe('estimateHeight', () => {
  const frame = estimateHeight([]);

  it('grows with every line of a text', () => {
    const one = estimateHeight(['word']) - frame;
    expect(one).toBeGreaterThan(0);
    expect(estimateHeight(['word\nword']) - frame).toBe(2 * one);
    expect(estimateHeight(['x'.repeat(900)]) - frame).toBe(10 * one);
    expect(estimateHeight(['word', 'word']) - frame).toBe(2 * one);
  });

  it('counts an empty line less than a written one', () => {
    expect(estimateHeight(['a\n\nb'])).toBeLessThan(
      estimateHeight(['a\nb\nc'])
    );
  });
});
