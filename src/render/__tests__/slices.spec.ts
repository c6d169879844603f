import { isQuick, sliceMarkdown } from '../slices';

const PARAGRAPH = 'Some **words** in a paragraph, with `code` too.\n\n';

function joined(source: string): string {
  return sliceMarkdown(source)
    .map(({ text }) => text)
    .join('');
}

describe('sliceMarkdown', () => {
  it('does not split an ordinary reply', () => {
    const source = PARAGRAPH.repeat(100);
    expect(sliceMarkdown(source)).toEqual([{ text: source, isHeavy: false }]);
  });

  it('splits a long reply between blocks', () => {
    const source = PARAGRAPH.repeat(4000);
    const slices = sliceMarkdown(source);
    expect(joined(source)).toBe(source);
    expect(slices.length).toBeGreaterThan(10);
    for (const { text, isHeavy } of slices) {
      expect(isHeavy).toBe(false);
      expect(text.length).toBeLessThanOrEqual(16_000);
      expect(text.endsWith('\n\n')).toBe(true);
    }
  });

  it('keeps dependent blocks together', () => {
    const source = `See [a].\n\n${PARAGRAPH.repeat(500)}[a]: https://example.com\n`;
    expect(sliceMarkdown(source).length).toBe(1);
  });

  it.each([
    ['one paragraph', 'word '.repeat(200_000)],
    ['marks that match nothing', '*a '.repeat(6_000)],
    ['a list', '- item\n'.repeat(20_000)],
    ['code', `\`\`\`\n${'x = 1\n'.repeat(40_000)}\`\`\`\n`],
    ['formulas', '$a$ '.repeat(3_000)]
  ])('takes a heavy block apart from its neighbours: %s', (_, heavy) => {
    const source = `# Title\n\n${heavy}\n\nEnd.`;
    const slices = sliceMarkdown(source);
    expect(joined(source)).toBe(source);
    expect(slices.map(({ isHeavy }) => isHeavy)).toEqual([false, true, false]);
    expect(slices[0].text).toContain('# Title');
    expect(slices[2].text).toContain('End.');
  });

  it('formats a long listing and a long list', () => {
    const listing = `\`\`\`python\n${'a[i] = b * c_d  # `x`\n'.repeat(4000)}\`\`\`\n`;
    const list = '- **one** and `two` of them\n'.repeat(2000);
    for (const source of [listing, list]) {
      expect(sliceMarkdown(source)).toEqual([{ text: source, isHeavy: false }]);
    }
  });
});

describe('isQuick', () => {
  it('looks at each paragraph', () => {
    const marks = '*a* '.repeat(500);
    expect(isQuick(marks, 1_000_000)).toBe(false);
    expect(isQuick(`${marks}\n\n${marks}`, 2_500_000)).toBe(true);
    expect(isQuick(marks + marks, 2_500_000)).toBe(false);
  });
});
