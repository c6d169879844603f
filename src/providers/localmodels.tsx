import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import React, { useEffect, useRef, useState } from 'react';

import type { ILocalModel, ILocalModels } from '../base/run';
import type { TurnbookAPI } from '../runs/api';
import type { ModelCatalog } from '../runs/catalog';
import { TextButton } from '../ui/controls';
import { fileSize } from './filesize';
import { LocalNotice } from './localnotice';
import { isArriving, useLocalModels } from './uselocalmodels';

export interface ILocalModelsViewProps {
  api: TurnbookAPI;
  catalog: ModelCatalog;
  trans: TranslationBundle;
  translator?: ITranslator;
  /** Called with a `provider/model` that the user wants to use now. */
  onUse?: (model: string) => void;
}

/** Lists the models that can run on the Jupyter server's machine, downloads and removes them. */
export function LocalModelsView(props: ILocalModelsViewProps): JSX.Element {
  const { api, catalog, trans } = props;
  const { list, trouble, failure, act } = useLocalModels(api, catalog);
  return (
    <div className="jp-Turnbook-providers-view">
      <p className="jp-Turnbook-localModels-about">
        {trans.__(
          'These models run on the Jupyter server’s machine. What you write to them stays there.'
        )}
        {list ? ` ${placeOf(list, trans)}` : null}
      </p>
      {trouble ? (
        <div role="alert" className="jp-Turnbook-testResult jp-mod-error">
          {trans.__(
            'The Jupyter server does not respond (%1). Trying again…',
            trouble
          )}
        </div>
      ) : null}
      {failure ? (
        <div role="alert" className="jp-Turnbook-testResult jp-mod-error">
          {failure}
        </div>
      ) : null}
      {list && !list.engine ? (
        <>
          <p className="jp-Turnbook-problem">{engineMissing(trans)}</p>
          <LocalNotice {...props} />
        </>
      ) : null}
      {list ? (
        <ul
          className="jp-Turnbook-providerList"
          aria-label={trans.__('Local models')}
        >
          {list.models.map(model => (
            <ModelItem
              key={model.name}
              {...props}
              model={model}
              list={list}
              act={act}
            />
          ))}
        </ul>
      ) : (
        <p role="status">{trans.__('Loading models…')}</p>
      )}
    </div>
  );
}

interface IModelItemProps extends ILocalModelsViewProps {
  model: ILocalModel;
  list: ILocalModels;
  act: (action: () => Promise<ILocalModels>) => Promise<void>;
}

function ModelItem(props: IModelItemProps): JSX.Element {
  const { model, list, trans } = props;
  const { name, page } = model;
  return (
    <li
      className="jp-Turnbook-providerList-item"
      aria-label={name}
      data-turnbook-local-model={model.state}
    >
      <div className="jp-Turnbook-providerList-text">
        <strong>{name}</strong>{' '}
        {page ? (
          <a href={page} target="_blank" rel="noopener noreferrer">
            {trans.__('About')}
          </a>
        ) : null}
        <div className="jp-Turnbook-hint">
          {trans.__(
            '%1 parameters · %2 · about %3 of memory · %4',
            model.parameters,
            model.state === 'ready'
              ? trans.__('%1 on disk', fileSize(model.size, trans))
              : trans.__('%1 to download', fileSize(model.size, trans)),
            fileSize(model.memory, trans),
            model.license
          )}
        </div>
        {model.fits ? null : (
          <div className="jp-Turnbook-problem">
            {trans.__(
              'It needs more memory than this machine has (%1).',
              fileSize(list.memory ?? 0, trans)
            )}
          </div>
        )}
        {isArriving(model) ? <Arriving {...props} /> : null}
        {model.message ? (
          <div role="alert" className="jp-Turnbook-problem">
            {model.message}
          </div>
        ) : null}
      </div>
      <ItemButtons {...props} />
    </li>
  );
}

