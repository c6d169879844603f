import type { ISignal } from '@lumino/signaling';
import * as React from 'react';

/** Rerender whenever this signal is emitted. */
export function useSignal(
  signal: ISignal<unknown, unknown> | null | undefined
): void {
  const [, redraw] = React.useReducer((n: number) => n + 1, 0);
  React.useEffect(() => {
    const onSignal = () => redraw();
    signal?.connect(onSignal);
    return () => {
      signal?.disconnect(onSignal);
    };
  }, [signal]);
}
