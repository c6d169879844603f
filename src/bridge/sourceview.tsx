import * as React from 'react';

import { errorMessage } from '../base/errors';
import { trans } from '../base/words';
import type { IAttachment } from '../document/attachments';
import { frozenText } from '../document/references';
import { isSameSnapshot } from '../document/updatereference';
import { TextButton } from '../ui/controls';
import { DiffText } from '../ui/difftext';
import type { ISnapshot, SourceNow } from './sources';

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
  /**
   * Put a newer snapshot in its place; null if the pair cannot be changed. Returns what it is now; null
   * if nothing was changed.
   */
  update: ((next: IAttachment) => 'sent' | 'unsent' | null) | null;
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
          {read
            ? file.reference.kind === 'variable'
              ? trans.__(
                  'Whether the variable is the same now is known once the kernel is asked.'
                )
              : trans.__(
                  'Whether the file is the same now is known once it is read.'
                )
            : trans.__(
                'Whether the source is the same now cannot be told: it is not open, or gone. The snapshot stays whole.'
              )}{' '}
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
              title={trans.__(
                'Put what it is now into the message; what was sent stays as a version. Nothing is sent.'
              )}
              disabled={!update || isUpdated}
              onClick={() => {
                const next = update!(now);
                setUpdated(next !== null);
                setWords(
                  next === 'sent'
                    ? trans.__(
                        'Updated. What was sent before is a version of the message. Nothing was sent.'
                      )
                    : next === 'unsent'
                      ? trans.__('Updated. It is still not sent.')
                      : trans.__(
                          'Not updated: a reply is in progress. Try again when it is complete.'
                        )
                );
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
