import { Clipboard } from '@jupyterlab/apputils';

import { trans } from '../base/words';

/** Copy a text; rejects if the browser does not allow it. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  // Without https or localhost there is only the event, which does not come if it is refused.
  let isAsked = false;
  const onCopy = () => {
    isAsked = true;
  };
  document.addEventListener('copy', onCopy, true);
  Clipboard.copyToSystem(text);
  document.removeEventListener('copy', onCopy, true);
  if (!isAsked) {
    throw new Error(trans.__('the page has no access to the clipboard'));
  }
}
