/**
 * Estimates the height of a cell before it is first laid out.
 *
 * The browser reserves that much space for cells out of view. If it is too small, far more cells
 * count as near the view than really are, and all of them are laid out at once.
 */

/** Characters per line of a reply. */
const LINE_CHARS = 90;

/** The height of a line. */
const LINE_PX = 22;

/** The space between two blocks. */
const GAP_PX = 14;

/** The height of a cell without its texts: borders, the status line, the space to the next. */
const FRAME_PX = 72;

/** Estimate the height of a cell with these texts. */
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
