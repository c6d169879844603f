import { MarkdownCell } from '@jupyterlab/cells';

import { filteredCell } from './filteredcell';

/**
 * A note, never sent.
 */
export class NoteCell extends filteredCell(MarkdownCell) {
  constructor(options: MarkdownCell.IOptions) {
    super({ ...options, placeholder: true });
    this.addClass('jp-Turnbook-note');
    // JupyterLab reads the mark of a collapsed heading into this private member.
    Object.assign(this as object, { _headingCollapsed: false });
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
