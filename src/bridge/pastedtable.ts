import { Notification } from '@jupyterlab/apputils';

import { trans } from '../base/words';
import type { ChatPanel } from '../chat/panel';
import { cutMiddle } from './cuttext';
import { htmlText } from './htmltext';

/** How long the offer is shown. */
const OFFER_MS = 15_000;

/** Offer a table that was pasted into a chat's message, as from a spreadsheet, as Markdown. */
export function offerTables(panel: ChatPanel): void {
  panel.composer.node.addEventListener('paste', event => {
    const { target, clipboardData } = event;
    const table = pastedTable(clipboardData?.getData('text/html') ?? '');
    if (!(target instanceof HTMLTextAreaElement) || table === null) {
      return;
    }
    const start = target.selectionStart;
    // As a text area has it.
    const plain = clipboardData!.getData('text/plain').replace(/\r\n?/g, '\n');
    Notification.info(trans.__('The text that you pasted is a table.'), {
      autoClose: OFFER_MS,
      actions: [
        {
          label: trans.__('Make it a Markdown table'),
          callback: () => {
            const { draft } = panel.session;
            draft.text = withTable(draft.text, { plain, start, table });
            panel.enterInput();
          }
        }
      ]
    });
  });
}

/** The Markdown of some HTML that is a table; null if it is something else. */
export function pastedTable(html: string): string | null {
  // Parsing is for what can have a table.
  if (!/<table/i.test(html)) {
    return null;
  }
  const { text, gaps, hasTable } = htmlText(html);
  return hasTable && text.startsWith('|')
    ? withHeader(cutMiddle(text, text.length, gaps))
    : null;
}

/** A table without a header gets its first row as one, as in spreadsheets. */
function withHeader(table: string): string {
  const [header, line, first, ...rows] = table.split('\n');
  return first !== undefined && /^[|\s]+$/.test(header)
    ? [first, line, ...rows].join('\n')
    : table;
}

/** A text with a table instead of what was pasted; after it, if that is gone. */
export function withTable(
  text: string,
  pasted: { plain: string; start: number; table: string }
): string {
  const { plain, start, table } = pasted;
  const known = plain && text.startsWith(plain, start);
  const place = known ? start : plain ? text.indexOf(plain) : -1;
  const [before, after] =
    place === -1
      ? [text, '']
      : [text.slice(0, place), text.slice(place + plain.length)];
  return [before.trimEnd(), table, after.trim()].filter(Boolean).join('\n\n');
}
