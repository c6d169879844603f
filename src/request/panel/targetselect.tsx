import * as React from 'react';

import type { ChatSession } from '../../chat/session';
import { beginning } from '../inspect';
import { useWords } from './language';

/** How many past pairs are offered; the others are reached from their cells. */
const OFFERED = 100;

/** Which request the panel shows: that of the message being written, or of a past pair. */
export function TargetSelect(props: {
  session: ChatSession;
  target: string;
  onChange: (target: string) => void;
}): JSX.Element {
  const { session, target } = props;
  const trans = useWords();
  const [opened, setOpened] = React.useState(0);
  // Read when the list is about to open: a chat may have thousands of pairs.
  const pairs = React.useMemo(() => pastPairs(session), [session, opened]);
  const offered = pairs.slice(-OFFERED).reverse();
  const chosen = pairs.find(({ id }) => id === target);
  if (chosen && !offered.includes(chosen)) {
    offered.push(chosen);
  }
  return (
    <select
      aria-label={trans.__('Request of')}
      title={trans.__('Which request is shown')}
      value={target}
      onPointerDown={() => setOpened(opened + 1)}
      onFocus={() => setOpened(opened + 1)}
      onChange={event => props.onChange(event.target.value)}
    >
      <option value="live">{trans.__('message being written')}</option>
      {target !== 'live' && !chosen && (
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

function pastPairs(
  session: ChatSession
): { id: string; n: number; text: string }[] {
  return session.context.records
    .filter(record => record.kind === 'pair' && !record.isSpare)
    .map(({ id, user }, index) => ({
      id,
      n: index + 1,
      text: beginning(user.trim().replace(/\s+/g, ' '), 40)
    }));
}
