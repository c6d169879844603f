import type { IDiagrams } from '../diagrams';
import { renderMarkdown } from '../pipeline';
import { StreamingMarkdown } from '../streaming';
import { RealParts } from './parts';

/** A clock that advances only when told to. */
class Clock implements StreamingMarkdown.IClock {
  time = 0;
  private _timers = new Map<number, { at: number; callback: () => void }>();
  private _next = 1;

  now(): number {
    return this.time;
  }

  set(callback: () => void, delay: number): number {
    this._timers.set(this._next, { at: this.time + delay, callback });
    return this._next++;
  }

  clear(timer: number): void {
    this._timers.delete(timer);
  }

  go(milliseconds: number): void {
    this.time += milliseconds;
    for (const [timer, { at, callback }] of [...this._timers]) {
      if (at <= this.time) {
        this._timers.delete(timer);
        callback();
      }
    }
  }
}

function setup() {
  const parts = new RealParts();
  const clock = new Clock();
  const view = new StreamingMarkdown({ parts, clock });
  /** Advance to the next update and wait for what it shows. */
  const tick = async () => {
    const updated = new Promise<void>(resolve =>
      view.updated.connect(() => resolve())
    );
    clock.go(80);
    await updated;
  };
  return { parts, clock, view, tick };
}

async function atOnce(text: string): Promise<string> {
  const host = document.createElement('div');
  host.appendChild(await renderMarkdown(text, new RealParts()));
  return host.innerHTML;
}

const REPLY = [
  '# Title',
  'Some *text* with $a_1$.',
  '- one\n- two\n\n  more',
  '```python\ndef f():\n\n    return 1\n```',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  '> quote',
  'End.'
].join('\n\n');

