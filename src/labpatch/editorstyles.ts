/**
 * CodeMirror's style sheet, written only when it changes.
 *
 * CodeMirror writes it again with each new editor, and the browser then looks at every element of
 * the page anew: most of what it takes to draw a cell. Here the same text is not written twice.
 */

const descriptor = Object.getOwnPropertyDescriptor(
  Node.prototype,
  'textContent'
)!;

const known = new WeakSet<Element>();

/** Look after the style sheet of the editors that there are. */
export function keepEditorStyles(): void {
  for (const node of document.head.querySelectorAll('style')) {
    // The names that CodeMirror makes begin with this letter.
    if (!known.has(node) && node.textContent.startsWith('.ͼ')) {
      known.add(node);
      keep(node);
    }
  }
}

function keep(node: HTMLStyleElement): void {
  let last = node.textContent;
  Object.defineProperty(node, 'textContent', {
    configurable: true,
    get: () => last,
    set: (text: string) => {
      if (text !== last) {
        last = text;
        descriptor.set!.call(node, text);
      }
    }
  });
}
