import type { ISignal } from '@lumino/signaling';

import type { ChatSession } from '../chat/session';

/** The modes of a chat that replays have to do with. */
export interface IModes {
  readonly pause?: {
    readonly mode: 'off' | 'once' | 'always';
    readonly changed: ISignal<unknown, unknown>;
  };
  readonly rules?: {
    readonly on: boolean;
    readonly changed: ISignal<unknown, unknown>;
  };
  readonly canceled?: ISignal<unknown, { pair: string }>;
}

/** Pause & review and Auto-apply in a chat. */
export function modesOf(session: ChatSession): IModes {
  return session as unknown as IModes;
}
