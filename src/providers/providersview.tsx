import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useCallback, useEffect, useRef, useState } from 'react';

import type { TurnbookAPI } from '../runs/api';
import type { IProvider, IProviderList, IProviderTest } from '../base/run';
import type { ModelCatalog } from '../runs/catalog';
import { draftOf, type IDraft, inputOf, keepsKey, NEW_DRAFT } from './draft';
import { type FormAction, ProviderForm } from './providerform';
import { ProviderList } from './providerlist';
import { TestResult } from './testresult';
import { errorMessage } from '../base/errors';
import type { ISettings } from './words';

export interface IProvidersViewProps {
  api: TurnbookAPI;
  catalog: ModelCatalog;
  trans: TranslationBundle;
}

/** The latest message below the form. */
type News =
  | { kind: 'done'; text: string }
  | { kind: 'failed'; text: string }
  | { kind: 'tested'; result: IProviderTest; settings: ISettings };

/**
 * Lists, adds, tests, edits and deletes providers.
 */
export function ProvidersView(props: IProvidersViewProps): JSX.Element {
  const { api, catalog, trans } = props;
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

  const change = (next: IDraft) => {
    turns.current++;
    setDraft(next);
    setNews(null);
    setBusy(null);
  };
  const stored = async (provider: IProvider, text: string) => {
    change(draftOf(provider));
    setNews({ kind: 'done', text });
    void catalog.refresh(true);
    await load();
  };

  const test = async (turn: number, probe?: string) => {
    const settings = {
      baseUrl: draft.baseUrl.trim(),
      hasKey: draft.key.trim() !== '' || keepsKey(draft)
    };
    const result = await api.testProvider(
      draft.name.trim(),
      inputOf(draft),
      probe
    );
    if (turn !== turns.current) {
      return;
    }
    setNews({ kind: 'tested', result, settings });
    if (result.probe && !result.probe.error) {
      setDraft({ ...draft, continuation: result.probe.continuation });
    }
  };
  const save = async () => {
    const provider = await api.putProvider(draft.name.trim(), inputOf(draft));
    await stored(provider, trans.__('%1 is saved.', provider.name));
  };
  const removeKey = async (of: IProvider) => {
    const input = inputOf(draftOf(of));
    const provider = await api.putProvider(of.name, { ...input, key: null });
    // The button disappears with the key, and the focus must stay in the dialog.
    urlInput.current?.focus();
    await stored(provider, trans.__('The key of %1 is removed.', of.name));
  };
  const act = async (action: FormAction, probe?: string) => {
    const turn = ++turns.current;
    setBusy(action);
    setNews(null);
    try {
      if (action === 'test') {
        await test(turn, probe);
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
      <div role="status" className="jp-Turnbook-providers-news">
        {busy === 'test' ? trans.__('Asking the provider…') : null}
        {news?.kind === 'done' ? news.text : null}
        {news?.kind === 'tested' ? (
          <TestResult
            {...news}
            onProbe={model => void act('test', model)}
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
