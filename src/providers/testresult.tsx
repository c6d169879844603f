import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import React, { useState } from 'react';

import type { IProbe, IProviderTest } from '../base/run';
import { advice, type ISettings } from './words';

export interface ITestResultProps {
  result: IProviderTest;
  /** The settings that were tested. */
  settings: ISettings;
  /** Called to test what a model can do. */
  onProbe: (model: string) => void;
  trans: TranslationBundle;
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
      {result.probe ? (
        <ProbeResult probe={result.probe} settings={settings} trans={trans} />
      ) : (
        <Probing {...props} />
      )}
    </div>
  );
}

/** Offers to test a model, and says that this costs tokens. */
function Probing(props: ITestResultProps): JSX.Element {
  const { result, onProbe, trans } = props;
  const [model, setModel] = useState(result.models[0]);
  return (
    <div className="jp-Turnbook-testResult-probe">
      <HTMLSelect
        aria-label={trans.__('Model to try')}
        value={model}
        onChange={event => setModel(event.target.value)}
      >
        {result.models.map(name => (
          <option key={name}>{name}</option>
        ))}
      </HTMLSelect>
      <button
        type="button"
        className="jp-Turnbook-button"
        onClick={() => onProbe(model)}
      >
        {trans.__('Try streaming, tools and resuming')}
      </button>
      <span className="jp-Turnbook-hint">
        {trans.__('Sends three short requests, which cost a few tokens.')}
      </span>
    </div>
  );
}

/** The capabilities found in a model. */
function ProbeResult(props: {
  probe: IProbe;
  settings: ISettings;
  trans: TranslationBundle;
}): JSX.Element {
  const { probe, settings, trans } = props;
  if (probe.error) {
    return (
      <div className="jp-mod-error">
        {trans.__('%1 could not be tried.', probe.model)}{' '}
        {advice(probe.error, settings, trans)}
        <div className="jp-Turnbook-hint">{probe.error.message}</div>
      </div>
    );
  }
  const found = (name: string, can: boolean) =>
    `${name}: ${can ? trans.__('yes') : trans.__('no')}`;
  return (
    <div data-turnbook-continuation={probe.continuation}>
      <div>
        {[
          found(trans.__('Streaming'), probe.streaming),
          found(trans.__('Tools'), probe.tools),
          found(trans.__('Goes on from a partial reply'), probe.prefill)
        ].join(' · ')}
      </div>
      <div className="jp-Turnbook-hint">
        {probe.prefill
          ? trans.__(
              'A reply that is cut off will go on where it ended. Save to keep this.'
            )
          : trans.__(
              'A reply that is cut off will be started again. Save to keep this.'
            )}
      </div>
    </div>
  );
}
