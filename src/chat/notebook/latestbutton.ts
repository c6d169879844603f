import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownEmptyIcon } from '@jupyterlab/ui-components';

import { button } from '../../ui/dom';
import type { ChatNotebook } from './notebook';
import type { Scrolling } from './scrolling';

/** A button over the cells, shown while the end of the chat is out of view. */
export class LatestButton {
  constructor(options: LatestButton.IOptions) {
    const { content, scrolling, trans } = options;
    const label = trans.__('Jump to latest');
    this.node = button(
      label,
      'jp-Turnbook-button jp-Turnbook-latest',
      () => options.onClick(document.activeElement === this.node),
      trans.__('Show the end of the chat, and follow it as it grows')
    );
    this.node.prepend(
      caretDownEmptyIcon.element({ tag: 'span', className: 'jp-Icon-16' })
    );
    // Shortcuts of the notebook would otherwise capture Enter and Space.
    this.node.setAttribute('data-lm-suppress-shortcuts', 'true');
    // Writing goes on: a click does not take the focus.
    this.node.addEventListener('mousedown', event => event.preventDefault());
    const show = () => {
      this.node.hidden = !scrolling.isAway;
    };
    scrolling.awayChanged.connect(show);
    show();
    content.node.append(this.node);
  }

  readonly node: HTMLButtonElement;
}

/**
 * The namespace for `LatestButton` statics.
 */
export namespace LatestButton {
  export interface IOptions {
    content: ChatNotebook;
    scrolling: Scrolling;
    trans: TranslationBundle;
    /** Called with whether the button has the focus, which it loses. */
    onClick: (hadFocus: boolean) => void;
  }
}
