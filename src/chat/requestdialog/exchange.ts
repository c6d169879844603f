import type { ITranslator } from '@jupyterlab/translation';
import type { ISignal } from '@lumino/signaling';

import type { TurnbookAPI } from '../../runs/api';
import { showRequest } from './showrequest';
import { showResponse } from './showresponse';

export interface IExchangeOptions {
  api: Pick<
    TurnbookAPI,
    'getRequest' | 'getRun' | 'getTurn' | 'getResponse' | 'getResponseBytes'
  >;
  /** The run that the cell names; empty if there is none. */
  runId: string;
  /** The hash stored in the cell; empty if there is none. */
  requestHash: string;
  chat: string;
  pair: string;
  /** Emitted with a pair that has changed; a response under way is then read again. */
  changed?: ISignal<unknown, string>;
  translator?: ITranslator;
}

/**
 * Show what a pair sent or what came back, and from there the other; resolves when the user has
 * closed it.
 */
export async function showExchange(
  first: 'request' | 'response',
  options: IExchangeOptions
): Promise<void> {
  let { runId, requestHash } = options;
  let wanted: 'request' | 'response' | null = first;
  // JupyterLab shows one dialog at a time.
  while (wanted) {
    if (wanted === 'request') {
      const goesOn: boolean = await showRequest({
        ...options,
        runId,
        requestHash,
        hasResponse: true
      });
      wanted = goesOn ? 'response' : null;
    } else {
      const run = await showResponse({ ...options, runId });
      wanted = run ? 'request' : null;
      if (run && run.id !== runId) {
        runId = run.id;
        requestHash = runId === options.runId ? options.requestHash : run.hash;
      }
    }
  }
}
