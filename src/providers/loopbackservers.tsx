import type { TranslationBundle } from '@jupyterlab/translation';
import React, {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState
} from 'react';

import { errorMessage } from '../base/errors';
import type { ILoopbackServer } from '../base/run';
import type { TurnbookAPI } from '../runs/api';
import type { ModelCatalog } from '../runs/catalog';

export interface ILoopbackServersProps {
  api: Pick<TurnbookAPI, 'listLoopback' | 'listProviders' | 'putProvider'>;
  catalog: Pick<ModelCatalog, 'refresh'>;
  /** Called with a `provider/model` of the server that the user wants to use. */
  onChoose: (id: string) => void;
  /** Called after each change of what is shown. */
  onResize: () => void;
  trans: TranslationBundle;
}

/**
 * The model servers that run on the machine of the Jupyter server and are not providers yet; asked
 * for once, when this is shown.
 */
export function LoopbackServers(
  props: ILoopbackServersProps
): JSX.Element | null {
  const { api, catalog, onChoose, onResize, trans } = props;
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

  // Only what is shown changes its size, not the function.
  const resized = useRef(onResize);
  resized.current = onResize;
  useLayoutEffect(() => resized.current(), [servers, failure]);

  const choose = async ({ name, baseUrl, model }: ILoopbackServer) => {
    setFailure(null);
    try {
      const { providers } = await api.listProviders();
      if (providers.some(provider => provider.name === name)) {
        // Saving would overwrite it and delete its key.
        setFailure(
          trans.__(
            'Another provider is named %1 now. Nothing was changed; choose again.',
            name
          )
        );
        void catalog.refresh();
        setServers(await api.listLoopback());
        return;
      }
      await api.putProvider(name, { baseUrl });
    } catch (error) {
      setFailure(errorMessage(error));
      return;
    }
    void catalog.refresh();
    onChoose(`${name}/${model}`);
  };

  if (!servers.length && failure === null) {
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
            <span className="jp-Turnbook-modelMenu-name">
              {server.title}
              <span className="jp-Turnbook-hint">
                {` ${new URL(server.baseUrl).host} · ${modelsOf(server, trans)}`}
              </span>
            </span>
            {server.model !== null ? (
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
  { model, count }: ILoopbackServer,
  trans: TranslationBundle
): string {
  if (model === null) {
    return trans.__('no model is loaded there');
  }
  return count > 1
    ? trans._n('%2 and %1 more', '%2 and %1 more', count - 1, model)
    : model;
}
