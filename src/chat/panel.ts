import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { NotebookPanel, type INotebookModel } from '@jupyterlab/notebook';
import type { Message } from '@lumino/messaging';
import { BoxLayout } from '@lumino/widgets';

import type { PairCell } from './cell';
import type { Composer } from './composer';
import type { ChatNotebook } from './notebook';
import type { ChatSession } from './session';

/**
 * A chat: its cells, and below them the composer.
 */
export class ChatPanel extends NotebookPanel {
  constructor(options: ChatPanel.IOptions) {
    super({ context: options.context, content: options.content });
    this.addClass('jp-Turnbook-chat');
    this.session = options.session;
    this.composer = options.composer;
    const layout = this.layout as BoxLayout;
    layout.addWidget(this.composer);
    BoxLayout.setStretch(this.composer, 0);

    this.session.pairChanged.connect(this._onPairChanged, this);
    this.content.pairAdded.connect(this._onPairAdded, this);
    for (const cell of this.content.widgets) {
      this._onPairAdded(this.content, cell as PairCell);
    }
    this.composer.left.connect(() => this.enterView());
    void this.revealed.then(() => {
      if (!this.isDisposed) {
        // A notebook with one empty cell would be edited there at once.
        this.content.mode = 'command';
        this.content.scrollToBottom();
        if (this._wasActivated) {
          this.enterInput();
        }
      }
    });
  }

  override get content(): ChatNotebook {
    return super.content as ChatNotebook;
  }

  /** Where the user writes. */
  readonly composer: Composer;

  /** What the chat does. */
  readonly session: ChatSession;

  /** INPUT mode: the composer has the focus. */
  enterInput(): void {
    this.composer.focus();
  }

  /** VIEW mode: the notebook in command mode has the focus. */
  enterView(): void {
    this.content.mode = 'command';
    this.content.activate();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.session.dispose();
    super.dispose();
  }

  protected override onActivateRequest(msg: Message): void {
    this._wasActivated = true;
    this.enterInput();
  }

  private _onPairAdded(_: ChatNotebook, cell: PairCell): void {
    if (cell.model.type !== 'code') {
      return;
    }
    cell.journalRead = this.session.journalRead;
    cell.live = this.session.live(cell.model.id);
    cell.retryRequested.connect(() => void this.session.retry(cell.model.id));
    cell.grown.connect(() => this._follow());
    if (cell.live) {
      this._follow();
    }
  }

  /** An empty id means that something changed for all pairs. */
  private _onPairChanged(_: ChatSession, pair: string): void {
    if (pair === '') {
      for (const cell of this.content.widgets) {
        if (cell.model.type === 'code') {
          (cell as PairCell).journalRead = this.session.journalRead;
        }
      }
      return;
    }
    const cell = this.content.pair(pair);
    if (cell) {
      cell.live = this.session.live(pair);
    }
  }

  /** Keep the end in sight while a reply grows, but only if it was. */
  private _follow(): void {
    if (this._following || !this.content.atBottom) {
      return;
    }
    this._following = true;
    requestAnimationFrame(() => {
      this._following = false;
      if (!this.isDisposed) {
        this.content.scrollToBottom();
      }
    });
  }

  private _following = false;
  private _wasActivated = false;
}

/**
 * The namespace for `ChatPanel` statics.
 */
export namespace ChatPanel {
  /** What a panel is made of. */
  export interface IOptions {
    context: DocumentRegistry.IContext<INotebookModel>;
    content: ChatNotebook;
    session: ChatSession;
    composer: Composer;
  }
}
