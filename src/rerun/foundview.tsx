import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { IRerunPreview } from '../base/run';

const CLASS = 'jp-Turnbook-rerun';

/** How many names are listed. */
const MOST = 200;

/** The records that would be rerun, and those that would not, with why. */
export function Found(props: {
  /** Null while they are looked for. */
  preview: IRerunPreview | null;
  trans: TranslationBundle;
}): JSX.Element {
  const { preview, trans } = props;
  if (!preview) {
    return <p role="status">{trans.__('Reading the records…')}</p>;
  }
  const { records, refused, folder, out, replaces, problem } = preview;
  return (
    <div className={`${CLASS}-found`}>
      {records.length > 0 && (
        <details open={records.length <= 3}>
          <summary>
            {trans._n('%1 record', '%1 records', records.length)}
          </summary>
          <ul aria-label={trans.__('Records')}>
            {records.slice(0, MOST).map(({ name, model }, place) => (
              <li key={place}>
                {name} <span className="jp-Turnbook-hint">{model}</span>
              </li>
            ))}
            <More count={records.length} trans={trans} />
          </ul>
        </details>
      )}
      {refused.length > 0 && (
        <details open>
          <summary className="jp-Turnbook-problem">
            {trans._n('%1 is left out', '%1 are left out', refused.length)}
          </summary>
          <ul aria-label={trans.__('Left out')}>
            {refused.slice(0, MOST).map(({ name, why }, place) => (
              <li key={place}>
                {name}: {why}
              </li>
            ))}
            <More count={refused.length} trans={trans} />
          </ul>
        </details>
      )}
      {folder !== null && records.length > 0 && (
        <div className="jp-Turnbook-hint">
          {trans.__(
            'Their records are written to the folder %1 first.',
            folder
          )}
        </div>
      )}
      {replaces && !problem && (
        <div className="jp-Turnbook-hint">
          {trans.__(
            '%1 exists and is written again. Replies that it has for the same requests are kept, and not asked for again.',
            out
          )}
        </div>
      )}
    </div>
  );
}

function More(props: {
  count: number;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { count, trans } = props;
  return count > MOST ? <li>{trans.__('and %1 more', count - MOST)}</li> : null;
}
