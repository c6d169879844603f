/** What the embedded model's state means to the user. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ILocal } from '../base/run';

/** What the notice shows and offers. */
export interface ILocalView {
  readonly text: string;
  readonly offer: 'fetch' | 'cancel' | 'again' | null;
  /** Between 0 and 1, `null` if unknown; absent when nothing is in progress. */
  readonly progress?: number | null;
  /** How much has been downloaded, for example “12 of 93 MB”. */
  readonly amount?: string;
}

/** Whether the embedded model is being downloaded or started, so that it is worth asking again. */
export function isUnderWay(local: ILocal | null): boolean {
  return local?.state === 'fetching' || local?.state === 'starting';
}

/** Whether the embedded model can answer a message. */
export function isUsable(local: ILocal | null): boolean {
  return local?.state === 'ready' || local?.state === 'running';
}

/** Whether this `provider/model` is the embedded one. */
export function isLocal(id: string): boolean {
  return id.startsWith('local/');
}

/** What to show for a state; null if nothing. */
export function viewLocal(
  local: ILocal,
  trans: TranslationBundle
): ILocalView | null {
  switch (local.state) {
    case 'missing':
      if (local.size && local.received >= local.size) {
        return {
          text: trans.__(
            'The package xllamacpp, which runs the embedded model, is not installed. Fetch it, run %1 on the Jupyter server, or choose another model.',
            'pip install "jupyterlab-turnbook[local]"'
          ),
          offer: 'fetch'
        };
      }
      return {
        text: local.size
          ? trans.__(
              'The embedded model is not on this machine yet (%1 MB).',
              megabytes(local.size)
            )
          : trans.__('The embedded model is not on this machine yet.'),
        offer: 'fetch'
      };
    case 'fetching':
      return {
        text: trans.__('Fetching the embedded model…'),
        offer: 'cancel',
        ...fraction(local, trans)
      };
    case 'starting':
      return {
        text: trans.__('The embedded model is starting…'),
        offer: null,
        progress: null
      };
    case 'failed':
      return {
        text: local.message
          ? trans.__('The embedded model is not available: %1', local.message)
          : trans.__(
              'The embedded model is not available. Try again, or see the Jupyter server’s log.'
            ),
        offer: 'again'
      };
    case 'ready':
    case 'running':
      return null;
  }
}

function fraction(
  local: ILocal,
  trans: TranslationBundle
): Pick<ILocalView, 'progress' | 'amount'> {
  if (local.size <= 0) {
    return {
      progress: null,
      amount: trans.__('%1 MB', megabytes(local.received))
    };
  }
  const received = Math.min(local.received, local.size);
  return {
    progress: received / local.size,
    amount: trans.__('%1 of %2 MB', megabytes(received), megabytes(local.size))
  };
}

/** A number of bytes in whole megabytes, as download pages count them. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)}`;
}
