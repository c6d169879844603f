import { FilterModel } from '../model';
import { print } from '../print';
import { MAX_HISTORY } from '../store';
import { MemoryStore } from './memory';

let store: MemoryStore;
let model: FilterModel;
let emitted: (string | null)[];

beforeEach(() => {
  store = new MemoryStore();
  model = new FilterModel({ store });
  emitted = [];
  model.queryChanged.connect((_, query) => {
    emitted.push(query && print(query));
  });
});

describe('the filter in force', () => {
  it('is the text only after it was applied', () => {
    model.text = 'star>=2';
    expect(model.query).toBeNull();
    expect(model.apply()).toBe(true);
    expect(model.query && print(model.query)).toBe('star>=2');
    expect(emitted).toEqual(['star>=2']);
  });

  it('stays while the text has an error, which has a suggestion', () => {
    model.show('topic:ml');
    model.text = 'tpoic:art';
    expect(model.apply()).toBe(false);
    expect(model.error).toMatchObject({ from: 0, to: 5, suggestion: 'topic' });
    expect(model.query && print(model.query)).toBe('topic:ml');
    model.acceptSuggestion();
    expect(model.text).toBe('topic:art');
    expect(model.error).toBeNull();
    expect(emitted).toEqual(['topic:ml', 'topic:art']);
  });

  it('does not change when only the spelling does', () => {
    model.show('topic:ml star:1');
    model.show(' topic=ml   star=1 ');
    expect(emitted).toEqual(['topic:ml star:1']);
  });

  it('is none when the text is empty or was cleared', () => {
    model.show('a');
    model.clear();
    model.show('  ');
    expect(model.query).toBeNull();
    expect(emitted).toEqual(['a', null]);
  });

  it('is one line', () => {
    model.text = 'a\r\nb';
    expect(model.text).toBe('a b');
  });
});

describe('history', () => {
  it('has valid queries that were committed, latest first, each once', () => {
    for (const text of ['a', 'b', 'is:', 'a', '']) {
      model.show(text);
    }
    model.text = 'typing';
    model.apply();
    expect(model.history).toEqual(['a', 'b']);
    expect(new FilterModel({ store }).history).toEqual(['a', 'b']);
  });

  it('goes back and forth, and ends with what was being typed', () => {
    ['a', 'b', 'c'].forEach(text => model.show(text));
    model.text = 'typi';
    const walk = [model.older(), model.older(), model.older(), model.older()];
    expect(walk).toEqual([true, true, true, false]);
    expect(model.text).toBe('a');
    expect(model.newer() && model.text).toBe('b');
    expect(model.newer() && model.newer() && model.text).toBe('typi');
    expect(model.newer()).toBe(false);
  });

  it('skips the query that is already in the bar', () => {
    ['a', 'b'].forEach(text => model.show(text));
    expect(model.older() && model.text).toBe('a');
  });

  it('forgets the oldest', () => {
    for (let index = 0; index < MAX_HISTORY + 5; index++) {
      model.show(`w${index}`);
    }
    expect(model.history).toHaveLength(MAX_HISTORY);
    expect(model.history[0]).toBe(`w${MAX_HISTORY + 4}`);
  });
});

describe('saved filters', () => {
  it('are kept under their names for every chat', () => {
    model.show('star>=2');
    expect(model.save(' Best ')).toBe(true);
    model.show('star:3');
    expect(model.save('Best')).toBe(true);
    expect(model.save('')).toBe(false);
    const other = new FilterModel({ store });
    expect(other.saved).toEqual([{ name: 'Best', text: 'star:3' }]);
    other.remove('Best');
    expect(model.saved).toEqual([]);
  });

  it('are valid filters', () => {
    model.text = 'is:';
    expect(model.save('x')).toBe(false);
    model.text = ' ';
    expect(model.save('x')).toBe(false);
  });

  it('report when they cannot be stored', () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    store.full = true;
    model.show('a');
    expect(model.problem).toMatch(/storage/);
    expect(model.save('x')).toBe(false);
    expect(model.query).not.toBeNull();
    store.full = false;
    expect(model.save('x')).toBe(true);
    expect(model.problem).toBeNull();
    expect(warn).toHaveBeenCalledTimes(2);
    warn.mockRestore();
  });

  it.each(['{', '{}', '[1, null, {"name": 1}]'])(
    'pass over what was stored as %s',
    stored => {
      const warn = jest.spyOn(console, 'warn').mockImplementation();
      store.items.set('turnbook:filter:saved', stored);
      store.items.set('turnbook:filter:history', stored);
      expect(model.saved).toEqual([]);
      expect(model.history).toEqual([]);
      warn.mockRestore();
    }
  );
});
