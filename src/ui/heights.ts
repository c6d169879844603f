/**
 * How high a cell will be, before it was ever laid out.
 *
 * The browser keeps that much room for what is not in view. With too little it takes far more cells
 * for near the view than there are, and lays all of them out at once.
 */

/** Characters that stand on a line of a reply. */
const LINE_CHARS = 90;

/** The height of such a line. */
const LINE_PX = 22;

/** The space between two blocks. */
const GAP_PX = 14;

/** What a cell has around its texts: borders, the status line, the space to the next. */
const FRAME_PX = 72;

/** The height of a cell with these texts. */
export function estimateHeight(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + textHeight(text), FRAME_PX);
}

function textHeight(text: string): number {
  return text
    .split('\n')
    .reduce(
      (sum, line) =>
        sum + (Math.ceil(line.length / LINE_CHARS) * LINE_PX || GAP_PX),
      0
    );
}
