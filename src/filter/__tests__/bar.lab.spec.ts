import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { Dialog } from '@jupyterlab/apputils';
import {
  acceptDialog,
  signalToPromise,
  waitForDialog
} from '@jupyterlab/testutils';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import { FilterBar } from '../bar';
import { completions } from '../completion';
import { diagnostics } from '../language';
import { print } from '../print';
import { MemoryStore } from './memory';

let store: MemoryStore;
let bar: FilterBar;
let queries: (string | null)[];
let left: number;

const one = <T extends Element = HTMLElement>(selector: string): T => {
  const node = document.querySelector<T>(selector);
  if (!node) {
    throw new Error(`There is no ${selector}`);
  }
  return node;
};
const textbox = () => one('[role="textbox"][aria-label="Filter"]');
const view = () => EditorView.findFromDOM(textbox())!;
const notice = () => one('.jp-Turnbook-filter-notice');
const named = (name: string) =>
  [...document.querySelectorAll('button')].find(
    node => (node.getAttribute('aria-label') ?? node.textContent) === name
  )!;

function type(text: string): void {
  const { doc } = view().state;
  view().dispatch({
    changes: { from: 0, to: doc.length, insert: text },
    selection: { anchor: text.length },
    userEvent: 'input.type'
  });
}

function press(key: string, keyCode: number): void {
  textbox().dispatchEvent(
    new KeyboardEvent('keydown', {
      key,
      keyCode,
      bubbles: true,
      cancelable: true
    })
  );
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['performance'] });
  store = new MemoryStore();
  bar = new FilterBar({
    store,
    topics: () => ['ml/nlp', 'art'],
    models: () => ['openai/gpt-4o']
  });
  queries = [];
  left = 0;
  bar.queryChanged.connect((_, query) => {
    queries.push(query && print(query));
  });
  bar.left.connect(() => {
    left++;
  });
  Widget.attach(bar, document.body);
});

afterEach(() => {
  Dialog.flush();
  bar.dispose();
  document.body.innerHTML = '';
  jest.useRealTimers();
});

describe('FilterBar', () => {
  it('applies a valid filter when typing pauses, or at once on Enter', () => {
    type('star>=1');
    jest.advanceTimersByTime(100);
    type('star>=2');
    jest.advanceTimersByTime(149);
    expect(queries).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(queries).toEqual(['star>=2']);
    expect(bar.model.history).toEqual([]);
    type('star>=2 a');
    press('Enter', 13);
    expect(queries).toEqual(['star>=2', 'star>=2 a']);
    expect(bar.model.history).toEqual(['star>=2 a']);
    jest.runOnlyPendingTimers();
    expect(queries).toHaveLength(2);
  });

  it('keeps the last valid filter on an error, and offers a fix', () => {
    type('topic:ml');
    press('Enter', 13);
    expect(notice().hidden).toBe(true);
    type('a tpoic:art');
    jest.advanceTimersByTime(150);
    expect(queries).toEqual(['topic:ml']);
    expect(notice().hidden).toBe(false);
    expect(notice().textContent).toMatch(/Character 3: .*tpoic/);
    expect(notice().textContent).toMatch(/in force: topic:ml/);
    expect(textbox().getAttribute('aria-invalid')).toBe('true');
    const use = named('Use topic');
    textbox().dispatchEvent(new FocusEvent('blur'));
    expect(named('Use topic')).toBe(use);
    use.click();
    expect(view().state.doc.toString()).toBe('a topic:art');
    expect(queries).toEqual(['topic:ml', 'a topic:art']);
    expect(notice().hidden).toBe(true);
    expect(textbox().getAttribute('aria-invalid')).toBe('false');
  });

  it('leaves on Escape and walks the history with the arrows', () => {
    type('a');
    press('Enter', 13);
    type('b');
    press('Escape', 27);
    expect(left).toBe(1);
    type('c');
    press('ArrowUp', 38);
    expect(bar.model.text).toBe('b');
    press('ArrowUp', 38);
    expect(view().state.doc.toString()).toBe('a');
    press('ArrowDown', 40);
    press('ArrowDown', 40);
    expect(view().state.doc.toString()).toBe('c');
    jest.advanceTimersByTime(150);
    expect(bar.query && print(bar.query)).toBe('c');
  });

  it('clears, and shows the button only when there is something to clear', () => {
    const clear = named('Clear filter');
    expect(clear.hidden).toBe(true);
    bar.apply('is:error');
    expect(view().state.doc.toString()).toBe('is:error');
    expect(clear.hidden).toBe(false);
    clear.click();
    expect(view().state.doc.toString()).toBe('');
    expect(queries).toEqual(['is:error', null]);
    expect(clear.hidden).toBe(true);
  });

  it('stays one line', () => {
    view().dispatch({ changes: { from: 0, insert: 'a\nb' } });
    expect(view().state.doc.lines).toBe(1);
    bar.apply('a\nb');
    expect(view().state.doc.toString()).toBe('a b');
  });

  it('colours the parts from the grammar', () => {
    type('topic:ml OR "x"');
    for (const name of ['field', 'op', 'value', 'keyword', 'quoted']) {
      expect(one(`.cm-line .jp-Turnbook-filter-${name}`)).toBeTruthy();
    }
  });

  it('has slots for other widgets and is disposed cleanly', () => {
    bar.slot.textContent = '5 / 6';
    expect(one('.jp-Turnbook-filter-slot').textContent).toBe('5 / 6');
    type('a');
    bar.dispose();
    jest.runOnlyPendingTimers();
    expect(queries).toEqual([]);
    expect(document.querySelector('.jp-Turnbook-filter')).toBeNull();
  });
});

