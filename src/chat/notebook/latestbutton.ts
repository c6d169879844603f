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
    // There are keys for it, and it goes away: the focus stays where it is.
    node.tabIndex = -1;
    node.addEventListener('mousedown', event => event.preventDefault());
    const show = () => {
      node.hidden = !scrolling.isAway;
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
