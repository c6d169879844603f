import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { PauseControl } from '../../request/pausecontrol';
import { Switch } from '../../ui/controls';

/** *Pause & review*. */
export function PauseSwitch(props: {
  pause: Pick<PauseControl, 'mode'>;
  trans: TranslationBundle;
}): JSX.Element {
  const { pause, trans } = props;
  return (
    <Switch
      label={trans.__('Pause & review')}
      title={
        pause.mode === 'once'
          ? trans.__(
              'The next message waits in the Request panel for your review'
            )
          : trans.__(
              'Every message waits in the Request panel for your review before it is sent'
            )
      }
      checked={pause.mode !== 'off'}
      onChange={on => {
        pause.mode = on ? 'always' : 'off';
      }}
    />
  );
}
