import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useEffect, useRef, useState } from 'react';

import type { IProvider } from '../base/run';
import { sourceNote } from './words';

export interface IProviderListProps {
  providers: readonly IProvider[];
  /** The name of the provider in the form, if any. */
  editing: string | null;
  onEdit: (provider: IProvider) => void;
  onDelete: (provider: IProvider) => void;
  trans: TranslationBundle;
}

/** The providers that the server knows; those that were added here can be edited and deleted. */
export function ProviderList(props: IProviderListProps): JSX.Element {
  const { providers, trans } = props;
  return (
    <ul className="jp-Turnbook-providerList" aria-label={trans.__('Providers')}>
      {providers.map(provider => (
        <ProviderItem key={provider.name} {...props} provider={provider} />
      ))}
    </ul>
  );
}

function ProviderItem(
  props: IProviderListProps & { provider: IProvider }
): JSX.Element {
  const { provider, editing, trans } = props;
  const { name } = provider;
  return (
    <li
      className="jp-Turnbook-providerList-item"
      aria-current={editing === name ? 'true' : undefined}
      data-turnbook-provider={name}
    >
      <div className="jp-Turnbook-providerList-text">
        <strong>{name}</strong>{' '}
        {provider.source === 'local' ? null : (
          <>
            <code>{provider.baseUrl}</code>{' '}
            <span
              className="jp-Turnbook-providerList-key"
              data-turnbook-key={provider.key}
            >
              {provider.key === 'set'
                ? trans.__('Key set')
                : trans.__('No key')}
            </span>
          </>
        )}
        <div className="jp-Turnbook-hint">{sourceNote(provider, trans)}</div>
      </div>
      {provider.editable ? <ItemButtons {...props} /> : null}
    </li>
  );
}

// A second dialog would wait until this one is closed, so the confirmation is inline.
function ItemButtons(
  props: IProviderListProps & { provider: IProvider }
): JSX.Element {
  const { provider, onEdit, onDelete, trans } = props;
  const { name } = provider;
  const [asking, setAsking] = useState<boolean | null>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const remove = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (asking !== null) {
      (asking ? keep : remove).current?.focus();
    }
  }, [asking]);

  if (asking) {
    return (
      <div
        role="group"
        aria-label={trans.__('Delete %1 and its key?', name)}
        className="jp-Turnbook-providerList-buttons"
      >
        <span>{trans.__('Delete %1 and its key?', name)}</span>
        <button
          type="button"
          className="jp-Turnbook-button jp-mod-warn"
          onClick={() => onDelete(provider)}
        >
          {trans.__('Yes, delete')}
        </button>
        <button
          ref={keep}
          type="button"
          className="jp-Turnbook-button"
          onClick={() => setAsking(false)}
        >
          {trans.__('Keep')}
        </button>
      </div>
    );
  }
  return (
    <div className="jp-Turnbook-providerList-buttons">
      <button
        type="button"
        className="jp-Turnbook-button"
        aria-label={trans.__('Edit %1', name)}
        onClick={() => onEdit(provider)}
      >
        {trans.__('Edit')}
      </button>
      <button
        ref={remove}
        type="button"
        className="jp-Turnbook-button"
        aria-label={trans.__('Delete %1', name)}
        onClick={() => setAsking(true)}
      >
        {trans.__('Delete')}
      </button>
    </div>
  );
}
