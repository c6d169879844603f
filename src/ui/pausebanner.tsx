import * as React from 'react';

import { TextButton } from './controls';
import { useWords } from './language';

/** The banner of a paused message, with its actions. */
export function PauseBanner(props: {
  /** Whether the message is a pair that is sent again. */
  resend: boolean;
  /** The models that are asked, with repeats, if there are several. */
  models?: readonly string[];
  /** Why it cannot be resumed now; null if it can. */
  obstacle: string | null;
  onResume: () => void;
  onCancel: () => void;
  /** A reference to the element, for focusing it. */
  banner?: React.Ref<HTMLDivElement>;
}): JSX.Element {
  const { resend, obstacle, models = [] } = props;
  const trans = useWords();
  return (
    <div
      ref={props.banner}
      tabIndex={-1}
      className="jp-Turnbook-notice jp-Turnbook-paused jp-mod-warning"
      role="alert"
    >
      <span>
        <strong>{trans.__('Paused before sending.')}</strong>{' '}
        {obstacle ??
          (resend
            ? trans.__('The edited message waits; nothing was sent.')
            : trans.__('Review the request; nothing was sent.'))}{' '}
        {models.length > 0 &&
          trans._n(
            'It goes to %2.',
            'It goes out %1 times; only the model differs: %2.',
            models.length,
            models.join(', ')
          )}
      </span>
      <span className="jp-Turnbook-paused-ways">
        <TextButton
          label={trans.__('Cancel send')}
          title={trans.__('Cancel the message; nothing is sent')}
          onClick={props.onCancel}
        />
        <TextButton
          primary
          label={trans.__('Resume send')}
          title={trans.__('Send exactly the request that the panel shows')}
          disabled={obstacle !== null}
          onClick={props.onResume}
        />
      </span>
    </div>
  );
}
