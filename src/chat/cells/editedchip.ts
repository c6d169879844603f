import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { showComparison } from '../../ui/comparison';
import { DiffTip } from '../../ui/difftip';
import { button } from '../../ui/dom';

/** How much of what stayed is shown around each change. */
const CONTEXT = 60;

/** The texts of an edited reply. */
export interface IEditedTexts {
  /** As it came; null if that is not known. */
  received: string | null;
  shown: string;
}

/**
 * Says that the user edited a reply. Pointing at it or focusing it shows what changed, and a click
 * the whole comparison.
 */
export class EditedChip {
  /**
   * @param texts - Reads the texts, which may be long, when they are looked at.
   */
  constructor(
    private _trans: TranslationBundle,
    private _texts: () => IEditedTexts
  ) {
    this.node = button(
      _trans.__('Edited reply'),
      'jp-Turnbook-pairStatus-editedReply',
      () => this._compare(),
      ''
    );
    this.node.addEventListener('mouseenter', () => this._show());
    this.node.addEventListener('focus', () => this._show());
    this.node.addEventListener('mouseleave', () => this.hide());
    this.node.addEventListener('blur', () => this.hide());
    this.node.addEventListener('keydown', event => {
      if (event.key === 'Escape' && this._tip) {
        event.stopPropagation();
        this.hide();
      }
    });
  }

  readonly node: HTMLButtonElement;

  /** Hide what changed. */
  hide(): void {
    this._tip?.dispose();
    this._tip = null;
    this.node.removeAttribute('aria-describedby');
  }

  private _show(): void {
    const { received, shown } = this._texts();
    if (received === null) {
      this.node.title = this._trans.__(
        'You edited this reply. The original is not in the file.'
      );
      return;
    }
    this.node.removeAttribute('title');
    if (!this._tip) {
      this._tip = new DiffTip();
      this._tip.id = `turnbook-edited-${++made}`;
      Widget.attach(this._tip, document.body);
      this.node.setAttribute('aria-describedby', this._tip.id);
    }
    this._tip.compare({
      before: received,
      after: shown,
      anchor: this.node,
      context: CONTEXT
    });
  }

  private _compare(): void {
    const { received, shown } = this._texts();
    const trans = this._trans;
    this.hide();
    if (received !== null) {
      void showComparison(
        {
          title: trans.__('Edited reply'),
          before: { name: trans.__('As received'), text: received },
          after: { name: trans.__('Edited'), text: shown }
        },
        trans
      );
    }
  }

  private _tip: DiffTip | null = null;
}

let made = 0;
