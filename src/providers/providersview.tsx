import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useCallback, useEffect, useRef, useState } from 'react';

import type { TurnbookAPI } from '../runs/api';
import type {
  IModelInfo,
  IProvider,
  IProviderList,
  IProviderTest
} from '../base/run';
import type { ModelCatalog } from '../runs/catalog';
import { draftOf, type IDraft, inputOf, keepsKey, NEW_DRAFT } from './draft';
import { type FormAction, ProviderForm } from './providerform';
import { ProviderList } from './providerlist';
import { TestResult } from './testresult';
import { useCatalog } from './usecatalog';
import { UseNow } from './usenow';
import { errorMessage } from '../base/errors';
import type { ISettings } from './words';

export interface IProvidersViewProps {
  api: TurnbookAPI;
  catalog: ModelCatalog;
  trans: TranslationBundle;
  /** Called with a `provider/model` that the user wants to use now. */
  onUse?: (model: string) => void;
}

/** The latest message below the form. */
type News =
  | { kind: 'done'; text: string; saved?: string }
  | { kind: 'failed'; text: string }
  | { kind: 'tested'; result: IProviderTest; settings: ISettings };

/**
 * Lists, adds, tests, edits and deletes providers.
 */
export function ProvidersView(props: IProvidersViewProps): JSX.Element {
  const { api, catalog, trans, onUse } = props;
  useCatalog(catalog);
  const [list, setList] = useState<IProviderList | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [draft, setDraft] = useState<IDraft>(NEW_DRAFT);
  const [busy, setBusy] = useState<FormAction | null>(null);
  const [news, setNews] = useState<News | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const urlInput = useRef<HTMLInputElement>(null);
  // Counts changes and actions, so that the result of an outdated test is not shown.
  const turns = useRef(0);

  const load = useCallback(async () => {
    try {
      setList(await api.listProviders());
      setFailure(null);
    } catch (error) {
      setFailure(errorMessage(error));
    }
  }, [api]);
  useEffect(() => void load(), [load]);
  const canAdd = list?.canAdd ?? true;
  useEffect(() => {
    if (!canAdd) {
      // The form had the focus until it disappeared.
      root.current?.focus();
    }
  }, [canAdd]);

  const change = (next: IDraft) => {
    turns.current++;
    setDraft(next);
    setNews(null);
    setBusy(null);
  };
  const stored = async (provider: IProvider, text: string, saved?: string) => {
    change(draftOf(provider));
    setNews({ kind: 'done', text, saved });
    void catalog.refresh(true);
    await load();
  };

  const test = async (turn: number) => {
    const settings = {
      baseUrl: draft.baseUrl.trim(),
      hasKey: draft.key.trim() !== '' || keepsKey(draft)
    };
    const result = await api.testProvider(draft.name.trim(), inputOf(draft));
    if (turn === turns.current) {
      setNews({ kind: 'tested', result, settings });
    }
  };
  const save = async () => {
    const provider = await api.putProvider(draft.name.trim(), inputOf(draft));
    const { name } = provider;
    await stored(provider, trans.__('%1 is saved.', name), name);
  };
  const removeKey = async (of: IProvider) => {
    const input = inputOf(draftOf(of));
    const provider = await api.putProvider(of.name, { ...input, key: null });
    // The button disappears with the key, and the focus must stay in the dialog.
    urlInput.current?.focus();
    await stored(provider, trans.__('The key of %1 is removed.', of.name));
  };
  const act = async (action: FormAction) => {
    const turn = ++turns.current;
    setBusy(action);
    setNews(null);
    try {
      if (action === 'test') {
        await test(turn);
      } else if (action === 'save') {
        await save();
      } else if (draft.stored) {
        await removeKey(draft.stored);
      }
    } catch (error) {
      if (action !== 'test' || turn === turns.current) {
        setNews({ kind: 'failed', text: errorMessage(error) });
      }
    } finally {
      if (turn === turns.current) {
        setBusy(null);
      }
    }
  };

  const edit = (provider: IProvider) => {
    change(draftOf(provider));
    urlInput.current?.focus();
  };
  const remove = async (provider: IProvider) => {
    try {
      await api.deleteProvider(provider.name);
      if (draft.stored?.name === provider.name) {
        change(NEW_DRAFT);
      }
      setNews({
        kind: 'done',
        text: trans.__('%1 and its key are deleted.', provider.name)
      });
      void catalog.refresh(true);
      // As above: its buttons disappear with it.
      root.current?.focus();
      await load();
    } catch (error) {
      setNews({ kind: 'failed', text: errorMessage(error) });
    }
  };

  return (
    <div className="jp-Turnbook-providers-view" ref={root} tabIndex={-1}>
      {failure ? (
        <div role="alert" className="jp-Turnbook-testResult jp-mod-error">
          {trans.__('The providers could not be listed: %1', failure)}{' '}
          <button
            type="button"
            className="jp-Turnbook-button"
            onClick={() => void load()}
          >
            {trans.__('Try again')}
          </button>
        </div>
      ) : null}
      {list ? (
        <ProviderList
          providers={list.providers}
          editing={draft.stored?.name ?? null}
          onEdit={edit}
          onDelete={provider => void remove(provider)}
          trans={trans}
        />
      ) : null}
      {canAdd ? (
        <ProviderForm
          draft={draft}
          onDraft={change}
          providers={list?.providers ?? []}
          presets={list?.presets ?? []}
          keyStore={list?.keyStore ?? ''}
          busy={busy}
          urlInput={urlInput}
          onAction={action => void act(action)}
          trans={trans}
        />
      ) : (
        <p className="jp-Turnbook-hint">
          {trans.__(
            'The administrator of this server sets its providers. Ask them if you need another one.'
          )}
        </p>
      )}
      <div role="status" className="jp-Turnbook-providers-news">
        {busy === 'test' ? trans.__('Asking the provider…') : null}
        {news?.kind === 'done' ? news.text : null}
        {news?.kind === 'done' && onUse && !catalog.isRefreshing ? (
          <UseNow
            models={modelsOf(catalog, news.saved)}
            onUse={onUse}
            trans={trans}
          />
        ) : null}
        {news?.kind === 'tested' ? (
          <TestResult
            {...news}
            check={(model, check, signal) =>
              api.checkProvider(
                draft.name.trim(),
                inputOf(draft),
                model,
                check,
                signal
              )
            }
            onContinuation={continuation =>
              setDraft(now => ({ ...now, continuation }))
            }
            trans={trans}
          />
        ) : null}
      </div>
      {news?.kind === 'failed' ? (
        <div role="alert" className="jp-Turnbook-testResult jp-mod-error">
          {news.text}
        </div>
      ) : null}
    </div>
  );
}

function modelsOf(
  { list }: ModelCatalog,
  name: string | undefined
): readonly IModelInfo[] {
  return list?.models.filter(({ provider }) => provider === name) ?? [];
}
