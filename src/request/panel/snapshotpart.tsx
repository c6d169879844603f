import * as React from 'react';

import type { ChatPanel } from '../../chat/panel';
import {
  applySnapshot,
  captureSnapshot,
  checkSnapshot,
  completeSnapshot
} from '../../snapshot';
import type { RequestDraft } from '../draft';
import { RequestError } from '../errors';
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
  // Writing a long request anew costs more than a key press may.
  const deferred = React.useDeferredValue(draft.request);
  // What was just applied is written down already.
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

/**
 * Bring what is written in the snapshot into the prompt; answers what went wrong, or null.
 *
 * What cannot be rendered changes nothing: the last good request stays.
 */
export function applyBuffer(chat: ChatPanel, state: PanelState): string | null {
  const draft = chat.session.reviewed;
  const text = state.snapshot?.text;
  if (!draft || text === undefined) {
    return null;
  }
  const [place] = checkSnapshot(text);
  if (place) {
    return place.message;
  }
  try {
    applySnapshot(draft, JSON.parse(text));
  } catch (error) {
    chat.session.tell('fallback', draft, { reason: reasonOf(error) });
    if (error instanceof RequestError) {
      return error.message;
    }
    console.error('Turnbook: the snapshot cannot be rendered', error);
    return error instanceof Error ? error.message : String(error);
  }
  draft.takeVersion('apply');
  chat.session.tell('apply', draft);
  const now = JSON.stringify(captureSnapshot(draft.request), null, 2);
  state.snapshot = { text: now, base: now };
  state.applied = draft.request;
  return null;
}

function reasonOf(error: unknown): string {
  return error instanceof RequestError ? error.code : 'render-failed';
}
