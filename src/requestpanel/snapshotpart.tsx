import * as React from 'react';

import type { ChatPanel } from '../chat/panel';
import { captureSnapshot } from '../request/snapshot/capture';
import { completeSnapshot } from '../request/snapshot/complete';
import { checkSnapshot } from '../request/snapshot/validate';
import type { RequestDraft } from '../request/draft';
import { applyBuffer } from './applybuffer';
import type { PanelState } from './panelstate';
import type { IReplays } from './slots';
import { followed } from './snapshotbuffer';
import { SnapshotView } from './snapshotview';

/** The Session Snapshot of a draft. */
export function SnapshotPart(props: {
  chat: ChatPanel;
  draft: RequestDraft;
  state: PanelState;
  replays: IReplays | null;
}): JSX.Element {
  const { chat, draft, state, replays } = props;
  const [, redraw] = React.useReducer((n: number) => n + 1, 0);
  // Capturing a long request takes longer than a key press should.
  const deferred = React.useDeferredValue(draft.request);
  // A request that was just applied is captured at once: its text is already there.
  const request = state.applied === draft.request ? draft.request : deferred;
  const captured = React.useMemo(
    () => JSON.stringify(captureSnapshot(request), null, 2),
    [request]
  );
  state.snapshot = followed(state.snapshot, captured);
  const apply = () => {
    const wrong = applyBuffer(chat, state);
    redraw();
    return wrong;
  };
  return (
    <SnapshotView
      buffer={state.snapshot}
      captured={captured}
      check={checkSnapshot}
      complete={completeSnapshot}
      onWrite={text => {
        state.snapshot = { ...state.snapshot!, text };
        redraw();
      }}
      onRefresh={() => {
        state.snapshot = { text: captured, base: captured };
        redraw();
      }}
      apply={apply}
      applyAndReplay={
        replays
          ? async () => {
              const wrong = apply();
              if (wrong === null) {
                await replays.replay(chat);
              }
              return wrong;
            }
          : undefined
      }
      fileName={`snapshot-${draft.base.pair}.json`}
    />
  );
}
