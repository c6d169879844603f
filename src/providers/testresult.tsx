import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { IProviderTest } from '../runs/types';
import { advice, type ISettings } from './words';

/** What the result of a test needs. */
export interface ITestResultProps {
  result: IProviderTest;
  /** The settings that were tested. */
  settings: ISettings;
  trans: TranslationBundle;
}

/**
 * The models that a provider lists, or what to do when it lists none.
 */
export function TestResult(props: ITestResultProps): JSX.Element {
  const { result, settings, trans } = props;
  if (result.error) {
    return (
      <div className="jp-Turnbook-TestResult jp-mod-error">
        <div>{advice(result.error, settings, trans)}</div>
        {result.error.message ? (
          <div className="jp-Turnbook-Hint">
            {`[error: ${result.error.code ?? result.error.type}] ${result.error.message}`}
          </div>
        ) : null}
      </div>
    );
  }
  if (!result.models.length) {
    return (
      <div className="jp-Turnbook-TestResult jp-mod-warn">
        {trans.__(
          'It answers, but lists no models. Load or pull a model there, then test again.'
        )}
      </div>
    );
  }
  return (
    <div className="jp-Turnbook-TestResult">
      <div>
        {trans._n(
          'It works: %1 model.',
          'It works: %1 models.',
          result.models.length
        )}
      </div>
      <ul aria-label={trans.__('Models found')}>
        {result.models.map(model => (
          <li key={model}>{model}</li>
        ))}
      </ul>
    </div>
  );
}
