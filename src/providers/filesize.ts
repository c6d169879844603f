import type { TranslationBundle } from '@jupyterlab/translation';

/** A number of bytes as download pages write it, for example “491 MB” or “2.5 GB”. */
export function fileSize(bytes: number, trans: TranslationBundle): string {
  return bytes < 999.5e6
    ? trans.__('%1 MB', `${Math.round(bytes / 1e6)}`)
    : trans.__('%1 GB', (bytes / 1e9).toFixed(1));
}
