import * as React from 'react';

import { errorMessage } from '../base/errors';
import { trans } from '../base/words';
import type { IAttachment } from '../document/attachments';
import { frozenText } from '../document/references';
import { isSameSnapshot } from '../document/updatereference';
import { TextButton } from '../ui/controls';
import { DiffText } from '../ui/difftext';
import type { ISnapshot, SourceNow } from './sources';

/** Puts a newer snapshot in the place of an older one. */
export interface IUpdate {
  /** What it does, or why it cannot be done now. */
  hint: string;
  /** Do it; returns whether it is done, and what to say; null if it cannot be done now. */
  run: ((next: IAttachment) => { isDone: boolean; words: string }) | null;
}

/**
 * What the source of a snapshot is now, and *Update*.
 *
 * @param props - `now` is null if only reading it would tell; `read` is null if that is not
 *   possible.
 */
export function SourceView(props: {
  file: ISnapshot;
  now: SourceNow;
  read: (() => Promise<IAttachment>) | null;
  update: IUpdate;
}): JSX.Element {
  const { file, read, update } = props;
  const [found, setNow] = React.useState(props.now);
  const now = found === 'gone' ? null : found;
  const [words, setWords] = React.useState('');
  const [isUpdated, setUpdated] = React.useState(false);
  const check = async () => {
    setWords(trans.__('Reading…'));
    try {
      setNow(await read!());
      setWords('');
    } catch (error) {
      setWords(
        trans.__(
          '%1 The snapshot stays as it is.',
          // As it came: it says what happened.
          errorMessage(error)
        )
      );
    }
  };
  const isSame = now !== null && isSameSnapshot(now, file);
  const [before, after] = [file, now].map(one => frozenText(one?.data ?? ''));
  return (
    <section
      className="jp-Turnbook-preview-source"
      aria-label={trans.__('The source now')}
    >
      {found === 'gone' ? (
        <p role="status">
          {trans.__(
            'The source has changed since: what was frozen of it is not there any more. The snapshot stays whole.'
          )}
        </p>
      ) : now === null ? (
        <p>
          {unknownWords(file, read !== null)}{' '}
          {read && (
            <TextButton
              label={trans.__('Check')}
              onClick={() => void check()}
            />
          )}
        </p>
      ) : isSame ? (
        <p role="status">{trans.__('The source is the same now.')}</p>
      ) : (
        <>
          <p role="status">
            {trans.__('The source has changed since.')}{' '}
            <TextButton
              label={trans.__('Update')}
              title={update.hint}
              disabled={!update.run || isUpdated}
              onClick={() => {
                const { isDone, words: said } = update.run!(now);
                setUpdated(isDone);
                setWords(said);
              }}
            />
          </p>
          {before !== null && after !== null && (
            <pre
              className="jp-Turnbook-preview-text jp-Turnbook-preview-diff"
              tabIndex={0}
              aria-label={trans.__('Changes since')}
            >
              <DiffText before={before} after={after} />
            </pre>
          )}
        </>
      )}
      {words && <p role="status">{words}</p>}
    </section>
  );
}

/** Why it is not known what a source is now. */
function unknownWords(
  { reference: { kind } }: ISnapshot,
  canRead: boolean
): string {
  if (canRead) {
    return kind === 'variable'
      ? trans.__(
          'Whether the variable is the same now is known once the kernel is asked.'
        )
      : trans.__('Whether the file is the same now is known once it is read.');
  }
  return kind === 'selection'
    ? trans.__(
        'Whether this text is still there cannot be told: its editor is not open, or it was selected outside an editor. The snapshot stays whole.'
      )
    : trans.__(
        'Whether the source is the same now cannot be told: it is not open, or gone. The snapshot stays whole.'
      );
}
