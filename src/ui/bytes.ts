import { trans } from '../base/words';

/** A number of bytes in words, for example “12 kB” or “1.3 MB”. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) {
    return trans._n('%1 byte', '%1 bytes', bytes);
  }
  return bytes < 999_500
    ? trans.__('%1 kB', Math.round(bytes / 1000))
    : trans.__('%1 MB', (bytes / 1e6).toFixed(bytes < 9.95e6 ? 1 : 0));
}
