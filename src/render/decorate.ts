import { trans } from '../base/words';
import { copyText } from '../ui/clipboard';

/** How long a copy button confirms the copy, in milliseconds. */
const COPIED_TIME = 2000;

/** The elements whose text has a direction of its own, from left or from right. */
const DIRECTED =
  'p, h1, h2, h3, h4, h5, h6, ul, ol, dl, blockquote, table, summary';

/**
 * Add the language and a copy button to code blocks, a scrollable frame to tables, and the
 * direction of their text to all blocks.
 */
export function decorate(content: ParentNode): void {
  for (const pre of content.querySelectorAll('pre')) {
    const block = wrap(pre, 'jp-Turnbook-code');
    block.dataset.language = languageOf(pre);
    block.appendChild(copyButton(() => pre.textContent ?? ''));
  }
  for (const block of content.querySelectorAll<HTMLElement>(DIRECTED)) {
    block.dir = 'auto';
  }
  for (const table of content.querySelectorAll('table')) {
    if (!table.parentElement?.closest('table')) {
      wrap(table, 'jp-Turnbook-table').tabIndex = 0;
    }
  }
}

/** The language that a code block says it is in. */
function languageOf(pre: Element): string {
  const names = pre.querySelector('code')?.classList ?? [];
  const name = [...names].find(name => name.startsWith('language-'));
  return name?.slice('language-'.length) ?? '';
}

/** Create a button that copies a text. */
export function copyButton(text: () => string): HTMLButtonElement {
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
