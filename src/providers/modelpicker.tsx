import { errorIcon, HTMLSelect } from '@jupyterlab/ui-components';
import React, { useEffect, useRef, useState } from 'react';

import type { TurnbookAPI } from '../runs/api';
import type { ModelCatalog } from '../runs/catalog';
import { type ILanguage, wordsIn } from '../ui/translation';
import { groupModels, listProblems, splitId } from '../runs/models';
import { ModelMenu } from './modelmenu';
import { useCatalog } from './usecatalog';

// A model's id contains a slash, so it can never equal these.
const MANAGE = 'turnbook:manage-providers';
const LOCAL_MODELS = 'turnbook:local-models';
const REFRESH = 'turnbook:refresh-models';

export interface IModelPickerProps extends ILanguage {
  api: TurnbookAPI;
  catalog: ModelCatalog;
  /** The chosen `provider/model`; empty if there is none. */
  value: string;
  /** The models used last, newest first. */
  recent: () => readonly string[];
  /** A model's context window in tokens; null if it is unknown. */
  windowOf: (id: string) => number | null;
  /** Called with the `provider/model` that the user chose. */
  onChange: (id: string) => void;
  /** Called when the user wants to manage providers. */
  onManage: () => void;
  /** Called when the user wants to download models. */
  onLocalModels: () => void;
  disabled?: boolean;
}

/** An open menu. */
interface IOpen {
  anchor: HTMLSelectElement;
  recent: readonly string[];
  search: string;
}

/**
 * The model of a chat. It is a native list, which every browser and screen reader can operate;
 * mouse and keys open a menu with a search field instead.
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
    } else if (id === LOCAL_MODELS) {
      props.onLocalModels();
    } else if (id === REFRESH) {
      void catalog.refresh(true);
    } else {
      onChange(id);
    }
  };

  const root = useRef<HTMLDivElement>(null);
  const select = useRef<HTMLSelectElement | null>(null);
  const [menu, setMenu] = useState<IOpen | null>(null);
  const open = (search = '') => {
    if (select.current) {
      const recent = props.recent();
      setMenu({ anchor: select.current, recent, search });
    }
  };
  const close = () => {
    setMenu(null);
    // After a click elsewhere, the focus stays where the user put it.
    if (root.current?.contains(document.activeElement)) {
      select.current?.focus();
    }
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const search = searchOf(event);
    if (search !== null) {
      event.preventDefault();
      open(search);
    }
  };

  const known = catalog.list !== null;
  const problems = listProblems(catalog.list, catalog.failure);
  const groups = groupModels(catalog.list, value);
  const provider = value && groups.length > 1 ? splitId(value).provider : '';
  return (
    <div ref={root} className="jp-Turnbook-modelPicker">
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
        elementRef={node => {
          select.current = node;
        }}
        aria-haspopup="dialog"
        aria-expanded={menu !== null}
        onMouseDown={event => {
          if (event.button === 0) {
            event.preventDefault();
            select.current?.focus();
            if (menu) {
              close();
            } else {
              open();
            }
          }
        }}
        onKeyDown={onKeyDown}
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
                {listed || !known || catalog.isRefreshing
                  ? name
                  : trans.__('%1 (not listed)', name)}
              </option>
            ))}
          </optgroup>
        ))}
        <optgroup label={trans.__('Providers')}>
          <option value={MANAGE}>{trans.__('Add or edit providers…')}</option>
          <option value={LOCAL_MODELS}>{trans.__('Local models…')}</option>
          <option value={REFRESH} disabled={catalog.isRefreshing}>
            {catalog.isRefreshing
              ? trans.__('Refreshing models…')
              : trans.__('Refresh models')}
          </option>
        </optgroup>
      </HTMLSelect>
      {menu ? (
        <ModelMenu
          {...menu}
          api={props.api}
          catalog={catalog}
          value={value}
          windowOf={props.windowOf}
          onChoose={id => {
            close();
            onChange(id);
          }}
          onManage={onManage}
          onLocalModels={props.onLocalModels}
          onClose={close}
          trans={trans}
        />
      ) : null}
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

const OPENING = [
  'Enter',
  ' ',
  'ArrowDown',
  'ArrowUp',
  'PageDown',
  'PageUp',
  'F4'
];

/** What a key on the closed list searches for; null if it does not open the menu. */
function searchOf(event: React.KeyboardEvent): string | null {
  const { altKey, ctrlKey, metaKey, key } = event;
  if (ctrlKey || metaKey) {
    return null;
  }
  if (OPENING.includes(key)) {
    return '';
  }
  return key.length === 1 && !altKey ? key : null;
}
