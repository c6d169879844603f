import * as React from 'react';

import { useWords } from '../ui/language';
import { cutNote } from './exporting';
import { cutText, type IPiece } from './marking';
import type { ISaid } from './side';

/** A message with who says it, and marks where it differs. */
export const SaidText = React.memo(
  (props: {
    said: ISaid;
    /** Absent until it is compared. */
    pieces?: readonly IPiece[] | null;
    isBase?: boolean;
  }): JSX.Element => {
    const { said, pieces, isBase } = props;
    const trans = useWords();
    const text = cutText(said.text);
    const Mark = isBase ? 'del' : 'ins';
    return (
      <div className="jp-Turnbook-compare-said">
        <span className="jp-Turnbook-compare-role">
          {said.isReply ? trans.__('reply: %1', said.role) : said.role}
        </span>
        <div className="jp-Turnbook-compare-text" dir="auto">
          {pieces
            ? pieces.map(({ text, marked }, place) =>
                marked ? (
                  <Mark key={place}>{text}</Mark>
                ) : (
                  <React.Fragment key={place}>{text}</React.Fragment>
                )
              )
            : text}
        </div>
        {text.length < said.text.length && (
          <p className="jp-Turnbook-hint">{cutNote(trans)}</p>
        )}
      </div>
    );
  }
);
SaidText.displayName = 'SaidText';
