import * as React from 'react';

/**
 * Hear of a value that became another one elsewhere: undone, reset or edited in another view.
 *
 * What is written here comes back as the value a moment later, and must not replace what the
 * user is typing. Answers a function that says what was written.
 */
export function useOutside<T>(
  value: T,
  same: (a: T, b: T) => boolean,
  onOutside: () => void
): (written: T) => void {
  const seen = React.useRef(value);
  const own = React.useRef(value);
  if (!same(seen.current, value)) {
    seen.current = value;
    if (!same(own.current, value)) {
      own.current = value;
      onOutside();
    }
  }
  return written => {
    own.current = written;
  };
}
