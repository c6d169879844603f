/** How deep HTML is, before it is parsed. */

/** How many elements may be open in each other: parsers take quadratic time for more. */
const DEEP = 2_000;

const TAG = /<(\/?)([a-z][\w-]*)(?=[\s/>])|\/>/gi;

/** What is never open, or ended by the next of its kind: what it is in is counted. */
const ENDED = new Set(
  'area base br col colgroup dd dt embed hr img input li link meta option p param source tbody td tfoot th thead tr track wbr'.split(
    ' '
  )
);

/** Where too many elements are open in each other; the length of the HTML if that is nowhere. */
export function depthEnd(html: string): number {
  const open = new Map<string, number>();
  let depth = 0;
  let last = '';
  const count = (name: string) => open.get(name) ?? 0;
  const close = (name: string) => {
    if (count(name)) {
      open.set(name, count(name) - 1);
      depth--;
    }
  };
  for (const { 1: slash, 2: tag, index } of html.matchAll(TAG)) {
    if (tag === undefined) {
      // Only within drawings and formulas does this end an element.
      if (count('svg') || count('math')) {
        close(last);
      }
      continue;
    }
    const name = tag.toLowerCase();
    if (slash) {
      close(name);
      last = '';
    } else if (!ENDED.has(name)) {
      open.set(name, count(name) + 1);
      last = name;
      if (++depth > DEEP) {
        return index;
      }
    }
  }
  return html.length;
}
