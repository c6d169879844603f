import { button, element, growText, setChildren } from '../dom';

const line = () => element('div', '');
const texts = (node: Node) =>
  [...node.childNodes].map(({ textContent }) => textContent);

describe('setChildren', () => {
  it('keeps equal children in place', () => {
    const node = line();
    const clicked: string[] = [];
    const make = (...names: string[]) =>
      names.map(name => button(name, '', () => clicked.push(name)));
    setChildren(node, make('a', 'b', 'c'));
    const [, b, c] = node.children;
    setChildren(node, make('new', 'b', 'x', 'c'));
    expect(texts(node)).toEqual(['new', 'b', 'x', 'c']);
    expect(node.children[1]).toBe(b);
    expect(node.children[3]).toBe(c);
    (node.children[0] as HTMLElement).click();
    expect(clicked).toEqual(['new']);
  });

  it('keeps the focus on a button that stays', () => {
    const node = line();
    document.body.append(node);
    const make = (label: string) => button(label, '', () => undefined);
    setChildren(node, [element('span', '', '(new)'), make('Restore')]);
    (node.lastChild as HTMLElement).focus();
    setChildren(node, [make('Restore')]);
    expect(document.activeElement).toBe(node.firstChild);
    node.remove();
  });

  it('replaces any children by any others', () => {
    const node = line();
    for (const names of ['abc', 'cba', 'aab', '', 'ba', 'b', 'aabb']) {
      const nodes = [...names].map(name => element('span', '', name));
      setChildren(node, nodes);
      expect(texts(node).join('')).toBe(names);
    }
  });

  it('distinguishes a disabled button from an enabled one', () => {
    const node = line();
    const make = (disabled: boolean) => {
      const made = button('◀', '', () => undefined);
      made.disabled = disabled;
      return made;
    };
    setChildren(node, [make(true)]);
    setChildren(node, [make(false)]);
    expect((node.firstChild as HTMLButtonElement).disabled).toBe(false);
  });
});

describe('growText', () => {
  it('sets the height of a text, unless it is hidden', () => {
    const node = element('textarea', '');
    let height = 57;
    Object.defineProperty(node, 'scrollHeight', { get: () => height });
    growText(node);
    expect(node.style.height).toBe('59px');
    height = 1000;
    growText(node);
    expect(node.style.height).toBe('240px');
    height = 0;
    growText(node);
    expect(node.style.height).toBe('auto');
  });
});
