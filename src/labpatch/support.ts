import { MarkdownCell } from '@jupyterlab/cells';
import { Context } from '@jupyterlab/docregistry';
import { Notebook } from '@jupyterlab/notebook';
import { Drive } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import { skipsCells } from './windowing';

/** Something that does not work in the JupyterLab that runs. */
export interface ILack {
  /** What the user notices. */
  text: string;
  /** Whether they would miss it; otherwise it is only written to the console. */
  isMissed: boolean;
}

/**
 * What does not work in the JupyterLab that runs, because something that Turnbook reaches for is not there.
 *
 * It looks for the things themselves: they may come and go with any version, and Jupyter Notebook counts
 * its versions in another way.
 */
export function lacks(trans: TranslationBundle): ILack[] {
  const found: ILack[] = [];
  if (!skipsCells()) {
    found.push({
      text: trans.__('Long chats scroll less smoothly.'),
      isMissed: false
    });
  }
  if (
    !has(Notebook, '_runOnIdleTime') ||
    !has(Notebook, '_trimSelections') ||
    !String(Context).includes('_contentProviderId') ||
    !String(Drive).includes('_restContentProvider')
  ) {
    found.push({
      text: trans.__('Long chats open more slowly.'),
      isMissed: false
    });
  }
  if (!String(MarkdownCell).includes('_headingCollapsed')) {
    found.push({
      text: trans.__(
        'Notes that were collapsed in a plain notebook stay collapsed.'
      ),
      isMissed: false
    });
  }
  if (!has(Context, '_raiseConflict')) {
    found.push({
      text: trans.__(
        'When a chat is open in two places, JupyterLab asks which version to save.'
      ),
      isMissed: true
    });
  }
  return found;
}

function has(type: { prototype: object }, name: string): boolean {
  return name in type.prototype;
}
