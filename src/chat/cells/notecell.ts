import { MarkdownCell } from '@jupyterlab/cells';

import { trans } from '../../base/words';
import { ignoreCollapsedHeading } from '../../labpatch/collapsedheading';
import { noteWords } from './cellname';
import { filteredCell } from './filteredcell';

/**
 * A note, never sent.
 */
export class NoteCell extends filteredCell(MarkdownCell) {
  constructor(options: MarkdownCell.IOptions) {
    super({ ...options, placeholder: true });
    this.addClass('jp-Turnbook-note');
    ignoreCollapsedHeading(this);
  }

  override get headingCollapsed(): boolean {
    return false;
  }
  override set headingCollapsed(_: boolean) {
    return;
  }

  protected override initializeDOM(): void {
    super.initializeDOM();
    this.setPrompt(trans.__('note'));
    this.model.contentChanged.connect(this._sayName, this);
    this._sayName();
  }

  private _sayName(): void {
    this.cellName.say(noteWords(this.model.sharedModel.getSource()));
  }
}
