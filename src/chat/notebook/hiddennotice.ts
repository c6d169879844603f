import type { Cell } from '@jupyterlab/cells';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IWider } from '../../filter/wider';
import { button, element, setChildren } from '../../ui/dom';
import { isFiltered } from './sight';

/** Says that the filter hides all pairs, and how to show them again. */
export class HiddenNotice {
  /**
   * @param trans - Returns the user's language.
   * @param onFilter - Called with another filter that the user wants; an empty one shows everything.
   */
  constructor(
    private _trans: () => TranslationBundle,
    private _onFilter: (text: string) => void
  ) {
    this.node = element('div', 'jp-Turnbook-allHidden');
    this.node.setAttribute('role', 'status');
    this.node.tabIndex = -1;
  }

  readonly node: HTMLElement;

  /**
   * Count the cells, and say it if no pair is visible.
   *
   * @param cells - The cells of the chat, without one that is empty.
   * @param wider - Returns a filter to offer.
   * @returns Whether all pairs are hidden.
   */
  show(cells: readonly Cell[], wider: () => IWider | null): boolean {
    // The number of cells of each kind, and of the hidden ones.
    const all = { pairs: 0, system: 0, others: 0 };
    const hidden = { pairs: 0, system: 0, others: 0 };
    for (const cell of cells) {
      const { type } = cell.model;
      const kind =
        type === 'code' ? 'pairs' : type === 'raw' ? 'system' : 'others';
      all[kind]++;
      hidden[kind] += isFiltered(cell) ? 1 : 0;
    }
    const someHidden = sum(hidden) > 0;
    const allHidden = someHidden && hidden.pairs === all.pairs;
    this.node.classList.toggle('jp-mod-others', sum(hidden) < sum(all));
    if (!allHidden) {
      setChildren(this.node, []);
      return false;
    }
    const trans = this._trans();
    const what = all.pairs
      ? trans._n(
          'The filter hides the only pair.',
          'The filter hides all %1 pairs.',
          all.pairs
        )
      : trans.__('The filter hides all system messages.');
    const sent =
      hidden.system < all.system
        ? trans.__('Only the system messages and yours would be sent.')
        : trans.__('Only your message would be sent.');
    const more = wider();
    const offer = (label: string, text: string) =>
      button(label, 'jp-Turnbook-button', () => this._onFilter(text));
    setChildren(this.node, [
      element('p', '', `${what} ${sent}`),
      ...(more
        ? [offer(trans.__('%1 has %2', more.text, more.pairs), more.text)]
        : []),
      offer(trans.__('Show all'), '')
    ]);
    return true;
  }
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}
