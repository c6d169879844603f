import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

/** *Send*, and *Stop* while a reply is in progress. */
export function SendButtons(props: {
  /** Whether a reply is in progress. */
  busy: boolean;
  /** Whether a message is paused. */
  isHeld: boolean;
  canSend: boolean;
  onSend: () => void;
  onStop: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { busy, isHeld, canSend, trans } = props;
  return (
    <>
      {busy && (
        <button
          type="button"
          className="jp-Turnbook-button"
          title={trans.__(
            'Stop the reply; what has arrived stays (I, I in the notebook)'
          )}
          onClick={props.onStop}
        >
          {trans.__('Stop')}
        </button>
      )}
      <button
        type="button"
        className="jp-Turnbook-button jp-mod-primary"
        title={
          busy
            ? trans.__('A reply is in progress')
            : isHeld
              ? trans.__('A message is paused: resume it or cancel it')
              : trans.__('Send the message with the cells you see (Enter)')
        }
        disabled={!canSend}
        onClick={props.onSend}
      >
        {busy ? trans.__('Thinking…') : trans.__('Send')}
      </button>
    </>
  );
}
