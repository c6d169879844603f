/**
 * Marks in a rendered reply where it was joined from several attempts.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IRendering } from '../../render/renderers';
import { renderMarkdown } from '../../render/pipeline';
import type { ISeam } from '../../base/joining';
import type { Pair } from '../../document/pair';
import { element } from '../../ui/dom';

const CLASS = 'jp-Turnbook-seam';

/** Mark the seams of a pair's reply, if that is what is rendered. */
export function markPairSeams(
  rendering: IRendering,
  { run, reply }: Pair,
  trans: TranslationBundle
): void {
  const { seams = [] } = run ?? {};
  if (seams.length && reply?.text === rendering.source) {
    rendering.until(markSeams(rendering, seams, trans));
  }
}

/**
 * Mark the seams in the rendering of a reply.
 *
 * The text itself is rendered unchanged. The position of a seam is where the rendering of the text
 * before it stops being a prefix of the whole rendering. That works in the middle of a word or of
 * code too; inside a construct that is only closed after the seam, it is the start of that
 * construct.
 */
export async function markSeams(
  { content, source, parts }: IRendering,
  seams: readonly ISeam[],
  trans: TranslationBundle
): Promise<void> {
  const places: [number, ISeam][] = [];
  const whole = content.textContent ?? '';
  for (const seam of seams) {
    if (seam.at < source.length) {
      const before = await renderMarkdown(source.slice(0, seam.at), parts);
      places.push([common(before.textContent ?? '', whole), seam]);
    }
  }
  // From the end, so that earlier positions stay valid.
  for (const [place, seam] of places.reverse()) {
    insertAt(content, place, mark(seam, trans));
  }
}

function mark({ removed }: ISeam, trans: TranslationBundle): HTMLElement {
  const node = element('span', CLASS);
  const words = removed
    ? trans._n(
        'The reply was cut off here and continued in another attempt, which repeated %1 character; it is left out.',
        'The reply was cut off here and continued in another attempt, which repeated %1 characters; they are left out.',
        removed
      )
    : trans.__('The reply was cut off here and continued in another attempt.');
  node.title = words;
  node.setAttribute('role', 'img');
  node.setAttribute('aria-label', words);
  return node;
}

function insertAt(content: Node, place: number, node: HTMLElement): void {
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
  let left = place;
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const { length } = text as Text;
    // After a text rather than before the next one, so that it is inside the interrupted element.
    if (left <= length && length > 0) {
      (text as Text).splitText(left).before(node);
      return;
    }
    left -= length;
  }
  content.appendChild(node);
}

function common(one: string, other: string): number {
  // The end of an interrupted text has whitespace that the whole may not have.
  const start = one.trimEnd();
  const shorter = Math.min(start.length, other.length);
  let n = 0;
  while (n < shorter && start[n] === other[n]) {
    n++;
  }
  return n;
}
