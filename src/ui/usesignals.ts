import type { ISignal } from '@lumino/signaling';
import * as React from 'react';

/** Draw again whenever one of these signals is emitted. */
export function useSignals(
  ...signals: (ISignal<unknown, unknown> | null | undefined)[]
): void {
  const [, redraw] = React.useReducer((n: number) => n + 1, 0);
  React.useEffect(() => {
    const connected = signals.flatMap(signal => signal ?? []);
    const onSignal = () => redraw();
    connected.forEach(signal => signal.connect(onSignal));
    return () => connected.forEach(signal => signal.disconnect(onSignal));
  }, signals);
}
