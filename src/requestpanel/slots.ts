import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';
import type * as React from 'react';

import type { ChatPanel } from '../chat/panel';

/**
 * What replaying brings to the Request panel: the work of its buttons, and a section.
 */
export interface IReplays {
  /** Emitted when `enabled` or what the section shows changed. */
  readonly changed: ISignal<IReplays, void>;
  /** Whether replaying is switched on. */
  readonly enabled: boolean;
  /** How many replays there are of a chat's turns. */
  count(chat: ChatPanel): number;
  /** Replay the request that the panel shows; tells the user itself what goes wrong. */
  replay(chat: ChatPanel): Promise<void>;
  /** Draw the section *Replays*. */
  render(chat: ChatPanel): React.ReactElement;
}

/** The token of what replaying brings to the panel. */
export const IReplays = new Token<IReplays>(
  'jupyterlab-turnbook:IReplays',
  'Replays the request that the Request panel shows, and lists its replays there.'
);
