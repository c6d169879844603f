import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import React, { useState } from 'react';

import type { IModelInfo } from '../base/run';

export interface IUseNowProps {
  /** The models of a provider, the most likely one first. */
  models: readonly IModelInfo[];
  /** Called with a `provider/model`. */
  onUse: (model: string) => void;
  trans: TranslationBundle;
}

/** Offers to use a model of a provider in the chat. */
export function UseNow(props: IUseNowProps): JSX.Element | null {
  const { models, onUse, trans } = props;
  const [wanted, setWanted] = useState('');
  const model = models.find(({ id }) => id === wanted) ?? models[0];
  if (!model) {
    return null;
  }
  return (
    <div className="jp-Turnbook-useNow">
      {models.length > 1 ? (
        <HTMLSelect
          aria-label={trans.__('Model to use')}
          value={model.id}
          onChange={event => setWanted(event.target.value)}
        >
          {models.map(({ id, model }) => (
            <option key={id} value={id}>
              {model}
            </option>
          ))}
        </HTMLSelect>
      ) : null}
      <button
        type="button"
        className="jp-Turnbook-button jp-mod-accept"
        onClick={() => onUse(model.id)}
      >
        {trans.__('Use %1 now', model.model)}
      </button>
    </div>
  );
}
