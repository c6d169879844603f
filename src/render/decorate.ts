import { Clipboard } from '@jupyterlab/apputils';

/** How long a copy button confirms the copy, in milliseconds. */
const COPIED_TIME = 2000;

/** Add a copy button to code blocks, and a scrollable frame to tables. */
export function decorate(content: ParentNode): void {
  for (const pre of content.querySelectorAll('pre')) {
    wrap(pre, 'jp-Turnbook-code').appendChild(
      copyButton(() => pre.textContent ?? '')
    );
  }
  for (const table of content.querySelectorAll('table')) {
    if (!table.parentElement?.closest('table')) {
      wrap(table, 'jp-Turnbook-table').tabIndex = 0;
    }
  }
}

/** Create a button that copies a text. */
export function copyButton(text: () => string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'jp-Turnbook-copy';
  // Notebook shortcuts would otherwise capture Enter and Space.
  button.setAttribute('data-lm-suppress-shortcuts', 'true');
  say(button, 'Copy', 'Copy code');
  button.addEventListener('click', event => {
    event.stopPropagation();
    void copy(text().replace(/\n$/, '')).then(copied => {
      const word = copied ? 'Copied' : 'Not copied';
      say(button, word, word);
      window.setTimeout(() => say(button, 'Copy', 'Copy code'), COPIED_TIME);
    });
  });
  return button;
}

// Without https or localhost there is no `navigator.clipboard`.
async function copy(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
    } else {
      Clipboard.copyToSystem(text);
    }
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
