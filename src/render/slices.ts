import { BlockSplitter } from './blocks';

/** A part of a reply that is rendered at once. */
export interface ISlice {
  readonly text: string;

  /** Whether formatting it would block the page. */
  readonly isHeavy: boolean;
}

/** How much is rendered at once when the blocks do not depend on each other. */
const SLICE = 16_000;

/**
 * The longest reply that is rendered as a whole when its blocks may depend on each other. In a
 * longer one, a link may lose a URL that is defined elsewhere.
 */
export const MAX_WHOLE = 64_000;

/**
 * The longest block that is formatted. The parser handles code in linear time, but gets slower and
 * slower in a long list.
 */
const MAX_BLOCK = 64_000;
const MAX_CODE = 150_000;

/**
 * The most work that a paragraph may cause; for the parser, that is its length times the number of
 * its marks.
 */
const MAX_WORK = 10_000_000;

/**
 * Split a reply into parts that can be rendered one after the other, with time for the page between
 * them.
 */
export function sliceMarkdown(source: string): ISlice[] {
  if (source.length <= SLICE && isQuick(source)) {
    return [{ text: source, isHeavy: false }];
  }
  const splitter = new BlockSplitter();
  // The splitter waits for the end of a line; here nothing follows.
  const closed = splitter.push(`${source}\n`);
  const blocks = [...closed, splitter.tail.slice(0, -1)];
  if (
    splitter.spansBlocks &&
    source.length <= MAX_WHOLE &&
    !blocks.some(isHeavyBlock)
  ) {
    return [{ text: source, isHeavy: false }];
  }
  const slices: ISlice[] = [];
  let light = '';
  const close = () => {
    if (light) {
      slices.push({ text: light, isHeavy: false });
      light = '';
    }
  };
  for (const block of blocks) {
    const isHeavy = isHeavyBlock(block);
    if (isHeavy || light.length + block.length > SLICE) {
      close();
    }
    if (isHeavy) {
      slices.push({ text: block, isHeavy });
    } else {
      light += block;
    }
  }
  close();
  return slices;
}

/** Whether no paragraph of a text exceeds a work limit. */
export function isQuick(text: string, limit = MAX_WORK): boolean {
  return text.split(PARAGRAPHS).every(paragraph => {
    const marks = paragraph.match(MARKS)?.length ?? 0;
    return paragraph.length * marks <= limit;
  });
}

function isHeavyBlock(block: string): boolean {
  return FENCED.test(block)
    ? block.length > MAX_CODE
    : block.length > MAX_BLOCK || !isQuick(block);
}

const FENCED = /^ {0,3}(?:```|~~~)/;
// Line ends after which another block, list item, row or heading starts.
const PARAGRAPHS = /\n(?=[ \t]*(?:\n|[-*+][ \t]|\d+[.)][ \t]|[|>#]|```|~~~))/;
// Characters that may start or end something inside a paragraph, formulas included.
const MARKS = /[*_~`[<$\\]/g;