describe('StreamingMarkdown', () => {
  it('is updated rarely while it is hidden, and at once when it becomes visible', async () => {
    const clock = new Clock();
    let isSeen = true;
    const view = new StreamingMarkdown({
      parts: new RealParts(),
      clock,
      isSeen: () => isSeen
    });
    const next = () =>
      new Promise<void>(resolve => view.updated.connect(() => resolve()));
    let updated = next();
    view.append('one ');
    clock.go(0);
    await updated;
    isSeen = false;
    view.append('two ');
    clock.go(500);
    expect(view.node.textContent).not.toContain('two');
    updated = next();
    clock.go(500);
    await updated;
    expect(view.node.textContent).toContain('two');
    view.append('three ');
    clock.go(100);
    isSeen = true;
    updated = next();
    view.catchUp();
    clock.go(0);
    await updated;
    expect(view.node.textContent).toContain('three');
    view.dispose();
  });

  it.each([1, 3, 17, 1000])(
    'ends like a reply rendered at once, in pieces of %d',
    async size => {
      const { view, clock } = setup();
      for (let at = 0; at < REPLY.length; at += size) {
        view.append(REPLY.slice(at, at + size));
        clock.go(20);
      }
      await view.finish();
      expect(view.text).toBe(REPLY);
      expect(view.node.innerHTML).toBe(await atOnce(REPLY));
      expect(view.node.hasAttribute('aria-busy')).toBe(false);
    }
  );

  it('resolves links whose URL comes last', async () => {
    const { view, tick } = setup();
    view.append('See [a][1].\n\nMore.\n\n');
    await tick();
    view.append('[1]: https://example.com/\n');
    await view.finish();
    expect(view.node.querySelector('a')?.href).toBe('https://example.com/');
  });

  it('keeps the nodes of closed blocks', async () => {
    const { view, tick } = setup();
    view.append('First.\n\nSecond.\n\nThird\nand');
    await tick();
    const [first, second] = view.node.querySelectorAll('p');
    view.append(' so on.\n\nFourth.');
    await tick();
    const now = view.node.querySelectorAll('p');
    expect(now[0]).toBe(first);
    expect(now[1]).toBe(second);
    expect(view.node.textContent).toContain('Fourth.');
  });

  it('updates at most once in 80 ms', async () => {
    const { view, tick, parts, clock } = setup();
    view.append('a');
    await tick();
    const before = parts.rendered.length;
    for (let i = 0; i < 7; i++) {
      view.append('b');
      clock.go(10);
    }
    expect(parts.rendered.length).toBe(before);
    await tick();
    expect(parts.rendered.length).toBe(before + 1);
    expect(view.node.textContent?.trim()).toBe('abbbbbbb');
  });

  it('renders no more for a long reply than for a short one', async () => {
    const { view, tick, parts } = setup();
    for (let i = 0; i < 50; i++) {
      view.append(`Paragraph ${i} is here.\n\n`);
      await tick();
    }
    const longest = Math.max(...parts.rendered.map(text => text.length));
    expect(longest).toBeLessThan(60);
  });

  it('shows an open fence as code without parsing it', async () => {
    const { view, tick, parts } = setup();
    view.append('```python\nx = 1\n');
    await tick();
    const code = view.node.querySelector('pre code');
    view.append('<img src=x onerror=alert(1)>\n');
    await tick();
    expect(view.node.querySelector('pre code')).toBe(code);
    expect(code?.textContent).toBe('x = 1\n<img src=x onerror=alert(1)>\n');
    expect(parts.rendered).toEqual([]);
    view.append('```\nAfter');
    await tick();
    expect(view.node.querySelector('.jp-Turnbook-code')).not.toBeNull();
    expect(view.node.textContent).toContain('After');
  });

  it('shows a tail that is too long as text', async () => {
    const { view, tick, parts } = setup();
    view.append('word '.repeat(5000));
    await tick();
    expect(parts.rendered).toEqual([]);
    expect(view.node.querySelector('.jp-Turnbook-plain')?.textContent).toBe(
      view.text
    );
    await view.finish();
    expect(view.node.querySelector('p')).not.toBeNull();
  });

  it('bounds the work on a reply of 1 MB in one paragraph', async () => {
    const { view, tick, parts } = setup();
    const plain = () => [...view.node.querySelectorAll('.jp-Turnbook-piece')];
    let kept: Element[] = [];
    for (let i = 0; i < 10_000; i++) {
      view.append(`*word* ${i} `.repeat(9));
      if (i % 500 === 0) {
        await tick();
        const now = plain();
        expect(now.slice(0, kept.length)).toEqual(kept);
        kept = now;
      }
    }
    await tick();
    expect(view.text.length).toBeGreaterThan(1_000_000);
    expect(view.node.querySelector('.jp-Turnbook-plain')?.textContent).toBe(
      view.text
    );
    await view.finish();
    expect(view.node.textContent).toContain('too long to be formatted');
    expect(view.node.textContent).toContain(view.text);
    const longest = plain().map(piece => piece.textContent?.length ?? 0);
    expect(Math.max(...longest)).toBeLessThanOrEqual(16_384);
    const parsed = parts.rendered.map(text => text.length);
    expect(Math.max(0, ...parsed)).toBeLessThanOrEqual(16_000);
  });

  it('shows a long open fence in pieces', async () => {
    const { view, tick } = setup();
    const lines = 'x = 1\n'.repeat(20_000);
    view.append(`\`\`\`python\n${lines}`);
    await tick();
    const code = view.node.querySelector('pre code');
    expect(code?.textContent).toBe(lines);
    expect(code?.children.length).toBeGreaterThan(10);
  });

  it('frames code from its first line', async () => {
    const { view, tick } = setup();
    const frames = () =>
      [...view.node.querySelectorAll<HTMLElement>('.jp-Turnbook-code')].map(
        ({ dataset, lastElementChild: tools }) => [
          dataset.language,
          tools?.textContent
        ]
      );
    view.append('Text\n\n```python title=x\ndef');
    await tick();
    expect(frames()).toEqual([['python', 'Copy']]);
    view.append(' f(): ...\n```\n\nMore\n\n');
    await tick();
    expect(frames()).toEqual([['python', 'Copy']]);
  });

  it('offers a diagram once its code is complete', async () => {
    const diagrams: IDiagrams = {
      draw: () => Promise.reject(new Error('no')),
      drawn: () => null,
      isOpen: () => false,
      setOpen: () => undefined
    };
    const clock = new Clock();
    const parts = Object.assign(new RealParts(), { diagrams });
    const view = new StreamingMarkdown({ parts, clock });
    const offers = async (text: string) => {
      const updated = new Promise<void>(resolve =>
        view.updated.connect(() => resolve())
      );
      view.append(text);
      clock.go(80);
      await updated;
      return view.node.querySelectorAll('.jp-Turnbook-diagramButton').length;
    };
    expect(await offers('```mermaid')).toBe(0);
    expect(await offers('\ngraph TD; A')).toBe(0);
    expect(await offers('-->B\n```')).toBe(0);
    expect(await offers('\n\nText\n\n')).toBe(1);
    await view.finish();
    expect(
      view.node.querySelectorAll('.jp-Turnbook-diagramButton').length
    ).toBe(1);
  });

  it('guards unfinished text', async () => {
    const { view, tick } = setup();
    view.append('<img src="http://evil.test/x" onerror="alert(1)"> <scr');
    await tick();
    expect(view.node.querySelector('img')).toBeNull();
    view.append('ipt>window.__pwned=1');
    await tick();
    expect(view.node.querySelector('script')).toBeNull();
    await view.finish();
    expect(view.node.querySelector('button')?.textContent).toBe(
      'Load image from evil.test'
    );
  });

  it('does nothing after it is disposed', async () => {
    const { view, clock, parts } = setup();
    view.append('a');
    view.dispose();
    clock.go(1000);
    await view.finish();
    expect(parts.rendered).toEqual([]);
    expect(view.isDisposed).toBe(true);
  });
});
