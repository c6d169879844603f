import { RawCell } from '@jupyterlab/cells';
import type { PanelLayout } from '@lumino/widgets';

import { filteredCell } from './filteredcell';
import { KeptMessages } from './keptview';

/** A system message, sent at its position. */
export class SystemCell extends filteredCell(RawCell) {
  constructor(options: RawCell.IOptions) {
    super({ ...options, placeholder: true });
    this.addClass('jp-Turnbook-system');
  }

  protected override initializeDOM(): void {
    super.initializeDOM();
    this.setPrompt('system');
    this.model.contentChanged.connect(this._showKept, this);
    this.model.metadataChanged.connect(this._showKept, this);
    this._showKept();
  }

  private _showKept(): void {
    this._kept.show(this.model.sharedModel);
  }

  private _kept = new KeptMessages(view =>
    (this.layout as PanelLayout).addWidget(view)
  );
}
