import type { Cell } from '@jupyterlab/cells';

import { savedPair } from '../../../session/__tests__/sessionparts';
import { showCells } from '../../__tests__/shownchat';
import { Scrolling } from '../scrolling';

const HEIGHT = 400;

/** What a simulated page lacks: somebody who says that sizes have changed. */
const resized: (() => void)[] = [];
window.ResizeObserver = class extends window.ResizeObserver {
  constructor(told: ResizeObserverCallback) {
    super(told);
    resized.push(() => told([], this));
  }
};

let now = 1_000_000;
jest.spyOn(Date, 'now').mockImplementation(() => now);

/** A chat whose cells are 1000 pixels high together, which grow. */
function open() {
  resized.length = 0;
  const content = showCells([
    savedPair('a', 'one', '1'),
    savedPair('b', 'two', '2')
  ]);
  const panel = document.createElement('div');
  const composer = document.createElement('textarea');
  panel.append(content.node, composer);
  document.body.append(panel);
  const { outerNode } = content;
  const page = {
    content,
    height: 1000,
    /** The cells that were brought to the top of the view. */
    shown: [] as string[],
    scrolling: new Scrolling({ content, panel, composer }),
    get top() {
      return outerNode.scrollTop;
    },
    /** The end as it is when it is in view. */
    get end() {
      return page.height - HEIGHT;
    },
    grow() {
      page.height += 300;
      resized.forEach(tell => tell());
    },
    scrollTo(top: number) {
      outerNode.scrollTop = top;
      outerNode.dispatchEvent(new Event('scroll'));
    },
    touch(type = 'wheel', node: Element = content.widgets[0].node) {
      node.dispatchEvent(new Event(type, { bubbles: true }));
    },
    composer,
    close() {
      page.scrolling.dispose();
      content.dispose();
      panel.remove();
    }
  };
  Object.defineProperty(outerNode, 'clientHeight', { get: () => HEIGHT });
  Object.defineProperty(outerNode, 'scrollHeight', { get: () => page.height });
  for (const cell of content.widgets as readonly Cell[]) {
    cell.node.scrollIntoView = () => {
      page.shown.push(cell.model.id);
      outerNode.scrollTop = 0;
    };
  }
  now += 60_000;
  return page;
}

describe('Scrolling', () => {
  let page: ReturnType<typeof open>;
  beforeEach(() => {
    page = open();
  });
  afterEach(() => page.close());

  it('shows the end and keeps it in view while it grows', () => {
    page.scrolling.stick();
    expect(page.top).toBe(600);
    page.grow();
    expect(page.top).toBe(900);
  });

  it('knows whether a place other than the end was asked for', () => {
    page.scrolling.stick();
    expect(page.scrolling.isElsewhere).toBe(false);
    page.scrolling.reveal(page.content.widgets[0]);
    expect(page.scrolling.isElsewhere).toBe(true);
    page.scrolling.stick();
    expect(page.scrolling.isElsewhere).toBe(false);
  });

  it('does not follow what nobody asked for', () => {
    page.grow();
    expect(page.top).toBe(0);
    expect(page.shown).toEqual([]);
  });

  it.each(['wheel', 'touchmove', 'keydown', 'pointerdown'])(
    'lets go when the user scrolls away (%s)',
    type => {
      page.scrolling.stick();
      page.scrollTo(600);
      page.touch(type);
      page.scrollTo(540);
      page.grow();
      expect(page.top).toBe(540);
    }
  );

  it('keeps a range in view while cells above it are drawn, until the user scrolls', () => {
    const { outerNode, widgets } = page.content;
    let at = 100;
    const box = (top: number, height: number) =>
      ({ left: 0, right: 0, top, bottom: top + height }) as DOMRect;
    outerNode.getBoundingClientRect = () => box(0, HEIGHT);
    const created = jest.spyOn(document, 'createRange').mockReturnValue({
      setStart: () => undefined,
      setEnd: () => undefined,
      getBoundingClientRect: () => box(at - outerNode.scrollTop, 20)
    } as unknown as Range);
    const { node } = widgets[1];
    const range = new StaticRange({
      startContainer: node,
      startOffset: 0,
      endContainer: node,
      endOffset: 1
    });
    page.scrolling.show(range);
    expect(page.top).toBe(0);
    at = 1100;
    page.grow();
    expect(at - page.top).toBeCloseTo(HEIGHT / 3, 0);
    const { top } = page;
    page.touch('wheel');
    at = 2100;
    page.grow();
    expect(page.top).toBe(top);
    created.mockRestore();
  });

  it('does not mistake late layout changes for the user', () => {
    page.scrolling.stick();
    page.scrollTo(600);
    page.scrollTo(540);
    page.grow();
    expect(page.top).toBe(page.end);
  });

  it('attributes scrolling to the user for half a second', () => {
    page.scrolling.stick();
    page.scrollTo(600);
    page.touch();
    now += 500;
    page.scrollTo(540);
    page.grow();
    expect(page.top).toBe(page.end);
  });

  it('stops following when something else, such as a search, scrolls far up', () => {
    page.scrolling.stick();
    page.scrollTo(600);
    page.scrollTo(499);
    page.grow();
    expect(page.top).toBe(499);
  });

  it('says when the end goes out of view, and when it is back', () => {
    const seen: boolean[] = [];
    page.scrolling.awayChanged.connect(({ isAway }) => seen.push(isAway));
    page.scrolling.stick();
    page.scrollTo(600);
    page.touch();
    page.scrollTo(200);
    page.grow();
    expect(seen).toEqual([true]);
    page.scrolling.stick();
    page.scrollTo(page.height - HEIGHT);
    expect(seen).toEqual([true, false]);
  });

  it('sticks again when the user is back at the end', () => {
    page.touch();
    page.scrollTo(600);
    page.grow();
    expect(page.top).toBe(page.end);
  });

  it('sticks after a send, whatever the user did right before', () => {
    page.touch();
    page.scrolling.stick();
    page.scrollTo(540);
    page.grow();
    expect(page.top).toBe(page.end);
  });

  it('shows a cell from its beginning and keeps it there', () => {
    page.scrolling.stick();
    page.scrolling.reveal(page.content.widgets[0]);
    expect(page.shown).toEqual(['a']);
    // As long as few cells are drawn, this is the end too.
    page.scrollTo(600);
    page.grow();
    expect(page.shown).toEqual(['a', 'a']);
    expect(page.top).toBe(0);
  });

  it('leaves the cell when the user scrolls, but not when they type', () => {
    page.scrolling.reveal(page.content.widgets[0]);
    page.touch('keydown', page.composer);
    page.grow();
    expect(page.shown).toEqual(['a', 'a']);
    page.touch('keydown');
    page.grow();
    expect(page.shown).toEqual(['a', 'a']);
  });

  it('moves from a cell to its reply and stays there', () => {
    page.scrolling.reveal(page.content.widgets[1]);
    page.scrolling.go(120);
    expect(page.top).toBe(120);
    page.grow();
    expect(page.top).toBe(120);
  });

  it('says when the user has scrolled, and only then', () => {
    const scrolled = jest.fn();
    page.scrolling.scrolled.connect(scrolled);
    page.scrollTo(10);
    expect(scrolled).not.toHaveBeenCalled();
    page.touch();
    page.scrollTo(20);
    expect(scrolled).toHaveBeenCalledTimes(1);
  });

  it('does nothing after it is disposed', () => {
    const scrolled = jest.fn();
    page.scrolling.scrolled.connect(scrolled);
    page.scrolling.dispose();
    page.touch();
    page.scrollTo(20);
    expect(scrolled).not.toHaveBeenCalled();
  });
});
