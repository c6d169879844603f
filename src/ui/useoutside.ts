import * as React from 'react';

/**
 * Detect that a value was changed elsewhere: by undo, by reset or in another view.
 *
 * A value written here comes back a moment later, and must not replace what the user is typing.
 * Returns a function to report what was written.
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
