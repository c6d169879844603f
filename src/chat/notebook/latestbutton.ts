import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownEmptyIcon } from '@jupyterlab/ui-components';

import { button } from '../../ui/dom';
import type { ChatNotebook } from './notebook';
import type { Scrolling } from './scrolling';

/** A button over the cells, shown while the end of the chat is out of view. */
export class LatestButton {
  constructor(options: LatestButton.IOptions) {
    const { content, scrolling, trans } = options;
    const node = button(
      trans.__('Jump to latest'),
      'jp-Turnbook-button jp-Turnbook-latest',
      options.onClick,
      trans.__('Show the end of the chat, and follow it as it grows')
    );
    node.prepend(
      caretDownEmptyIcon.element({ tag: 'span', className: 'jp-Icon-16' })
    );
    // A click leaves the focus where it is.
    node.addEventListener('mousedown', event => event.preventDefault());
    // The notebook would pass the focus on to its active cell.
    for (const type of ['focusin', 'keydown']) {
      node.addEventListener(type, event => event.stopPropagation());
    }
    const show = () => {
      const hadFocus = node === document.activeElement;
      node.hidden = !scrolling.isAway;
      if (node.hidden && hadFocus) {
        content.activate();
      }
    };
    scrolling.awayChanged.connect(show);
    show();
    content.node.append(node);
  }
}

/**
 * The namespace for `LatestButton` statics.
 */
export namespace LatestButton {
  export interface IOptions {
    content: ChatNotebook;
    scrolling: Scrolling;
    trans: TranslationBundle;
    onClick: () => void;
  }
}
