import * as React from 'react';

import { errorMessage } from '../base/errors';
import type { IRerunPreview, IRerunWish } from '../base/run';

/** Milliseconds after the last change before the server is asked. */
const PAUSE = 300;

/** What the server says about the newest wish. */
export interface IPreviewed {
  /** The last preview; null until there is one. */
  readonly preview: IRerunPreview | null;
  /** Whether it is that of the newest wish. */
  readonly isCurrent: boolean;
  /** Why the server did not answer; empty if it did. */
  readonly trouble: string;
  /** Ask once more. */
  again(): void;
}

/** Ask the server what a wish would send, whenever it changes; null is not asked for. */
export function usePreview(
  wish: IRerunWish | null,
  ask: (wish: IRerunWish, signal: AbortSignal) => Promise<IRerunPreview>
): IPreviewed {
  const [answer, setAnswer] = React.useState<{
    key: string;
    preview: IRerunPreview | null;
    trouble: string;
  }>({ key: '', preview: null, trouble: '' });
  const [times, setTimes] = React.useState(0);
  const key = wish && `${times} ${JSON.stringify({ ...wish, source: null })}`;
  const isFirst = React.useRef(true);
  // The source stays the same while the dialog is open; the key has all else.
  const newest = React.useRef({ wish, ask });
  React.useEffect(() => {
    newest.current = { wish, ask };
  });
  React.useEffect(() => {
    const { wish, ask } = newest.current;
    if (wish === null || key === null) {
      return;
    }
    const leaving = new AbortController();
    const timer = setTimeout(
      () => {
        ask(wish, leaving.signal).then(
          preview => {
            if (!leaving.signal.aborted) {
              setAnswer({ key, preview, trouble: '' });
            }
          },
          error => {
            if (!leaving.signal.aborted) {
              const trouble = errorMessage(error);
              setAnswer(({ preview }) => ({ key, preview, trouble }));
            }
          }
        );
      },
      isFirst.current ? 0 : PAUSE
    );
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [key]);
  return {
    preview: answer.preview,
    isCurrent: key !== null && answer.key === key && answer.trouble === '',
    trouble: answer.trouble,
    again: () => setTimes(n => n + 1)
  };
}
