import { Notification, ReactWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';
import type { Message } from '@lumino/messaging';
import * as React from 'react';

import type { ChatPanel } from '../chat/panel';
import type { ChatSession } from '../session/session';
import { requestIcon } from '../ui/icons';
import type { IOpenChats } from '../chat/openchats';
import { ErrorBoundary } from '../ui/errorboundary';
import { Words } from '../ui/language';
import type { applyBuffer } from './applybuffer';
import { PanelState } from './panelstate';
import type { PanelView } from './panelview';
import type { IPanelServices } from './services';

/** The id of the panel in the application's shell. */
export const PANEL_ID = 'turnbook-request';

/** The Request panel in the sidebar; it follows the active chat. */
export class RequestPanel extends ReactWidget {
  constructor(private _options: RequestPanel.IOptions) {
    super();
    const { trans, tracker } = _options;
    this.id = PANEL_ID;
    this.addClass('jp-Turnbook-panel');
    this.title.icon = requestIcon;
    this.title.caption = trans.__('Request');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', trans.__('Request'));
    this.node.tabIndex = -1;
    tracker.currentChanged.connect(this._onChat, this);
    this._onChat();
  }

  /** The chat whose request is shown; null if there is none. */
  get chat(): ChatPanel | null {
    return this._chat;
  }

  /** Show requests with these parts, which come with the first chat. */
  fill(parts: RequestPanel.IParts): void {
    this._parts = parts;
    this.update();
  }

  /** Focus the banner of a paused message. */
  focusBanner(): void {
    this._wantsBanner = true;
    requestAnimationFrame(() => this._focusBanner());
  }

  /** Whether there is a snapshot to apply. */
  get canApply(): boolean {
    return this._state?.snapshot != null;
  }

  /** Apply the Session Snapshot to the prompt; return an error message, or null. */
  applySnapshot(): string | null {
    const wrong =
      this._chat && this._state
        ? this._parts!.applyBuffer(this._chat, this._state)
        : null;
    if (wrong !== null) {
      Notification.error(wrong);
    }
    this.update();
    return wrong;
  }

  /** Apply the Session Snapshot and replay the request. */
  async applyAndReplay(): Promise<void> {
    if (this._chat && this.applySnapshot() === null) {
      await this._parts?.services.replays?.replay(this._chat);
    }
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._options.tracker.currentChanged.disconnect(this._onChat, this);
    this._look(false);
    super.dispose();
  }

  protected override onAfterShow(msg: Message): void {
    super.onAfterShow(msg);
    this._look(true);
  }

  protected override onAfterHide(msg: Message): void {
    super.onAfterHide(msg);
    this._look(false);
  }

  protected override onActivateRequest(msg: Message): void {
    if (!this.node.contains(document.activeElement)) {
      this.node.focus();
    }
  }

  protected override render(): React.ReactElement {
    const { trans } = this._options;
    const chat = this._chat;
    const parts = this._parts;
    if (!chat || !parts) {
      return (
        <div className="jp-Turnbook-panel-view">
          <div className="jp-Turnbook-panel-header">
            <h2>{trans.__('Request')}</h2>
          </div>
          <div className="jp-Turnbook-panel-empty">
            {trans.__(
              'Open a chat to see and edit the request that its next message makes: File → New → Chat, or a *.chat.ipynb file.'
            )}
          </div>
        </div>
      );
    }
    if (!this._looked.has(chat)) {
      return <></>;
    }
    return (
      <Words.Provider value={trans}>
        <ErrorBoundary
          key={chat.id}
          words={trans.__('The request cannot be shown:')}
          again={trans.__('Try again')}
        >
          <parts.PanelView
            chat={chat}
            state={this._stateOf(chat.session)}
            services={parts.services}
            banner={node => {
              this._banner = node;
              this._focusBanner();
            }}
          />
        </ErrorBoundary>
      </Words.Provider>
    );
  }

  private _onChat(): void {
    const chat = this._options.tracker.currentWidget;
    if (chat === this._chat) {
      return;
    }
    const shown = this.isVisible;
    this._look(false);
    this._chat = chat;
    this._look(shown);
    this.update();
  }

  /**
   * Watch the chat's request only while the panel is visible, since building it costs time. The
   * panel's content, half-typed text included, stays while the sidebar is closed.
   */
  private _look(looks: boolean): void {
    this._watch?.dispose();
    this._watch = null;
    if (looks && this._chat && !this._chat.isDisposed) {
      this._watch = this._chat.session.requests.watch();
      this._looked.add(this._chat);
      this.update();
    }
  }

  /** The banner may not be rendered yet. */
  private _focusBanner(): void {
    if (this._wantsBanner && this._banner) {
      this._wantsBanner = false;
      this._banner.focus();
    }
  }

  private get _state(): PanelState | null {
    return this._chat && this._stateOf(this._chat.session);
  }

  private _stateOf(session: ChatSession): PanelState {
    let state = this._states.get(session);
    if (!state) {
      state = new PanelState();
      this._states.set(session, state);
    }
    return state;
  }

  private _banner: HTMLElement | null = null;
  private _chat: ChatPanel | null = null;
  private _parts: RequestPanel.IParts | null = null;
  private _looked = new WeakSet<ChatPanel>();
  private _wantsBanner = false;
  private _watch: IDisposable | null = null;
  private _states = new WeakMap<ChatSession, PanelState>();
}

/**
 * The namespace for `RequestPanel` statics.
 */
export namespace RequestPanel {
  export interface IOptions {
    tracker: IOpenChats;
    trans: TranslationBundle;
  }

  export interface IParts {
    PanelView: typeof PanelView;
    applyBuffer: typeof applyBuffer;
    services: IPanelServices;
  }
}
