import { YNotebook, type ISharedCell } from '@jupyter/ydoc';

import type { IBudgetLimits } from '../budget';
import { charsEstimator } from '../tokens';
import { KEYS } from '../../document/metadata';
import { parse } from '../../filter/parse';
import { ContextModel } from '../contextmodel';
import { SENDING_RULES } from '../gather';

const LIMITS: IBudgetLimits = { window: 1000, softCap: 900, reserve: 100 };

function query(text: string) {
  const parsed = parse(text);
  if ('error' in parsed) {
    throw new Error(parsed.error.message);
  }
  return parsed.query;
}

/** A pair's cell: its texts, its state, its marks. */
function pair(
  id: string,
  user: string,
  reply = '',
  state = 'succeeded',
  marks: Record<string, unknown> | null = null
) {
  return {
    cell_type: 'code',
    id,
    source: user,
    execution_count: null,
    metadata: {
      ...(marks ? { [KEYS.marks]: marks } : {}),
      [KEYS.run]: {
        state,
        model: 'p/m',
        createdAt: 10,
        updatedAt: 10,
        runId: `run-${id}`,
        attempt: 1,
        context: [],
        requestHash: 'h'
      }
    },
    outputs: reply
      ? [
          {
            output_type: 'display_data',
            data: { 'text/markdown': reply },
            metadata: { turnbook: { runId: `run-${id}` } }
          }
        ]
      : []
  };
}

function setUp(cells: any[], limits = LIMITS) {
  const notebook = new YNotebook();
  notebook.fromJSON({
    cells,
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5
  } as any);
  const news = new Set<string>();
  const source = {
    limits,
    estimator: charsEstimator(1),
    rules: { ...SENDING_RULES, sentinel: '[STOP]' }
  };
  const model = new ContextModel({
    notebook,
    source: () => ({ ...source }),
    isNew: id => news.has(id)
  });
  return { notebook, model, news, source };
}

const CELLS = [
  { cell_type: 'raw', id: 's', source: 'Be brief.', metadata: {} },
  pair('a', 'one', 'uno', 'succeeded', { star: 2 }),
  { cell_type: 'markdown', id: 'n', source: 'a note', metadata: {} },
  pair('b', 'two', 'dos', 'canceled'),
  pair('c', 'three', '', 'error')
];

/** The next change, which is told of once for any number of causes. */
function nextChange(model: ContextModel): Promise<void> {
  return new Promise(resolve => {
    const told = () => {
      model.changed.disconnect(told);
      resolve();
    };
    model.changed.connect(told);
  });
}

