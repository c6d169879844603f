import { VDomModel, VDomRenderer } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import * as React from 'react';

import type { ChatPanel } from '../chat/panel';
import type { IOpenChats } from '../chat/openchats';

/** The modes of the active chat, for the status bar. */
export class ModesModel extends VDomModel {
  constructor(private _tracker: IOpenChats) {
    super();
    _tracker.currentChanged.connect(this._onChat, this);
    this._onChat();
  }

  /** The chat whose modes are shown; null if there is none. */
  get chat(): ChatPanel | null {
    return this._chat;
  }

  override dispose(): void {
    this._tracker.currentChanged.disconnect(this._onChat, this);
    Signal.disconnectReceiver(this);
    super.dispose();
  }

  private _onChat(): void {
    if (this._chat && !this._chat.isDisposed) {
      const { pause, rules } = this._chat.session.modes;
      pause.changed.disconnect(this._tell, this);
      rules.changed.disconnect(this._tell, this);
    }
    this._chat = this._tracker.currentWidget;
    this._chat?.session.modes.pause.changed.connect(this._tell, this);
    this._chat?.session.modes.rules.changed.connect(this._tell, this);
    this._tell();
  }

  private _tell(): void {
    this.stateChanged.emit();
  }

  private _chat: ChatPanel | null = null;
}

/** Shows in the status bar that messages are paused, or that edits are kept. */
export class ModesStatus extends VDomRenderer<ModesModel> {
  constructor(
    model: ModesModel,
    private _trans: TranslationBundle,
    private _open: () => void
  ) {
    super(model);
    this.addClass('jp-Turnbook-modes');
  }

  protected override render(): React.ReactElement | null {
    const trans = this._trans;
    const chat = this.model?.chat;
    if (!chat) {
      return null;
    }
    const { pause, rules } = chat.session.modes;
    const review = pause.held
      ? trans.__('a send is paused')
      : pause.mode === 'always'
        ? trans.__('on')
        : trans.__('next send');
    const modes = [
      ...(pause.held || pause.mode !== 'off'
        ? [trans.__('Pause & review: %1', review)]
        : []),
      ...(rules.on ? [trans.__('Auto-apply: on')] : [])
    ];
    if (!modes.length) {
      return null;
    }
    return (
      <button
        type="button"
        className="jp-Turnbook-modes-text"
        title={trans.__('Open the Request panel')}
        onClick={this._open}
      >
        {modes.join(' · ')}
      </button>
    );
  }
}
