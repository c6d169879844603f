import { errorIcon, HTMLSelect } from '@jupyterlab/ui-components';
import React, { useEffect } from 'react';

import type { ModelCatalog } from '../runs/catalog';
import { type ILanguage, wordsIn } from '../ui/translation';
import { groupModels, listProblems, splitId } from '../runs/models';
import { useCatalog } from './usecatalog';

// A model's id contains a slash, so it can never equal these.
const MANAGE = 'turnbook:manage-providers';
const REFRESH = 'turnbook:refresh-models';

export interface IModelPickerProps extends ILanguage {
  catalog: ModelCatalog;
  /** The chosen `provider/model`; empty if there is none. */
  value: string;
  /** Called with the `provider/model` that the user chose. */
  onChange: (id: string) => void;
  /** Called when the user wants to manage providers. */
  onManage: () => void;
  disabled?: boolean;
}

/**
 * A compact list of all models, grouped by provider.
 */
export function ModelPicker(props: IModelPickerProps): JSX.Element {
  const { catalog, value, onChange, onManage, disabled } = props;
  const trans = wordsIn(props);
  useCatalog(catalog);
  useEffect(() => {
    if (!catalog.list && !catalog.isRefreshing) {
      void catalog.refresh();
    }
  }, [catalog]);

  const choose = (event: React.ChangeEvent<HTMLSelectElement>) => {
    const id = event.target.value;
    if (id === MANAGE) {
      onManage();
    } else if (id === REFRESH) {
      void catalog.refresh(true);
    } else {
      onChange(id);
    }
  };

  const known = catalog.list !== null;
  const problems = listProblems(catalog.list, catalog.failure);
  const groups = groupModels(catalog.list, value);
  const provider = value && groups.length > 1 ? splitId(value).provider : '';
  return (
    <div className="jp-Turnbook-modelPicker">
      {provider ? (
        // The closed list shows only the model, which two providers may have. Its title already names both.
        <span className="jp-Turnbook-modelPicker-provider" aria-hidden="true">
          {provider}
        </span>
      ) : null}
      <HTMLSelect
        className="jp-Turnbook-modelPicker-select"
        aria-label={trans.__('Model')}
        aria-busy={catalog.isRefreshing}
        title={value || trans.__('Choose a model')}
        value={value}
        disabled={disabled}
        onChange={choose}
      >
        {value ? null : (
          <option value="" disabled>
            {known ? trans.__('Choose a model') : trans.__('Loading models…')}
          </option>
        )}
        {groups.map(({ provider, options }) => (
          <optgroup key={provider} label={provider || trans.__('No provider')}>
            {options.map(({ id, name, listed }) => (
              <option key={id} value={id}>
                {listed || !known ? name : trans.__('%1 (not listed)', name)}
              </option>
            ))}
          </optgroup>
        ))}
        <optgroup label={trans.__('Providers')}>
          <option value={MANAGE}>{trans.__('Add or edit providers…')}</option>
          <option value={REFRESH} disabled={catalog.isRefreshing}>
            {catalog.isRefreshing
              ? trans.__('Refreshing models…')
              : trans.__('Refresh models')}
          </option>
        </optgroup>
      </HTMLSelect>
      {catalog.isRefreshing ? (
        <span className="jp-Turnbook-spinner" aria-hidden="true" />
      ) : null}
      {problems.length ? (
        <button
          type="button"
          className="jp-Turnbook-modelPicker-warning"
          aria-label={trans.__(
            'Some models are missing: %1',
            problems.join(' ')
          )}
          title={problems.join('\n')}
          onClick={onManage}
        >
          <errorIcon.react tag="span" />
        </button>
      ) : null}
    </div>
  );
}
