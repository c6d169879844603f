import { trans } from '../base/words';
import { copyText } from '../ui/clipboard';
import type { IDiagrams } from './diagrams';
import { diagramButton } from './diagramview';

/** How long a copy button confirms the copy, in milliseconds. */
const COPIED_TIME = 2000;

/** The elements whose text has a direction of its own, from left or from right. */
const DIRECTED =
  'p, h1, h2, h3, h4, h5, h6, ul, ol, dl, blockquote, table, summary';

/**
 * Add the language and buttons to code blocks, a scrollable frame to tables, the direction of their
 * text to all blocks, and names to the boxes of task lists.
 *
 * @param diagrams - What draws diagrams, if anything does.
 */
export function decorate(
  content: ParentNode,
  diagrams: IDiagrams | null = null
): void {
  for (const pre of content.querySelectorAll('pre')) {
    frameCode(pre, languageOf(pre), diagrams);
  }
  for (const block of content.querySelectorAll<HTMLElement>(DIRECTED)) {
    block.dir = 'auto';
  }
  for (const box of content.querySelectorAll('input[type="checkbox"]')) {
    box.setAttribute('aria-label', trans.__('Task'));
  }
  for (const table of content.querySelectorAll('table')) {
    if (!table.parentElement?.closest('table')) {
      wrap(table, 'jp-Turnbook-table').tabIndex = 0;
    }
  }
}

/** Put a code block that is in a document into a frame with its language and buttons. */
export function frameCode(
  pre: HTMLElement,
  language: string,
  diagrams: IDiagrams | null = null
): void {
  const frame = wrap(pre, 'jp-Turnbook-code');
  frame.dataset.language = language;
  const tools = document.createElement('div');
  tools.className = 'jp-Turnbook-codeTools';
  if (diagrams && language === 'mermaid') {
    tools.append(diagramButton(frame, pre, diagrams));
  }
  tools.append(copyButton(() => pre.textContent ?? ''));
  frame.append(tools);
}

/** The language that a code block says it is in. */
function languageOf(pre: Element): string {
  const names = pre.querySelector('code')?.classList ?? [];
  const name = [...names].find(name => name.startsWith('language-'));
  return name?.slice('language-'.length) ?? '';
}

/** Create a button that copies a text. */
function copyButton(text: () => string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'jp-Turnbook-copy';
  // Notebook shortcuts would otherwise capture Enter and Space.
  button.setAttribute('data-lm-suppress-shortcuts', 'true');
  say(button, trans.__('Copy'), trans.__('Copy code'));
  button.addEventListener('click', event => {
    event.stopPropagation();
    void copy(text().replace(/\n$/, '')).then(copied => {
      const word = copied ? trans.__('Copied') : trans.__('Not copied');
      say(button, word, word);
      window.setTimeout(
        () => say(button, trans.__('Copy'), trans.__('Copy code')),
        COPIED_TIME
      );
    });
  });
  return button;
}

async function copy(text: string): Promise<boolean> {
  try {
    await copyText(text);
    return true;
  } catch (reason) {
    console.warn('The browser did not let the code be copied.', reason);
    return false;
  }
}

function say(button: HTMLElement, text: string, name: string): void {
  button.textContent = text;
  button.setAttribute('aria-label', name);
}

function wrap(element: Element, className: string): HTMLElement {
  const frame = document.createElement('div');
  frame.className = className;
  element.replaceWith(frame);
  frame.appendChild(element);
  return frame;
}
