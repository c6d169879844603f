import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ChatPanel } from '../chat/panel';
import { Pair } from '../document/pair';
import { ApiError, type TurnbookAPI } from '../runs/api';
import type { IComparison } from '../request/parity';
import { showComparison } from '../ui/comparison';
import { readable } from './versionsview';

/** The parity of a request, and a way to show the difference. */
export interface IShownParity {
  value: IComparison | null;
  show(trans: TranslationBundle): Promise<void>;
}

/**
 * Whether what was sent is what the user saw: for the pair that the panel shows, or for the last
 * one that was sent.
 */
export function useParity(
  chat: ChatPanel,
  api: Pick<TurnbookAPI, 'getRun' | 'getRequest'>
): IShownParity {
  const { requests, lastSent } = chat.session;
  const pair = requests.target === 'live' ? lastSent : requests.target;
  const known = pair === null ? null : requests.parity.of(pair);
  const isUnknown = pair !== null && pair !== lastSent && !known?.runId;
  React.useEffect(() => {
    const runId = isUnknown && runOf(chat, pair);
    if (!runId) {
      return;
    }
    // Sent before this page was loaded: the journal has both hashes. Its events are not needed.
    api.getRun(runId, Number.MAX_SAFE_INTEGER).then(
      ({ run }) => {
        if (run.pageHash && !requests.isDisposed) {
          requests.heard(run, run.pageHash);
        }
      },
      (error: unknown) => {
        // If the journal does not know the run, the panel shows nothing.
        if (!(error instanceof ApiError)) {
          console.warn('Turnbook: parity cannot be told', error);
        }
      }
    );
  }, [api, chat, requests, isUnknown, pair]);
  return {
    value: known,
    show: async trans => {
      if (!known || pair === null) {
        return;
      }
      const wire = new TextDecoder().decode(await api.getRequest(known.runId));
      const agrees = known.state === 'agrees';
      const made = agrees ? wire : (requests.madeBody(pair) ?? '');
      await showComparison(
        {
          title: agrees
            ? trans.__('What was sent is what was seen')
            : trans.__('What was sent is not what was seen'),
          before: {
            name: trans.__('seen, sha256 %1', known.made),
            text: readable(made)
          },
          after: {
            name: trans.__('sent, sha256 %1', known.wire),
            text: readable(wire)
          },
          isJson: true
        },
        trans
      );
    }
  };
}

function runOf(chat: ChatPanel, pair: string): string | null {
  return Pair.find(chat.content.model!.sharedModel, pair)?.run?.runId || null;
}
