import * as React from 'react';

import { useWords } from '../ui/language';
import type { Row } from './align';
import { equalText } from './exporting';
import type { ISaid } from './side';
import { SaidText } from './saidtext';

/** How many messages are shown at first, and how many more each time. */
const FIRST = 50;

/** Messages that all sides have; folded until the user opens them. */
export function EqualBlock(props: {
  rows: readonly Row[];
  /** The messages of the first side. */
  said: readonly ISaid[];
  isOpen: boolean;
}): JSX.Element {
  const { rows, said } = props;
  const trans = useWords();
  const [isOpen, setOpen] = React.useState(props.isOpen);
  const [most, setMost] = React.useState(FIRST);
  return (
    <div className="jp-Turnbook-compare-equal">
      <button
        type="button"
        className="jp-Turnbook-link"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {equalText(rows.length, trans)}
      </button>
      {isOpen &&
        rows
          .slice(0, most)
          .map(row => <SaidText key={row[0]} said={said[row[0]!]} />)}
      {isOpen && rows.length > most && (
        <button
          type="button"
          className="jp-Turnbook-button"
          onClick={() => setMost(most + FIRST)}
        >
          {trans.__('Show more')}
        </button>
      )}
    </div>
  );
}
