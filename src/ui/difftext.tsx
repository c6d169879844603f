import { presentableDiff } from '@codemirror/merge';
import * as React from 'react';

/** Texts with at least this many characters are compared only in whole pieces. */
const LONG = 20_000;

/** A piece of a comparison. */
export interface IDiffPiece {
  kind: 'same' | 'gone' | 'new';
  text: string;
}

/** The differences between two texts, as pieces in reading order. */
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

/** A text with deletions struck through and additions marked. */
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
