import { presentableDiff } from '@codemirror/merge';
import * as React from 'react';

/** From how many characters on a text is compared in whole pieces only. */
const LONG = 20_000;

/** A piece of a comparison. */
export interface IDiffPiece {
  kind: 'same' | 'gone' | 'new';
  text: string;
}

/** A text against what it was, as pieces that read from left to right. */
export function diffPieces(before: string, after: string): IDiffPiece[] {
  const pieces: IDiffPiece[] = [];
  const add = (kind: IDiffPiece['kind'], text: string) => {
    if (text) {
      pieces.push({ kind, text });
    }
  };
  const limit = before.length + after.length > LONG ? 50 : 500;
  let at = 0;
  for (const change of presentableDiff(before, after, {
    scanLimit: limit,
    timeout: 100
  })) {
    add('same', after.slice(at, change.fromB));
    add('gone', before.slice(change.fromA, change.toA));
    add('new', after.slice(change.fromB, change.toB));
    at = change.toB;
  }
  add('same', after.slice(at));
  return pieces;
}

/** A text with what was deleted struck through and what was added marked. */
export const DiffText = React.memo(
  (props: { before: string; after: string }): JSX.Element => {
    const pieces = React.useMemo(
      () => diffPieces(props.before, props.after),
      [props.before, props.after]
    );
    return (
      <>
        {pieces.map(({ kind, text }, index) =>
          kind === 'same' ? (
            <React.Fragment key={index}>{text}</React.Fragment>
          ) : kind === 'gone' ? (
            <del key={index}>{text}</del>
          ) : (
            <ins key={index}>{text}</ins>
          )
        )}
      </>
    );
  }
);
DiffText.displayName = 'DiffText';