describe('the menu of saved filters', () => {
  const labels = () =>
    [...document.querySelectorAll('.lm-Menu-itemLabel')]
      .map(node => node.textContent)
      .filter(Boolean);

  function open(): void {
    named('Saved ▾').click();
    MessageLoop.flush();
  }

  /** Choose an item with the keyboard, by its first letter. */
  function choose(letter: string): void {
    const menu = [...document.querySelectorAll('.lm-Menu')].at(-1)!;
    const keyCode = letter.toUpperCase().charCodeAt(0);
    for (const code of [keyCode, 13]) {
      menu.dispatchEvent(
        new KeyboardEvent('keydown', {
          keyCode: code,
          bubbles: true,
          cancelable: true
        })
      );
    }
    MessageLoop.flush();
  }

  it('says that there are none', () => {
    open();
    expect(labels()).toEqual(['No saved filters yet', 'Save this filter…']);
  });

  it('lists saved and recent filters, and applies and deletes them', () => {
    bar.apply('star:3');
    bar.model.save('Best');
    bar.apply('other');
    open();
    expect(labels()).toEqual([
      'Best',
      'Save this filter…',
      'Delete saved filter',
      'Recent filters'
    ]);
    expect(named('Saved ▾').getAttribute('aria-expanded')).toBe('true');
    choose('b');
    expect(bar.model.text).toBe('star:3');
    expect(queries).toEqual(['star:3', 'other', 'star:3']);
    expect(named('Saved ▾').getAttribute('aria-expanded')).toBe('false');
    open();
    choose('d');
    choose('b');
    expect(bar.model.saved).toEqual([]);
  });

  it('asks for a name and saves under it', async () => {
    jest.useRealTimers();
    bar.apply('is:error');
    open();
    choose('s');
    await waitForDialog();
    const input = one<HTMLInputElement>('.jp-Dialog input');
    input.value = 'Broken';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    const saved = signalToPromise(bar.model.changed);
    await acceptDialog();
    await saved;
    expect(bar.model.saved).toEqual([{ name: 'Broken', text: 'is:error' }]);
  });
});

describe('the language', () => {
  const complete = async (text: string) => {
    const state = EditorState.create({ doc: text });
    const context = new CompletionContext(state, text.length, true);
    const source = completions({
      topics: () => ['ml/nlp', 'my topic', ''],
      models: () => ['openai/gpt-4o', 'openai/gpt-4o'],
      saved: () => [{ name: 'Best', text: 'star:3' }]
    });
    const result = await source(context);
    return (
      result && {
        from: result.from,
        labels: result.options.map(({ label }) => label)
      }
    );
  };

  it('completes fields, and saved filters at the beginning', async () => {
    const start = await complete('to');
    expect(start?.from).toBe(0);
    expect(start?.labels).toEqual(
      expect.arrayContaining(['topic:', 'star:', 'age<', 'last:', 'Best'])
    );
    const later = await complete('a -(to');
    expect(later?.from).toBe(4);
    expect(later?.labels).toContain('topic:');
    expect(later?.labels).not.toContain('Best');
    expect(await complete('"to')).toBeNull();
  });

  it.each([
    ['is:e', 3, 'edited'],
    ['has:', 4, 'versions'],
    ['a topic:m', 8, 'ml/**'],
    ['topic:', 6, '"my topic"'],
    ['topic:"my t', 6, '"my topic"'],
    ['-model:gpt', 7, 'openai/gpt-4o']
  ])('completes the value of %s', async (text, from, label) => {
    const found = await complete(text);
    expect(found?.from).toBe(from);
    expect(found?.labels).toContain(label);
    expect(new Set(found?.labels).size).toBe(found?.labels.length);
  });

  it('offers nothing where anything is allowed', async () => {
    expect(await complete('user:x')).toBeNull();
    expect(await complete('star>=')).toBeNull();
  });

  it('marks an error and fixes it', () => {
    type('a is:eror');
    const [mark] = diagnostics('a is:eror');
    expect(mark).toMatchObject({ from: 5, to: 9, severity: 'error' });
    mark.actions![0].apply(view(), mark.from, mark.to);
    expect(view().state.doc.toString()).toBe('a is:error');
    expect(diagnostics('a is:error')).toEqual([]);
  });
});
