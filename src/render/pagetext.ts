/** The text of nodes in the page, and where each character of it is. */
export interface IPageText {
  text: string;
  /** The range between two offsets of the text. */
  range: (start: number, end: number) => StaticRange;
}

/** What is no text of a reply: controls, pictures, and formulas as a typesetter draws them. */
const SKIPPED =
  'button, input, textarea, select, svg, style, script, mjx-container, .jp-Turnbook-math, .jp-Turnbook-remark';

const BLOCKS = new Set(
  'ADDRESS ARTICLE BLOCKQUOTE BR DD DETAILS DIV DL DT H1 H2 H3 H4 H5 H6 HR LI OL P PRE SECTION SUMMARY TABLE TBODY TD TH THEAD TR UL'.split(
    ' '
  )
);

/**
 * Read the text of nodes as a reader sees it: each block is a line of its own, and the parts of a
 * line belong together, whatever their marks.
 */
export function pageText(roots: readonly Node[]): IPageText {
  const pieces: { start: number; node: Text }[] = [];
  let text = '';
  const line = () => {
    if (text && !text.endsWith('\n')) {
      text += '\n';
    }
  };
  const read = (node: Node, isCode: boolean): void => {
    if (node instanceof Text) {
      pieces.push({ start: text.length, node });
      text += isCode ? node.data : node.data.replace(/\s/g, ' ');
    } else if (node instanceof Element && !node.matches(SKIPPED)) {
      const isBlock = BLOCKS.has(node.tagName);
      if (isBlock) {
        line();
      }
      for (const child of node.childNodes) {
        read(child, isCode || node.tagName === 'PRE');
      }
      if (isBlock) {
        line();
      }
    }
  };
  for (const root of roots) {
    read(root, false);
    line();
  }
  return {
    text,
    range: (start, end) => {
      const from = pieceAt(pieces, start);
      // The end belongs to the piece of the last character.
      const to = pieceAt(pieces, end - 1);
      return new StaticRange({
        startContainer: from.node,
        startOffset: Math.min(start - from.start, from.node.length),
        endContainer: to.node,
        endOffset: Math.min(end - to.start, to.node.length)
      });
    }
  };
}

/** The last piece that starts at or before an offset. */
function pieceAt<T extends { start: number }>(
  pieces: readonly T[],
  offset: number
): T {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pieces[middle].start <= offset) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return pieces[low];
}
