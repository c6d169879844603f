/** How long a text that comes from a notebook may be, in characters. */
export const TEXT_LIMIT = 20_000;

/** How far a cut moves to the end of a line. */
const LINE = 200;

/** Cut a long text in the middle, and say there how much is left out. */
export function cutMiddle(text: string, limit = TEXT_LIMIT): string {
  if (text.length <= limit) {
    return text;
  }
  const half = Math.floor(limit / 2);
  const start = text.slice(0, half);
  const end = text.slice(text.length - half);
  const stop = start.lastIndexOf('\n');
  const go = end.indexOf('\n');
  const head = stop >= half - LINE ? start.slice(0, stop) : whole(start);
  const tail = go !== -1 && go < LINE ? end.slice(go + 1) : whole(end);
  const gone = (text.length - head.length - tail.length).toLocaleString('en');
  return `${head}\n… ${gone} characters left out …\n${tail}`;
}

/** A piece of a text without halves of characters at its ends. */
function whole(piece: string): string {
  return piece.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