describe('ContextModel', () => {
  it('gathers all cells except notes when there is no filter', () => {
    const { model } = setUp(CELLS);
    expect([...model.visible]).toEqual([1, 1, 1, 1, 1]);
    const { messages, cells } = model.gather('now');
    expect(messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'system: Be brief.',
      'user: one',
      'assistant: uno',
      'user: two',
      'assistant: dos\n\n[STOP]',
      'user: three',
      'user: now'
    ]);
    expect(cells).toEqual(['s', 'a', 'b', 'c']);
    expect(model.at('now')).toMatchObject({ included: 3, visible: 3 });
  });

  it('gathers what passes a filter, and emits the change once', async () => {
    const { model } = setUp(CELLS);
    let told = 0;
    model.changed.connect(() => told++);
    const change = nextChange(model);
    model.query = query('star>=2');
    model.query = query('star>=2 OR is:error');
    await change;
    expect(told).toBe(1);
    expect([...model.visible]).toEqual([1, 1, 1, 0, 1]);
    expect(model.gather('now').cells).toEqual(['s', 'a', 'c']);
    model.query = query('-is:system two');
    expect(model.gather('now').cells).toEqual(['b']);
    model.query = null;
    expect(model.gather('now').cells).toEqual(['s', 'a', 'b', 'c']);
  });

  it('keeps a pair that was just sent in the context, until it is hidden or the filter changes', () => {
    const { notebook, model } = setUp(CELLS);
    const cells = () => model.gather('now').cells;
    model.query = query('star>=2');
    notebook.insertCell(5, pair('d', 'four', '', 'sending') as any);
    expect(cells()).toEqual(['s', 'a']);
    model.keep('d');
    expect(cells()).toEqual(['s', 'a', 'd']);
    expect(model.newPairs).toEqual({ shown: 1, hidden: 0 });
    expect(model.pairs).toEqual({ shown: 2, all: 4 });

    model.showNewPairs(false);
    expect(cells()).toEqual(['s', 'a']);
    expect(model.newPairs).toEqual({ shown: 0, hidden: 1 });
    model.showNewPairs(true);

    // Under another filter it is hidden, but not forgotten while its reply is under way.
    model.query = query('one');
    expect(cells()).toEqual(['s', 'a']);
    expect(model.newPairs).toEqual({ shown: 0, hidden: 1 });
    // A filter that matches it shows it by itself.
    model.query = query('four');
    expect(cells()).toEqual(['s', 'd']);
    expect(model.newPairs).toEqual({ shown: 0, hidden: 0 });

    notebook.deleteCell(5);
    notebook.insertCell(5, pair('d', 'four', 'cuatro') as any);
    model.query = query('one');
    expect(model.newPairs).toEqual({ shown: 0, hidden: 0 });
    expect(model.pairs).toEqual({ shown: 1, all: 4 });
  });

  it('lets the filter decide about a new pair once it has matched with its reply', () => {
    const { notebook, model } = setUp(CELLS);
    const cells = () => model.gather('now').cells;
    model.query = query('last:2');
    for (const id of ['d', 'e', 'f']) {
      const at = notebook.cells.length;
      notebook.insertCell(at, pair(id, id, '', 'sending') as any);
      model.keep(id);
      expect(cells()).toContain(id);
      notebook.deleteCell(at);
      notebook.insertCell(at, pair(id, id, 'done') as any);
      expect(cells()).toContain(id);
    }
    expect(cells().filter(id => id !== 's')).toEqual(['e', 'f']);
    expect(model.newPairs).toEqual({ shown: 0, hidden: 0 });
  });

  it('follows every change of the document', async () => {
    const { notebook, model } = setUp(CELLS);
    model.query = query('star>=2');
    expect(model.gather('now').cells).toEqual(['s', 'a']);
    const marked = nextChange(model);
    notebook.cells[3].setMetadata(KEYS.marks, { star: 3 });
    await marked;
    expect(model.gather('now').cells).toEqual(['s', 'a', 'b']);

    const added = nextChange(model);
    notebook.insertCell(
      2,
      pair('d', 'four', 'cuatro', 'succeeded', { star: 2 }) as any
    );
    await added;
    expect(model.gather('now').cells).toEqual(['s', 'a', 'd', 'b']);

    const deleted = nextChange(model);
    notebook.deleteCell(1);
    await deleted;
    expect(model.gather('now').cells).toEqual(['s', 'd', 'b']);

    const edited = nextChange(model);
    notebook.cells[0].setSource('Be kind.');
    await edited;
    expect(model.gather('now').messages[0].content).toBe('Be kind.');
  });

  it('forgets a deleted cell', () => {
    const { notebook, model } = setUp(CELLS);
    expect(model.visible).toHaveLength(5);
    const gone: ISharedCell = notebook.cells[1];
    notebook.deleteCell(1);
    expect(model.visible).toHaveLength(4);
    expect(model.records.some(({ shared }) => shared === gone)).toBe(false);
  });

  it('leaves out the oldest pairs that do not fit, and never a system cell', () => {
    // 9 for the system; pairs of 6, 14 and 5.
    const { model } = setUp(CELLS, { window: 60, softCap: 50, reserve: 10 });
    expect(model.at('')).toMatchObject({ included: 3, visible: 3, total: 34 });
    expect(model.gather('123456').cells).toEqual(['s', 'a', 'b', 'c']);
    expect(model.gather('1234567').cells).toEqual(['s', 'b', 'c']);
    expect(model.at('1234567')).toMatchObject({
      included: 2,
      visible: 3,
      first: 'b'
    });
    // A filter makes room.
    model.query = query('one');
    expect(model.gather('1234567').cells).toEqual(['s', 'a']);
    expect(model.gather('x'.repeat(99)).cells).toEqual(['s']);
    expect(model.at('x'.repeat(99)).overfull).toBe(true);
  });

  it('takes only what is above a pair that is sent again, with its own budget', () => {
    const { model } = setUp(CELLS, { window: 60, softCap: 40, reserve: 10 });
    expect(model.gather('1234567').cells).toEqual(['s', 'c']);
    expect(model.gather('1234567', 'b').cells).toEqual(['s', 'a']);
    expect(model.gather('again', 'a').cells).toEqual(['s']);
    model.query = query('-one');
    expect(model.gather('again', 'c').cells).toEqual(['s', 'b']);
  });

  it('does not count the empty cell of a new notebook as a pair', () => {
    const { model } = setUp([
      {
        cell_type: 'code',
        id: 'spare',
        source: '',
        metadata: {},
        outputs: [],
        execution_count: null
      }
    ]);
    expect(model.at('hello')).toMatchObject({ included: 0, visible: 0 });
    expect(model.gather('hello').messages).toEqual([
      { role: 'user', content: 'hello' }
    ]);
  });

  it('reads an unchanged cell once', async () => {
    const { notebook, model } = setUp(CELLS);
    const before = model.records.map(({ cell }) => cell);
    const change = nextChange(model);
    notebook.cells[1].setMetadata(KEYS.marks, { star: 1 });
    await change;
    const after = model.records.map(({ cell }) => cell);
    expect(after.map((cell, index) => cell === before[index])).toEqual([
      true,
      false,
      true,
      true,
      true
    ]);
  });

  it('updates new replies on refresh', () => {
    const { model, news } = setUp(CELLS);
    model.query = query('is:new');
    expect([...model.visible]).toEqual([1, 0, 1, 0, 0]);
    news.add('b');
    model.refresh();
    expect([...model.visible]).toEqual([1, 0, 1, 1, 0]);
  });

  it('recounts with another limit or estimator', () => {
    const { model, source } = setUp(CELLS);
    expect(model.at('').total).toBe(34);
    source.estimator = charsEstimator(2);
    source.rules = { ...source.rules, sentinel: '' };
    // 5, 2 + 2, 2 + 2 (no sentinel any more), 3
    expect(model.at('').total).toBe(16);
    source.limits = { window: 20, softCap: 20, reserve: 10 };
    expect(model.at('')).toMatchObject({ included: 1, visible: 3 });
  });

  it('emits on another limit, estimator or sentinel, and on nothing else', async () => {
    const { model, source } = setUp(CELLS);
    let told = 0;
    model.changed.connect(() => told++);
    const update = async () => {
      model.update();
      await Promise.resolve();
      return told;
    };
    expect(await update()).toBe(1);
    expect(await update()).toBe(1);
    source.limits = { ...source.limits };
    expect(await update()).toBe(1);
    source.limits = { ...source.limits, reserve: 5 };
    expect(await update()).toBe(2);
    source.limits = { ...source.limits, softCap: 5 };
    expect(await update()).toBe(3);
    source.limits = { ...source.limits, window: 5 };
    expect(await update()).toBe(4);
    source.rules = { ...source.rules, sentinel: '[OTHER]' };
    expect(await update()).toBe(5);
    source.estimator = charsEstimator(2);
    expect(await update()).toBe(6);
  });
});
