import { Signal } from '@lumino/signaling';

import { frozenText } from '../../document/references';
import { describeVariable, listVariables } from '../kernelask';
import { VariableProvider } from '../variableprovider';

/** A kernel of another language than Python, as far as it is asked. */
class OtherKernel {
  constructor(
    readonly status: string,
    private _known: Readonly<Record<string, Record<string, string>>>
  ) {}

  readonly asked: object[] = [];
  /** What completions wait for. */
  wait: Promise<unknown> = Promise.resolve();
  readonly info = Promise.resolve({ language_info: { name: 'R' } });
  readonly iopubMessage = new Signal<this, never>(this);
  readonly statusChanged = new Signal<this, never>(this);

  async requestComplete(content: { code: string; cursor_pos: number }) {
    this.asked.push(content);
    await this.wait;
    const { code } = content;
    const matches = Object.keys(this._known).filter(one =>
      one.startsWith(code)
    );
    return { content: { status: 'ok', matches: [...matches, `${code}(`] } };
  }

  async requestInspect(content: { code: string; cursor_pos: number }) {
    this.asked.push(content);
    const data = this._known[content.code];
    return { content: { status: 'ok', found: !!data, data: data ?? {} } };
  }

  requestExecute(): never {
    throw new Error('another kernel runs nothing');
  }
}

const KNOWN = {
  total: { 'text/plain': '\u001b[1mnum\u001b[0m\u001b(B [1:3] 1 2 3' },
  totals: { 'text/markdown': '**list**', 'text/plain': 'list' },
  long: { 'text/plain': 'x'.repeat(50_000) },
  picture: { 'image/png': 'AA==' }
};

const { signal } = new AbortController();

const made = (...kernels: OtherKernel[]) =>
  new VariableProvider({
    label: 'Variables',
    kernels: () =>
      kernels.map((kernel, n) => ({
        path: `d/${n}.ipynb`,
        name: `${n}.ipynb`,
        kernel: kernel as never
      }))
  });

describe('the variables of a kernel of another language', () => {
  it('are what it completes and what it says of them', async () => {
    const kernel = new OtherKernel('idle', KNOWN);
    const [, item, ...others] = await made(kernel).find('tot', 6, signal);
    expect(others).toEqual([]);
    expect(item).toMatchObject({ label: 'total', detail: '0.ipynb' });
    const [file] = await item.freeze();
    expect(frozenText(file.data)).toBe('num [1:3] 1 2 3');
    expect(file.reference).toMatchObject({
      kind: 'variable',
      path: 'd/0.ipynb',
      name: '0.ipynb · total'
    });
    expect(kernel.asked).toEqual([
      { code: 'tot', cursor_pos: 3 },
      { code: 'total', cursor_pos: 5, detail_level: 0 }
    ]);
  });

  it('are Markdown if it says that, and cut if they are long', async () => {
    const kernel = new OtherKernel('idle', KNOWN) as never;
    expect(await describeVariable(kernel, 'totals')).toBe('**list**');
    const long = await describeVariable(kernel, 'long');
    expect(long).toMatch(/^x+\n… 30,000 characters left out …\nx+$/);
  });

  it('are none before something is typed', async () => {
    const kernel = new OtherKernel('idle', KNOWN);
    expect(await listVariables(kernel as never, '')).toEqual([]);
    expect(kernel.asked).toEqual([]);
  });

  it.each(['gone', 'picture'])('%s is said to be unknown', async name => {
    const kernel = new OtherKernel('idle', KNOWN) as never;
    await expect(describeVariable(kernel, name)).rejects.toThrow(
      `The kernel knows nothing about ${name}.`
    );
  });
});

describe('a busy kernel', () => {
  const busy = '1.ipynb: The kernel is busy. Ask again when it is idle.';

  it('is reported beside what others have', async () => {
    const problems: string[] = [];
    const provider = made(
      new OtherKernel('idle', KNOWN),
      new OtherKernel('busy', KNOWN)
    );
    const items = await provider.find('total', 6, signal, undefined, problem =>
      problems.push(problem)
    );
    expect(items.map(({ label }) => label).sort()).toEqual(['total', 'totals']);
    expect(problems).toEqual([busy]);
  });

  it('is the reason if others have nothing', async () => {
    const provider = made(
      new OtherKernel('idle', {}),
      new OtherKernel('busy', KNOWN)
    );
    await expect(provider.find('total', 6, signal)).rejects.toThrow(busy);
  });
});

describe('a slow kernel', () => {
  const later = '1.ipynb has not answered yet.';

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  function setUp() {
    const quick = new OtherKernel('idle', { total: {} });
    const slow = new OtherKernel('idle', { totals: {} });
    let answer!: () => void;
    let fail!: (error: Error) => void;
    slow.wait = new Promise<void>((resolve, reject) => {
      answer = resolve;
      fail = reject;
    });
    const provider = made(quick, slow);
    /** What is found while the clock goes on, or while it stands still. */
    const find = async (when: 'in time' | 'at once' = 'in time') => {
      const problems: string[] = [];
      const found = provider.find('tot', 6, signal, undefined, one =>
        problems.push(one.replace(/[\u2068\u2069]/g, ''))
      );
      if (when === 'in time') {
        await jest.advanceTimersByTimeAsync(300);
      }
      const items = await found;
      return { labels: items.map(({ label }) => label), problems };
    };
    const changed = new Promise(resolve => provider.changed.connect(resolve));
    return { quick, slow, answer, fail, find, changed };
  }

  it('does not hold up others, and is shown when it has answered', async () => {
    const { slow, answer, find, changed } = setUp();
    expect(await find()).toEqual({ labels: ['total'], problems: [later] });
    answer();
    await changed;
    expect(await find()).toEqual({ labels: ['total', 'totals'], problems: [] });
    expect(slow.asked).toHaveLength(1);
  });

  it('that did not answer is not asked again before it is heard of', async () => {
    const { slow, fail, find, changed } = setUp();
    expect((await find()).problems).toEqual([later]);
    fail(new Error('no answer'));
    await changed;
    expect(await find('at once')).toEqual({
      labels: ['total'],
      problems: ['1.ipynb: no answer']
    });
    expect(slow.asked).toHaveLength(1);
    slow.iopubMessage.emit({ header: { msg_type: 'status' } } as never);
    slow.wait = Promise.resolve();
    expect((await find()).labels).toEqual(['total', 'totals']);
  });
});
