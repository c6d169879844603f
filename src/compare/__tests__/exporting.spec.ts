import { trans } from '../../base/words';
import { comparisonHTML, comparisonMarkdown } from '../exporting';
import { NO_FACTS, saidOf, type ISide } from '../side';

const EVIL = '<img src=x onerror="alert(1)"> & </pre><script>';

function side(title: string, reply: string, model: string): ISide {
  return {
    title,
    path: `${title}.chat.ipynb`,
    said: [
      ...saidOf(
        [
          { role: 'system', content: 'Same' },
          { role: 'user', content: 'Same too' }
        ],
        false
      ),
      ...saidOf([{ role: 'assistant', content: reply }], true)
    ],
    facts: { ...NO_FACTS, model, input: 5, cost: 0.5 },
    notes: []
  };
}

const exported = (...sides: ISide[]) => ({
  sides,
  base: 0,
  unit: 'word' as const,
  trans
});

const breathe = async () => undefined;

describe('an exported comparison', () => {
  it('is a page in which data is text and nothing loads', async () => {
    const page = await comparisonHTML(
      exported(side(`A ${EVIL}`, 'red', EVIL), side('B', EVIL, 'm|n')),
      breathe
    );
    expect(page).not.toContain('<img');
    expect(page).not.toContain('<script');
    expect(page).not.toMatch(/\b(src|href)=[^x]/);
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('&#60;img src=x onerror=&#34;alert(1)&#34;&#62;');
    expect(page).toContain('2 equal messages');
    expect(page).toContain('<del>red</del>');
    expect(page).toMatch(/<th>Model ≠<\/th>/);
    expect(page).toMatch(/<th>Input tokens<\/th><td>5<\/td><td>5<\/td>/);
  });

  it('is Markdown with a table and diffs', async () => {
    const text = await comparisonMarkdown(
      exported(
        side('A', 'one\ntwo\n```\n', 'm|n'),
        side('B', 'one\nTWO\n```\n', EVIL)
      ),
      breathe
    );
    expect(text).toContain('# Comparison: A \\| B');
    expect(text).toContain('| Model ≠ | m\\|n | \\<img');
    expect(text).toContain('| Price | \\$0.50 | \\$0.50 |');
    expect(text).toContain('*2 equal messages*');
    expect(text).toContain(
      '## B: assistant\n\n````diff\n one\n-two\n+TWO\n ```\n````'
    );
  });

  it('has a message that only the base has', async () => {
    const [a, b] = [side('A', 'red', 'm'), side('B', '', 'm')];
    const short = { ...b, said: b.said.slice(0, 2) };
    const text = await comparisonMarkdown(exported(a, short), breathe);
    expect(text).toContain('## A: assistant\n\n```diff\n-red\n```');
    const page = await comparisonHTML(exported(a, short), breathe);
    expect(page).toContain('<i>Not in this one</i>');
  });
});
