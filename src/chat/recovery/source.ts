/** The text of a run's pair, for lists that show its beginning. */
import { beginning } from '../../request/inspect';
import type { IRun } from '../../base/run';

/** The user's text of a run's pair. */
export function sourceText(run: Pick<IRun, 'cell'>): string {
  const source: unknown = run.cell?.source;
  if (Array.isArray(source)) {
    return source.join('');
  }
  return typeof source === 'string' ? source : '';
}

/** The beginning of a text, with an ellipsis if it was cut. */
export function start(text: string, length: number): string {
  const trimmed = text.trim();
  return trimmed.length > length
    ? `${beginning(trimmed, length).trimEnd()}…`
    : trimmed;
}
