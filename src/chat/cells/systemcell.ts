import { RawCell } from '@jupyterlab/cells';
import type { PanelLayout } from '@lumino/widgets';

import { trans } from '../../base/words';
import { systemWords } from './cellname';
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
    this.setPrompt(trans.__('system'));
    this.model.contentChanged.connect(this._show, this);
    this.model.metadataChanged.connect(this._show, this);
    this._show();
  }

  private _show(): void {
    this.cellName.say(systemWords(this.model.sharedModel.getSource()));
    this._kept.show(this.model.sharedModel);
  }

  private _kept = new KeptMessages(view =>
    (this.layout as PanelLayout).addWidget(view)
  );
}
