import React, { useEffect, useState } from 'react';

import type { TurnbookAPI } from '../runs/api';
import type { ILocal } from '../base/run';
import type { ModelCatalog } from '../runs/catalog';
import { type ILanguage, wordsIn } from '../ui/translation';
import { viewLocal } from '../runs/localstate';
import { useCatalog } from './usecatalog';
import { errorMessage } from '../base/errors';

export interface ILocalNoticeProps extends ILanguage {
  api: TurnbookAPI;
  catalog: ModelCatalog;
  /** The chat's `provider/model`; if given, the notice is shown only for the embedded model. */
  model?: string;
}

/** Says that the embedded model is missing and downloads it; empty when there is nothing to say. */
export function LocalNotice(props: ILocalNoticeProps): JSX.Element | null {
  const { api, catalog, model } = props;
  const trans = wordsIn(props);
  const [failure, setFailure] = useState<string | null>(null);
  useCatalog(catalog);

  const chosen = model === undefined || model === catalog.localModel;
  useEffect(() => {
    if (!chosen) {
      return;
    }
    const watching = catalog.watchLocal();
    return () => watching.dispose();
  }, [catalog, chosen]);

  const view = chosen && catalog.local ? viewLocal(catalog.local, trans) : null;
  if (!view) {
    return null;
  }

  const ask = async (question: () => Promise<ILocal>) => {
    setFailure(null);
    try {
      catalog.setLocal(await question());
    } catch (error) {
      setFailure(errorMessage(error));
    }
  };
  const fetchModel = () => void ask(() => api.fetchLocal());
  const cancel = () => void ask(() => api.cancelFetchLocal());

  const trouble =
    failure ??
    (catalog.localFailure &&
      trans.__(
        'The Jupyter server does not respond (%1). Trying again…',
        catalog.localFailure
      ));
  return (
    <div
      className="jp-Turnbook-localNotice"
      data-turnbook-local={catalog.local?.state}
    >
      <div role="status" className="jp-Turnbook-localNotice-text">
        {view.text}
        {trouble ? (
          <span className="jp-Turnbook-localNotice-error"> {trouble}</span>
        ) : null}
      </div>
      {view.progress !== undefined ? (
        <progress
          className="jp-Turnbook-localNotice-progress"
          aria-label={view.text}
          max={1}
          {...(view.progress === null ? {} : { value: view.progress })}
        />
      ) : null}
      {view.amount ? (
        <span className="jp-Turnbook-localNotice-amount">{view.amount}</span>
      ) : null}
      {view.offer === 'fetch' ? (
        <NoticeButton label={trans.__('Fetch model')} onClick={fetchModel} />
      ) : null}
      {view.offer === 'again' ? (
        <NoticeButton label={trans.__('Try again')} onClick={fetchModel} />
      ) : null}
      {view.offer === 'cancel' ? (
        <NoticeButton label={trans.__('Cancel')} onClick={cancel} />
      ) : null}
    </div>
  );
}

function NoticeButton(props: {
  label: string;
  onClick: () => void;
}): JSX.Element {
  return (
    <button
      type="button"
      className="jp-Turnbook-button"
      onClick={props.onClick}
    >
      {props.label}
    </button>
  );
}
