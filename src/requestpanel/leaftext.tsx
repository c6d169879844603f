import * as React from 'react';
import type * as Y from 'yjs';

import { RequestError } from '../request/errors';
import { beginning } from '../request/inspect';
import type { LeafPath } from '../request/model';
import { DiffText } from '../ui/difftext';
import { useWords } from '../ui/language';
import { LeafEditor, type Touch } from './leafeditor';

/** The text to bind to; null if the leaf cannot be edited as text. */
function textOf(
  draft: ITextSource,
  section: string,
  path: LeafPath
): Y.Text | null {
  try {
    return draft.text(section, path);
  } catch (error) {
    if (error instanceof RequestError) {
      return null;
    }
    throw error;
  }
}

/** How much of a text is shown before its editor is created, in characters. */
const PREVIEW = 3_000;

/** The part of a draft that a text leaf uses. */
export interface ITextSource {
  readonly undoManager: Y.UndoManager;
  text(section: string, path: LeafPath): Y.Text;
  undo(): void;
  redo(): void;
}

/**
 * A text of a message. It becomes an editor on focus: a screen full of editors would scroll slowly.
 */
export function LeafText(props: {
  draft: ITextSource;
  section: string;
  path: LeafPath;
  value: string;
  /** The text before edits; null if there was none. */
  original: string | null;
  /** Whether changes are marked. */
  diff: boolean;
  label: string;
  onLeave: () => void;
}): JSX.Element {
  const { draft, section, path, value, original, label } = props;
  const trans = useWords();
  const [touch, setTouch] = React.useState<Touch | undefined>(undefined);
  const pointer = React.useRef<Touch>(null);
  const compared =
    props.diff && original !== null && original !== value ? original : null;
  const ytext = touch === undefined ? null : textOf(draft, section, path);
  if (touch !== undefined && ytext) {
    return (
      <LeafEditor
        ytext={ytext}
        undoManager={draft.undoManager}
        label={label}
        scrolls={value.length > PREVIEW}
        original={compared}
        touch={touch}
        onUndo={() => draft.undo()}
        onRedo={() => draft.redo()}
        onLeave={props.onLeave}
      />
    );
  }
  const shown = beginning(value, PREVIEW);
  const left = value.length - shown.length;
  return (
    <div
      className="jp-Turnbook-leafText"
      dir="auto"
      role="textbox"
      aria-multiline="true"
      aria-label={label}
      tabIndex={0}
      title={
        touch === undefined
          ? undefined
          : trans.__('This contains incomplete characters: edit it as JSON.')
      }
      onPointerDown={event => {
        pointer.current = { x: event.clientX, y: event.clientY };
      }}
      onFocus={() => setTouch(pointer.current)}
    >
      {compared !== null && left === 0 ? (
        <DiffText before={compared} after={value} />
      ) : (
        shown
      )}
      {left > 0 && (
        <span className="jp-Turnbook-leafText-more">
          {trans.__('… %1 more characters', left.toLocaleString('en'))}
        </span>
      )}
      {value === '' && (
        <span className="jp-Turnbook-leafText-more">{trans.__('empty')}</span>
      )}
    </div>
  );
}
