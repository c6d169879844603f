import fc from 'fast-check';

import { ExactTree } from '../exacttree';

/** Open everything in a tree. */
function openAll(tree: ExactTree): void {
  for (;;) {
    const closed = tree.node.querySelectorAll<HTMLElement>(
      '[aria-expanded=false]'
    );
    if (!closed.length) {
      return;
    }
    closed.forEach(one => one.click());
  }
}

const leaves = (tree: ExactTree) =>
  [...tree.node.querySelectorAll('.jp-Turnbook-tree-value')].map(
    node => node.textContent
  );

describe('a tree of JSON', () => {
  it('shows numbers and duplicate keys as they were written', () => {
    const tree = new ExactTree(
      ' {"a": 12345678901234567890, "b": 1.0, "a": -0, "c": {}, "d": []}\n',
      []
    );
    expect(leaves(tree)).toEqual([
      '12345678901234567890',
      '1.0',
      '-0',
      '{}',
      '[]'
    ]);
    expect(tree.node.querySelectorAll('.jp-Turnbook-chip')).toHaveLength(1);
  });

  it('shows each value of any JSON', () => {
    const count = (value: unknown): number =>
      typeof value === 'object' && value !== null && Object.keys(value).length
        ? Object.values(value).reduce<number>((n, one) => n + count(one), 0)
        : 1;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), value => {
        const json = JSON.stringify(value);
        const tree = new ExactTree(json, []);
        openAll(tree);
        expect(leaves(tree)).toHaveLength(count(JSON.parse(json)));
      }),
      { numRuns: 50 }
    );
  });

  it('shows text, never HTML', () => {
    const json = JSON.stringify({ '<b>k</b>': '<img src=x onerror=alert(1)>' });
    const tree = new ExactTree(json, []);
    expect(tree.node.querySelector('b, img')).toBeNull();
    expect(leaves(tree)).toEqual(['"<img src=x onerror=alert(1)>"']);
  });

  it('opens a level at a time, however deep it is', () => {
    const depth = 10_000;
    const deep = '['.repeat(depth) + ']'.repeat(depth);
    const tree = new ExactTree(deep, []);
    expect(tree.node.querySelectorAll('li').length).toBeLessThan(10);
    tree.node.querySelector<HTMLElement>('[aria-expanded=false]')!.click();
    expect(tree.node.querySelectorAll('li').length).toBeLessThan(10);
  });

  it('shows a long list in portions, and what has an error at once', () => {
    const json = JSON.stringify(Array.from({ length: 500 }, (_, n) => n));
    const error = { path: [400], message: 'wrong', line: 1, column: 1 };
    const tree = new ExactTree(json, [error]);
    document.body.append(tree.node);
    expect(leaves(tree)).toHaveLength(51);
    expect(leaves(tree).at(-1)).toBe('400');
    const more = () =>
      [...tree.node.querySelectorAll('button')].find(one =>
        one.textContent?.startsWith('Show more')
      )!;
    expect(more().textContent).toBe('Show more (450 left)');
    more().click();
    expect(leaves(tree)).toHaveLength(101);
    expect(leaves(tree)[50]).toBe('50');
    // The focus is at the first that is new.
    expect(document.activeElement?.textContent).toContain('50');
    tree.node.scrollIntoView = () => undefined;
    Element.prototype.scrollIntoView ??= () => undefined;
    tree.reveal(error);
    expect(document.activeElement?.textContent).toContain('400');
    tree.node.remove();
  });

  it('opens everything around an error', () => {
    const json = '{"a":{"b":{"c":{"d":{"e":1}}}},"x":{"y":{"z":{"w":{}}}}}';
    const tree = new ExactTree(json, [
      {
        path: ['a', 'b', 'c', 'd', 'e'],
        message: 'e must be string',
        line: 1,
        column: 26
      }
    ]);
    expect(tree.node.querySelector('.jp-mod-wrong')?.textContent).toBe('e1');
    expect(tree.node.querySelector('.jp-Turnbook-problem')?.textContent).toBe(
      'e must be string'
    );
  });
});
