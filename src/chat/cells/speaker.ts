import { Widget } from '@lumino/widgets';

import { element } from '../../ui/dom';

/** Who speaks, in the gutter beside what follows; it takes no room of its own. */
export class Speaker extends Widget {
  constructor(kind: 'user' | 'model') {
    super();
    this.addClass('jp-Turnbook-speaker');
    this.addClass(`jp-mod-${kind}`);
  }

  /**
   * Show a name.
   *
   * @param name - The name; nothing is shown for an empty one.
   * @param more - What is said below it.
   * @param title - What a pointer is told.
   */
  say(name: string, more = '', title = ''): void {
    const said = JSON.stringify([name, more, title]);
    if (said === this._said) {
      return;
    }
    this._said = said;
    this.node.title = title;
    this.node.replaceChildren(
      ...(name ? [element('span', 'jp-Turnbook-speaker-name', name)] : []),
      ...(more ? [element('span', 'jp-Turnbook-speaker-more', more)] : [])
    );
  }

  private _said = '';
}
