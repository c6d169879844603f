import React from 'react';

import type { IProviderTest } from '../base/run';
import { type IProviderChecksProps, ProviderChecks } from './providerchecks';
import { advice, type ISettings } from './words';

export interface ITestResultProps extends Omit<IProviderChecksProps, 'models'> {
  result: IProviderTest;
  /** The settings that were tested. */
  settings: ISettings;
}

/** The models that a provider lists, or what to do if it lists none. */
export function TestResult(props: ITestResultProps): JSX.Element {
  const { result, settings, trans } = props;
  if (result.error) {
    return (
      <div className="jp-Turnbook-testResult jp-mod-error">
        <div>{advice(result.error, settings, trans)}</div>
        {result.error.message ? (
          <div className="jp-Turnbook-hint">
            {`[error: ${result.error.code ?? result.error.type}] ${result.error.message}`}
          </div>
        ) : null}
      </div>
    );
  }
  if (!result.models.length) {
    return (
      <div className="jp-Turnbook-testResult jp-mod-warn">
        {trans.__(
          'It answers, but lists no models. Load or pull a model there, then test again.'
        )}
      </div>
    );
  }
  return (
    <div className="jp-Turnbook-testResult">
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
      <ProviderChecks {...props} models={result.models} />
    </div>
  );
}
