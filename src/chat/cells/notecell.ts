import { MarkdownCell } from '@jupyterlab/cells';

import { ignoreCollapsedHeading } from '../../labpatch/collapsedheading';
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
    this.setPrompt('note');
  }
}
