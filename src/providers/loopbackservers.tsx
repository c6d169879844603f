import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useEffect, useId, useState } from 'react';

import { errorMessage } from '../base/errors';
import type { ILoopbackServer } from '../base/run';
import type { TurnbookAPI } from '../runs/api';
import type { ModelCatalog } from '../runs/catalog';

export interface ILoopbackServersProps {
  api: Pick<TurnbookAPI, 'listLoopback' | 'putProvider'>;
  catalog: Pick<ModelCatalog, 'refresh'>;
  /** Called with a `provider/model` of the server that the user wants to use. */
  onChoose: (id: string) => void;
  trans: TranslationBundle;
}

/**
 * The model servers that run on the machine of the Jupyter server and are not providers yet; asked
 * for once, when this is shown.
 */
export function LoopbackServers(
  props: ILoopbackServersProps
): JSX.Element | null {
  const { api, catalog, onChoose, trans } = props;
  const id = useId();
  const [servers, setServers] = useState<readonly ILoopbackServer[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let isShown = true;
    api.listLoopback().then(
      found => isShown && setServers(found),
      // The models that are listed can be used all the same.
      error => console.warn('Turnbook: loopback was not searched', error)
    );
    return () => {
      isShown = false;
    };
  }, [api]);

  const choose = async ({ name, baseUrl, models }: ILoopbackServer) => {
    setFailure(null);
    try {
      await api.putProvider(name, { baseUrl });
    } catch (error) {
      setFailure(errorMessage(error));
      return;
    }
    void catalog.refresh();
    onChoose(`${name}/${models[0]}`);
  };

  if (!servers.length) {
    return null;
  }
  return (
    <div className="jp-Turnbook-loopback">
      <div id={id} className="jp-Turnbook-modelMenu-group">
        {trans.__('Running on the Jupyter server’s machine')}
      </div>
      <ul aria-labelledby={id}>
        {servers.map(server => (
          <li key={server.name}>
            <span className="jp-Turnbook-modelMenu-name" title={server.baseUrl}>
              {server.title}
              <span className="jp-Turnbook-hint">
                {' '}
                {modelsOf(server, trans)}
              </span>
            </span>
            {server.models.length ? (
              <button
                type="button"
                className="jp-Turnbook-button"
                aria-label={trans.__('Use %1', server.title)}
                onClick={() => void choose(server)}
              >
                {trans.__('Use')}
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {failure ? (
        <div role="alert" className="jp-Turnbook-loopback-failure">
          {failure}
        </div>
      ) : null}
    </div>
  );
}

function modelsOf(
  { models }: ILoopbackServer,
  trans: TranslationBundle
): string {
  const [first, ...others] = models;
  if (first === undefined) {
    return trans.__('no model is loaded there');
  }
  return others.length
    ? trans._n('%2 and %1 more', '%2 and %1 more', others.length, first)
    : first;
}
