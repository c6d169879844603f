import * as React from 'react';

import { useWords } from '../ui/language';
import type { Row } from './align';
import { SaidText } from './saidtext';
import type { ISide } from './side';
import type { MarkedRow } from './userows';

/** Messages that differ, beside each other. */
export const DifferentRow = React.memo(
  (props: {
    row: Row;
    /** Which difference it is, from 1. */
    number: number;
    sides: readonly ISide[];
    base: number;
    /** Null until it is compared. */
    marked: MarkedRow | null;
  }): JSX.Element => {
    const { row, number, sides, base, marked } = props;
    const trans = useWords();
    const said = row.map((at, side) =>
      at === null ? null : sides[side].said[at]
    );
    const texts = new Set(said.map(one => one && one.text));
    return (
      <div
        className="jp-Turnbook-compare-row"
        role="group"
        aria-label={trans.__('Difference %1', number)}
        aria-busy={marked === null}
        data-turnbook-difference={number}
        tabIndex={-1}
      >
        {said.map((one, side) => (
          <div key={side} className="jp-Turnbook-compare-cell">
            {one ? (
              <SaidText
                said={one}
                pieces={marked?.[side]}
                isBase={side === base}
              />
            ) : (
              <span className="jp-Turnbook-hint">
                {trans.__('Not in this one')}
              </span>
            )}
            {one && texts.size === 1 && side !== base && (
              <p className="jp-Turnbook-hint">
                {trans.__(
                  'The text is the same; what differs is not shown here, such as an attached file.'
                )}
              </p>
            )}
          </div>
        ))}
      </div>
    );
  }
);
DifferentRow.displayName = 'DifferentRow';