function Arriving({ model, trans }: IModelItemProps): JSX.Element {
  const isChecking = model.state === 'checking';
  const label = isChecking
    ? trans.__('Checking %1…', model.name)
    : trans.__('Downloading %1', model.name);
  return (
    <div className="jp-Turnbook-localModels-progress">
      <progress
        aria-label={label}
        max={model.size}
        {...(isChecking ? {} : { value: model.received })}
      />
      <span>{isChecking ? trans.__('Checking…') : amountOf(model, trans)}</span>
    </div>
  );
}

function ItemButtons(props: IModelItemProps): JSX.Element {
  const { api, model, list, act, onUse, trans } = props;
  const { name, state } = model;
  const download = () => void act(() => api.downloadLocalModel(name));
  const remove = () => void act(() => api.removeLocalModel(name));
  const size = fileSize(model.size, trans);
  const off = list.engine
    ? {}
    : { disabled: true, title: engineMissing(trans) };
  switch (state) {
    case 'absent':
      return (
        <Buttons>
          {list.hub ? (
            <TextButton
              label={trans.__('Download %1', size)}
              onClick={download}
              {...off}
            />
          ) : null}
        </Buttons>
      );
    case 'partial':
      return (
        <Buttons>
          <span className="jp-Turnbook-hint">{amountOf(model, trans)}</span>
          {list.hub ? (
            <TextButton
              label={trans.__(
                'Continue (%1)',
                fileSize(Math.max(model.size - model.received, 0), trans)
              )}
              onClick={download}
              {...off}
            />
          ) : null}
          <TextButton label={trans.__('Discard')} onClick={remove} />
        </Buttons>
      );
    case 'downloading':
    case 'checking':
      return (
        <Buttons>
          <TextButton
            label={trans.__('Stop')}
            onClick={() => void act(() => api.stopDownload(name))}
          />
        </Buttons>
      );
    case 'ready':
      return (
        <Buttons>
          {onUse ? (
            <TextButton
              primary
              label={trans.__('Use now')}
              onClick={() => onUse(`local/${name}`)}
            />
          ) : null}
          <RemoveButton size={size} onRemove={remove} trans={trans} />
        </Buttons>
      );
  }
}

function Buttons(props: { children: React.ReactNode }): JSX.Element {
  return (
    <div className="jp-Turnbook-providerList-buttons">{props.children}</div>
  );
}

// A second dialog would wait until this one is closed, so the confirmation is inline.
function RemoveButton(props: {
  size: string;
  onRemove: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { size, onRemove, trans } = props;
  const [asking, setAsking] = useState(false);
  const keep = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (asking) {
      keep.current?.querySelector('button')?.focus();
    }
  }, [asking]);
  if (!asking) {
    return (
      <TextButton label={trans.__('Remove')} onClick={() => setAsking(true)} />
    );
  }
  return (
    <>
      <span>{trans.__('Delete %1 from the disk?', size)}</span>
      <TextButton label={trans.__('Yes, delete')} onClick={onRemove} />
      <span ref={keep}>
        <TextButton label={trans.__('Keep')} onClick={() => setAsking(false)} />
      </span>
    </>
  );
}

function amountOf(model: ILocalModel, trans: TranslationBundle): string {
  return trans.__(
    '%1 of %2',
    fileSize(model.received, trans),
    fileSize(model.size, trans)
  );
}

function engineMissing(trans: TranslationBundle): string {
  return trans.__(
    'Models cannot be downloaded yet: they need the package xllamacpp to run.'
  );
}

function placeOf(list: ILocalModels, trans: TranslationBundle): string {
  if (!list.hub) {
    return trans.__('This server offers no downloads.');
  }
  const host = new URL(list.hub).host;
  return list.free === null
    ? trans.__('They come from %1 and are kept in %2.', host, list.folder)
    : trans.__(
        'They come from %1 and are kept in %2 (%3 free).',
        host,
        list.folder,
        fileSize(list.free, trans)
      );
}
