import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ChatPanel } from '../../chat/panel';
import { forkLineage, hasLock, unlock } from '../../document/lock';
import type { ILineage } from '../../document/metadata';
import { Link, shortHash } from './banner';
import { FittedWidget } from './fitted';

/** Show a bar above a chat that was started from a replay. */
export function watchFork(
  chat: ChatPanel,
  options: {
    trans: TranslationBundle;
    back: (lineage: ILineage) => void;
  }
): void {
  const shared = chat.model!.sharedModel;
  const lineage = forkLineage(shared);
  if (!lineage) {
    return;
  }
  const { pause, rules } = chat.session.modes;
  const bar = new ForkBar(lineage, () => hasLock(shared), options);
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
  };
  shared.metadataChanged.connect(show);
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

class ForkBar extends FittedWidget {
  constructor(
    private _lineage: ILineage,
    private _isLocked: () => boolean,
    private _options: {
      trans: TranslationBundle;
      back: (lineage: ILineage) => void;
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

  protected override render(): JSX.Element {
    const { trans, back } = this._options;
    const { payloadHash, version, requestId } = this._lineage;
    return (
      <div className="jp-Turnbook-forkBar-body">
        <Link onClick={() => back(this._lineage)}>
          {trans.__('Back to conversation')}
        </Link>
        <span
          title={trans.__('Request %1\nSHA-256 %2', requestId, payloadHash)}
        >
          {trans.__(
            '› Started from replayed prompt %1, version %2.',
            shortHash(String(payloadHash)),
            version
          )}
        </span>
        {this._isLocked() && (
          <span className="jp-Turnbook-forkBar-lock">
            {trans.__(
              'Its cells are locked; Pause & review or Auto-apply unlocks them.'
            )}
          </span>
        )}
      </div>
    );
  }
}
