import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';
import type * as React from 'react';

import type { ChatPanel } from '../chat/panel';

/** What the replay feature adds to the Request panel: the action of its buttons, and a section. */
export interface IReplays {
  /** Emitted when `enabled` or the content of the section changes. */
  readonly changed: ISignal<IReplays, void>;
  /** Whether replaying is enabled. */
  readonly enabled: boolean;
  /** How many replays of a chat's turns there are. */
  count(chat: ChatPanel): number;
  /** Replay the request that the panel shows; reports errors to the user itself. */
  replay(chat: ChatPanel): Promise<void>;
  /** Render the section *Replays*. */
  render(chat: ChatPanel): React.ReactElement;
}

/** The token of the replay feature. */
export const IReplays = new Token<IReplays>(
  'jupyterlab-turnbook:IReplays',
  'Replays the request that the Request panel shows, and lists its replays there.'
);
