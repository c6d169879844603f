import type { Cell } from '@jupyterlab/cells';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import * as React from 'react';

import { PairCell } from '../../chat/cells/cell';
import type { ChatPanel } from '../../chat/panel';
import type { IChatPlace } from '../../chat/titles';
import { forkLineage, hasLock, isReplayed, unlock } from '../../document/lock';
import type { ILineage } from '../../document/metadata';
import type { Pair } from '../../document/pair';
import { Link, shortHash } from './banner';
import { FittedWidget } from './fitted';

/** Show a bar above a chat that was started from a replay. */
export function watchFork(
  chat: ChatPanel,
  options: {
    trans: TranslationBundle;
    back: (lineage: ILineage) => void;
    /** Show this chat and the one with that path side by side. */
    compare: (path: string) => void;
    /** The chat with an id; null if it is gone. */
    find: (chatId: string) => Promise<IChatPlace | null>;
    /** Called when its cells were locked or unlocked. */
    onLock: () => void;
  }
): void {
  const shared = chat.model!.sharedModel;
  const lineage = forkLineage(shared);
  if (!lineage) {
    return;
  }
  const { session } = chat;
  const { pause, rules } = session.modes;
  const bar = new ForkBar(lineage, {
    ...options,
    isLocked: () => hasLock(shared),
    unlock: () => {
      unlock(shared);
      chat.enterView();
    },
    canSend: () =>
      session.busy === null && pause.held === null && unanswered(chat) !== null,
    send: () => {
      const pair = unanswered(chat);
      if (pair) {
        // The button is about to disappear, with the focus.
        chat.enterView();
        void session.regenerate(pair.id);
      }
    }
  });
  chat.contentHeader.insertWidget(0, bar);
  let locked: boolean | null = null;
  const show = () => {
    const now = hasLock(shared);
    if (chat.isDisposed || now === locked) {
      return;
    }
    locked = now;
    chat.refresh();
    bar.update();
    options.onLock();
  };
  shared.metadataChanged.connect(show);
  shared.changed.connect(bar.update, bar);
  session.changed.connect(bar.update, bar);
  session.context.changed.connect(bar.update, bar);
  show();
  const follow = () => {
    // The user wants to edit what is sent, so the cells are unlocked. A setting for all chats does
    // not count as a choice in this one.
    const isPaused = pause.isChosen && pause.mode !== 'off';
    if (hasLock(shared) && (isPaused || (rules.isChosen && rules.on))) {
      unlock(shared);
    }
  };
  pause.changed.connect(follow);
  rules.changed.connect(follow);
}

/** The last message, if it is visible, came with the replay and was never sent. */
function unanswered(chat: ChatPanel): Pair | null {
  const { widgets } = chat.content;
  let at = widgets.length - 1;
  const isSpare = (cell?: Cell) => cell instanceof PairCell && cell.isSpare;
  while (isSpare(widgets[at])) {
    at--;
  }
  const cell = widgets[at];
  if (!(cell instanceof PairCell) || cell.isHidden || cell.isEditing) {
    return null;
  }
  const { pair } = cell;
  return isReplayed(pair.cell) &&
    pair.storedRun === undefined &&
    !pair.hasReply &&
    !pair.messages &&
    (pair.source.trim() || pair.text.attachments.length)
    ? pair
    : null;
}

class ForkBar extends FittedWidget {
  constructor(
    private _lineage: ILineage,
    private _options: {
      trans: TranslationBundle;
      back: (lineage: ILineage) => void;
      compare: (path: string) => void;
      find: (chatId: string) => Promise<IChatPlace | null>;
      isLocked: () => boolean;
      unlock: () => void;
      /** Whether the last message waits to be sent. */
      canSend: () => boolean;
      send: () => void;
    }
  ) {
    super();
    this.addClass('jp-Turnbook-forkBar');
    this.node.setAttribute('role', 'navigation');
    this.node.setAttribute(
      'aria-label',
      _options.trans.__('Where this chat comes from')
    );
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    void this._look();
  }

  /** The chat may have been named while another tab was in front. */
  protected override onAfterShow(msg: Message): void {
    super.onAfterShow(msg);
    void this._look();
  }

  private async _look(): Promise<void> {
    const { replay_parent_session_id: id } = this._lineage;
    this._source = await this._options.find(String(id));
    if (!this.isDisposed) {
      this.update();
    }
  }

  protected override render(): JSX.Element {
    const { trans, back, compare, isLocked, unlock, canSend, send } =
      this._options;
    const source = this._source;
    const { payloadHash, version, requestId } = this._lineage;
    return (
      <div className="jp-Turnbook-forkBar-body">
        <Link onClick={() => back(this._lineage)}>
          {trans.__('Back to conversation')}
        </Link>
        {source && <strong title={source.path}>{source.title}</strong>}
        <span
          title={trans.__('Request %1\nSHA-256 %2', requestId, payloadHash)}
        >
          {trans.__(
            '› Started from replayed prompt %1, version %2.',
            shortHash(String(payloadHash)),
            version
          )}
        </span>
        {source && (
          <Link onClick={() => compare(source.path)}>
            {trans.__('Compare with the original')}
          </Link>
        )}
        {isLocked() && (
          <>
            <span className="jp-Turnbook-forkBar-lock">
              {trans.__('Its cells are locked.')}
            </span>
            <button
              type="button"
              className="jp-Turnbook-button"
              title={trans.__(
                'Let the cells that came with the replay be edited, sent again and deleted. Pause & review and Auto-apply do so too.'
              )}
              onClick={unlock}
            >
              {trans.__('Unlock')}
            </button>
          </>
        )}
        {canSend() && (
          <button
            type="button"
            className="jp-Turnbook-button jp-mod-primary"
            title={trans.__(
              'The last message has no reply yet: send it with the cells above it'
            )}
            onClick={send}
          >
            {trans.__('Send this message')}
          </button>
        )}
      </div>
    );
  }

  private _source: IChatPlace | null = null;
}
