import type { Chat } from './chat';

/** What would be sent according to the screen: messages, and their cells. */
export interface IScreen {
  messages: { role: string; content: string }[];
  cells: string[];
}

/**
 * Read from the page, as a user would, what the next message takes with it.
 *
 * Only rendered text counts: notes, dimmed pairs, badges and error texts are not messages. Replies
 * must be plain text, which looks the same when rendered.
 */
export function readScreen(chat: Chat): Promise<IScreen> {
  return chat.panel.locator('.jp-Turnbook-notebook').evaluate(notebook => {
    const screen: IScreen = { messages: [], cells: [] };
    const say = (role: string, content: string) => {
      if (content.trim()) {
        screen.messages.push({ role, content });
      }
    };
    const lines = (node: Element) =>
      [...node.querySelectorAll('.jp-InputArea-editor .cm-line')]
        .map(line => line.textContent)
        .join('\n');
    const shown = [
      ...notebook.querySelectorAll<HTMLElement>('.jp-Cell')
    ].filter(cell => cell.offsetHeight > 0);
    for (const cell of shown) {
      const before = screen.messages.length;
      if (cell.classList.contains('jp-Turnbook-system')) {
        say('system', lines(cell));
      } else if (
        cell.classList.contains('jp-Turnbook-pair') &&
        cell.dataset.turnbookOoc === undefined
      ) {
        say('user', lines(cell));
        const reply = [
          ...cell.querySelectorAll('.jp-OutputArea .jp-RenderedMarkdown > p')
        ]
          .map(paragraph => paragraph.textContent)
          .join('\n\n');
        const sentinel = cell.querySelector(
          '.jp-Turnbook-pairStatus-sentinel'
        )?.textContent;
        say('assistant', reply && sentinel ? `${reply}\n\n${sentinel}` : reply);
      }
      if (screen.messages.length > before) {
        const id = cell.dataset.turnbookPair;
        screen.cells.push(id ?? 'system');
      }
    }
    return screen;
  });
}
