import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { PreludeRegistry } from '../prelude';
import { PreludeBlock } from '../preludeblock';

const chat = () => ({ path: 'a.chat.ipynb', chatId: 'c' });
let prelude: PreludeRegistry;
let block: PreludeBlock;

beforeEach(() => {
  prelude = new PreludeRegistry();
  block = new PreludeBlock({ prelude, chat });
  Widget.attach(block, document.body);
});

afterEach(() => block.dispose());

it('is hidden until something is added, and shows it as text', () => {
  expect(block.isHidden).toBe(true);
  const added = prelude.add({
    id: 'x:a',
    title: 'House rules',
    text: () => 'Use <b>SI</b> units.'
  });
  expect(block.isHidden).toBe(false);
  const text = block.node.textContent!;
  expect(text).toContain('system');
  expect(text).toContain('Use <b>SI</b> units.');
  expect(text).toContain('added by House rules, sent first');
  expect(block.node.querySelector('b')).toBeNull();
  added.dispose();
  expect(block.isHidden).toBe(true);
  expect(block.messages).toEqual([]);
});

it('provides for sending what it shows, even if a plugin would now return something else', () => {
  let count = 0;
  const source = {};
  const changed = new Signal<object, void>(source);
  let told = 0;
  block.changed.connect(() => told++);
  prelude.add({
    id: 'x:n',
    title: 'Counter',
    text: () => `n = ${++count}`,
    changed
  });
  expect(block.messages).toEqual([
    { id: 'x:n', title: 'Counter', text: 'n = 1' }
  ]);
  prelude.messages(chat());
  expect(block.messages[0].text).toBe('n = 1');
  expect(block.node.textContent).toContain('n = 1');
  changed.emit();
  expect(block.messages[0].text).toBe('n = 3');
  expect(block.node.textContent).toContain('n = 3');
  expect(told).toBe(2);
});

it('folds a long text, and unfolds it', () => {
  const long = Array.from({ length: 40 }, (_, i) => `rule ${i}`).join('\n');
  prelude.add({ id: 'x:l', title: 'Long', text: () => long });
  const text = block.node.querySelector('.jp-Turnbook-prelude-text')!;
  const toggle = block.node.querySelector('button')!;
  expect(text.textContent).not.toContain('rule 39');
  expect(toggle.getAttribute('aria-expanded')).toBe('false');
  toggle.click();
  expect(text.textContent).toBe(long);
  expect(toggle.getAttribute('aria-expanded')).toBe('true');
  toggle.click();
  expect(text.textContent).not.toContain('rule 39');
  expect(block.messages[0].text).toBe(long);
});

it('reports what could not be read and does not provide it for sending', () => {
  prelude.add({
    id: 'x:bad',
    title: 'Broken',
    text: () => {
      throw new Error('no file');
    }
  });
  expect(block.isHidden).toBe(false);
  expect(block.node.querySelector('[role=alert]')!.textContent).toMatch(
    /Broken .*not sent: no file/
  );
  expect(block.messages).toEqual([]);
});
