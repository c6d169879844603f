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

/** The pieces of a comparison with only so many characters of what stayed around each change. */
export function nearChanges(
  pieces: readonly IDiffPiece[],
  context: number
): IDiffPiece[] {
  return pieces.map((piece, place) => {
    const { kind, text } = piece;
    const head = place === 0 ? '' : text.slice(0, context);
    const tail =
      place === pieces.length - 1 ? '' : text.slice(text.length - context);
    return kind === 'same' && text.length > head.length + tail.length
      ? { kind, text: `${head}…${tail}` }
      : piece;
  });
}

/** A text with deletions struck through and additions marked. */
export const DiffText = React.memo(
  (props: {
    before: string;
    after: string;
    /** How many characters around each change are shown; by default all. */
    context?: number;
  }): JSX.Element => {
    const { before, after, context } = props;
    const pieces = React.useMemo(() => {
      const all = diffPieces(before, after);
      return context === undefined ? all : nearChanges(all, context);
    }, [before, after, context]);
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
