import { type IRenderMime } from '@jupyterlab/rendermime-interfaces';

import { trans } from '../base/words';
import { decorate } from './decorate';
import type { IDiagrams } from './diagrams';
import { guardHtml, guardTypeset } from './guard';
import { hasMath, putMath, restoreInTags, takeMath } from './math';
import { TextPieces } from './pieces';
import { sliceMarkdown } from './slices';

/**
 * The parts of JupyterLab that rendering uses; any renderer registry or renderer options has them.
 */
export interface IRenderParts {
  readonly markdownParser?: IRenderMime.IMarkdownParser | null;
  readonly sanitizer: IRenderMime.ISanitizer;
  readonly latexTypesetter: IRenderMime.ILatexTypesetter | null;
  readonly resolver: IRenderMime.IResolver | null;
  /** What draws diagrams when the user asks for it. */
  readonly diagrams?: IDiagrams | null;
}

/** The longest text that is formatted; longer texts would create too many elements for the page. */
const MAX_FORMATTED = 400_000;

/**
 * Render a reply's Markdown into nodes that are safe to put on the page.
 *
 * It never fails: what cannot be formatted is returned as plain text with a note. A long reply is
 * rendered in slices, so that the page is never blocked for long.
 */
export async function renderMarkdown(
  source: string,
  parts: IRenderParts
): Promise<DocumentFragment> {
  if (!parts.markdownParser) {
    return plainText(source);
  }
  if (source.length > MAX_FORMATTED) {
    return plainText(
      source,
      trans.__('This reply is too long to be formatted.')
    );
  }
  const content = document.createDocumentFragment();
  for (const { text, isHeavy } of sliceMarkdown(source)) {
    if (content.hasChildNodes()) {
      await nextTask();
    }
    content.appendChild(
      isHeavy
        ? plainText(text, trans.__('This part is too long to be formatted.'))
        : await formatMarkdown(text, parts, parts.markdownParser)
    );
  }
  return content;
}

async function formatMarkdown(
  source: string,
  parts: IRenderParts,
  parser: IRenderMime.IMarkdownParser
): Promise<DocumentFragment> {
  try {
    const { text, formulas } = takeMath(source);
    let content = await toNodes(text, formulas, parts, parser);
    if (!putMath(content, formulas)) {
      // The parser saw something else where a formula was found; as text, everything is there.
      content = await toNodes(source, [], parts, parser);
    }
    decorate(content, parts.diagrams);
    return content;
  } catch (reason) {
    console.warn('A reply could not be formatted.', reason);
    return plainText(
      source,
      trans.__('This reply could not be formatted; here is its text.')
    );
  }
}

async function toNodes(
  text: string,
  formulas: string[],
  parts: IRenderParts,
  parser: IRenderMime.IMarkdownParser
): Promise<DocumentFragment> {
  const html = await parser.render(hideDiagrams(text));
  const whole = restoreInTags(html.replaceAll(DIAGRAM_MARK, ''), formulas);
  return guardHtml(parts.sanitizer.sanitize(whole), url =>
    resolveLocal(url, parts.resolver)
  );
}

/**
 * Typeset the formulas in a node that holds rendered Markdown.
 */
export async function typeset(
  host: HTMLElement,
  parts: IRenderParts
): Promise<void> {
  if (!parts.latexTypesetter || !hasMath(host)) {
    return;
  }
  // Formulas are the only elements that the typesetter may look into.
  host.classList.add('mathjax_ignore');
  const before = new Set(host.querySelectorAll('*'));
  try {
    await parts.latexTypesetter.typeset(host);
  } catch (reason) {
    console.warn('The formulas of a reply could not be typeset.', reason);
  }
  guardTypeset(host, before);
}

/**
 * A text as it is, with an optional note above it.
 */
export function plainText(source: string, note?: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  if (note) {
    const remark = document.createElement('p');
    remark.className = 'jp-Turnbook-remark';
    remark.textContent = note;
    fragment.appendChild(remark);
  }
  const text = document.createElement('div');
  text.className = 'jp-Turnbook-plain';
  new TextPieces(text).append(source);
  fragment.appendChild(text);
  return fragment;
}

// JupyterLab's parser draws a block whose language is exactly `mermaid`. A diagram is a program by
// the reply's author that would run in the page before the sanitizer sees anything, so the language
// name is broken on the way in.
const DIAGRAM_MARK = '\ue0f1\ue0f2\ue0f1';

function hideDiagrams(text: string): string {
  return text
    .replaceAll(DIAGRAM_MARK, '')
    .replace(/((?:```|~~~)\s*mermaid)/g, `$1${DIAGRAM_MARK}`);
}

// A promise alone would leave no time for input and paint.
function nextTask(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve));
}

// A relative URL is a file next to the chat; any other URL on this server is used as the button
// shows it.
async function resolveLocal(
  url: string,
  resolver: IRenderMime.IResolver | null
): Promise<string> {
  if (!resolver?.isLocal?.(url)) {
    return url;
  }
  return resolver.getDownloadUrl(await resolver.resolveUrl(url));
}
