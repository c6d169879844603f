import * as React from 'react';

import type { ChatSession } from '../session/session';
import { beginning } from '../request/inspect';
import { useWords } from '../ui/language';

/** How many past pairs the list offers; others are reached from their cells. */
const OFFERED = 100;

/** Selects the request that the panel shows: of the message being written, or of a past pair. */
export function TargetSelect(props: {
  session: ChatSession;
  target: string;
  onChange: (target: string) => void;
}): JSX.Element {
  const { session, target } = props;
  const trans = useWords();
  const { records } = session.context;
  // The array stays the same until a cell is added or removed, so a key press costs nothing here.
  const offered = React.useMemo(
    () => pastPairs(records, target),
    [records, target]
  );
  const shown = offered.find(({ id }) => id === target);
  return (
    <select
      aria-label={trans.__('Request of')}
      title={[
        trans.__('Which request is shown'),
        ...(shown ? [shown.text] : [])
      ].join('\n')}
      value={target}
      onChange={event => props.onChange(event.target.value)}
    >
      <option value="live">{trans.__('message being written')}</option>
      {target !== 'live' && !shown && (
        <option value={target}>{trans.__('another message')}</option>
      )}
      {offered.map(({ id, n, text }) => (
        <option key={id} value={id}>
          {trans.__('turn %1 · %2', n, text)}
        </option>
      ))}
    </select>
  );
}

/** The last pairs, newest first, and the selected one wherever it is. */
function pastPairs(
  records: ChatSession['context']['records'],
  target: string
): { id: string; n: number; text: string }[] {
  const pairs = records.filter(({ kind }) => kind === 'pair');
  return pairs
    .map((record, index) => ({ record, n: index + 1 }))
    .filter(
      ({ record, n }) => n > pairs.length - OFFERED || record.id === target
    )
    .filter(({ record }) => !record.isSpare)
    .map(({ record, n }) => ({
      id: record.id,
      n,
      text: beginning(record.user.trim().replace(/\s+/g, ' '), 40)
    }))
    .reverse();
}
