import type { TranslationBundle } from '@jupyterlab/translation';
import React, {
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState
} from 'react';

import type { TurnbookAPI } from '../runs/api';
import type { ModelCatalog } from '../runs/catalog';
import { LoopbackServers } from './loopbackservers';
import {
  menuModels,
  moved,
  nameIn,
  shortPrice,
  shortTokens,
  type IMenuGroup
} from './menumodels';
import { noticeLocalModels } from './uselocalmodels';
import { usePopup } from './usepopup';

export interface IModelMenuProps {
  api: TurnbookAPI;
  catalog: ModelCatalog;
  /** The node that the menu belongs to. */
  anchor: HTMLElement;
  /** The chosen `provider/model`; empty if there is none. */
  value: string;
  /** The models used last, newest first. */
  recent: readonly string[];
  /** A model's context window in tokens; null if it is unknown. */
  windowOf: (id: string) => number | null;
  /** What the search starts with. */
  search: string;
  onChoose: (id: string) => void;
  onManage: () => void;
  onLocalModels: () => void;
  onClose: () => void;
  trans: TranslationBundle;
}

/**
 * The open list of models: a search field, the recent models, those of each provider, and the ways
 * to get more.
 */
export function ModelMenu(props: IModelMenuProps): JSX.Element {
  const { api, catalog, value, recent, trans, onChoose } = props;
  const id = useId();
  const [search, setSearch] = useState(props.search);
  const found = useMemo(
    () => menuModels(catalog.list, value, recent, search),
    [catalog.list, value, recent, search]
  );
  const { groups, ids, more } = found;
  // The models may change under the menu, so the active one is known by its name.
  const [wanted, setWanted] = useState(props.search ? '' : value);
  const active = Math.max(0, ids.indexOf(wanted));
  const box = usePopup(props.anchor, props.onClose);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    noticeLocalModels(api, catalog).catch(error =>
      console.warn('Turnbook: local models were not listed', error)
    );
  }, [api, catalog]);
  useLayoutEffect(() => {
    list.current
      ?.querySelector('[aria-selected="true"]')
      ?.scrollIntoView?.({ block: 'nearest' });
  }, [wanted, search]);

  const height = useRef(0);
  useLayoutEffect(() => {
    height.current = list.current!.clientHeight;
  });
  const keepOptions = () => {
    const { clientHeight } = list.current!;
    if (box.current?.dataset.turnbookPlaced === 'above') {
      // Without room above, the list has become shorter at its top.
      list.current!.scrollTop += height.current - clientHeight;
    }
    height.current = clientHeight;
  };

  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) {
      return;
    }
    const next = ids.length ? moved(active, ids.length, event.key) : null;
    if (next !== null) {
      setWanted(ids[next]);
    } else if (event.key === 'Enter') {
      if (ids.length) {
        onChoose(ids[active]);
      }
    } else {
      return;
    }
    event.preventDefault();
  };

  return (
    <div
      ref={box}
      role="dialog"
      aria-label={trans.__('Choose a model')}
      className="jp-Turnbook-modelMenu"
    >
      <input
        ref={input}
        type="text"
        role="combobox"
        className="jp-Turnbook-modelMenu-search"
        aria-label={trans.__('Search')}
        aria-autocomplete="list"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={ids.length ? `${id}-${active}` : undefined}
        placeholder={trans.__('Search models')}
        autoComplete="off"
        spellCheck={false}
        value={search}
        onChange={event => {
          setSearch(event.target.value);
          setWanted('');
        }}
        onKeyDown={onKeyDown}
      />
      <div
        ref={list}
        className="jp-Turnbook-modelMenu-list"
        id={`${id}-list`}
        role="listbox"
        aria-label={trans.__('Models')}
        // Keep the focus in the search field.
        onMouseDown={event => event.preventDefault()}
        onClick={event => {
          const option = (event.target as Element).closest<HTMLElement>(
            '[role="option"]'
          );
          if (option) {
            onChoose(option.dataset.turnbookModel!);
          }
        }}
      >
        <MenuGroups {...props} id={id} groups={groups} active={ids[active]} />
      </div>
      <div role="status" className="jp-Turnbook-modelMenu-note">
        {ids.length
          ? more
            ? trans._n(
                '%1 more model; search for it.',
                '%1 more models; search for them.',
                more
              )
            : null
          : catalog.list
            ? trans.__('No model matches.')
            : (catalog.failure ?? trans.__('Loading models…'))}
      </div>
      <LoopbackServers {...props} onResize={keepOptions} />
      <MenuButtons {...props} />
    </div>
  );
}

function MenuGroups(
  props: IModelMenuProps & {
    id: string;
    groups: readonly IMenuGroup[];
    active: string;
  }
): JSX.Element {
  const { catalog, id, groups, trans, value } = props;
  let index = 0;
  return (
    <>
      {groups.map((group, n) => (
        <div
          key={group.provider ?? ''}
          role="group"
          aria-labelledby={`${id}-group-${n}`}
        >
          <div
            id={`${id}-group-${n}`}
            role="presentation"
            className="jp-Turnbook-modelMenu-group"
          >
            {group.provider === null
              ? trans.__('Recent')
              : group.provider || trans.__('No provider')}
          </div>
          {group.options.map(option => {
            const price = shortPrice(catalog.find(option.id)?.price ?? null);
            const tokens = props.windowOf(option.id);
            const name = nameIn(group, option);
            return (
              <MenuOption
                key={option.id}
                id={`${id}-${index++}`}
                model={option.id}
                name={
                  option.listed || !catalog.list
                    ? name
                    : trans.__('%1 (not listed)', name)
                }
                size={tokens === null ? '' : shortTokens(tokens)}
                sizeTitle={trans.__(
                  'Context window: %1 tokens',
                  tokens?.toLocaleString('en')
                )}
                price={price ?? ''}
                priceTitle={trans.__(
                  'US dollars per million tokens, input / output'
                )}
                isActive={option.id === props.active}
                isCurrent={option.id === value}
              />
            );
          })}
        </div>
      ))}
    </>
  );
}

/** A model; rendered again only when it changes, since there may be hundreds. */
const MenuOption = React.memo(Option);

function Option(props: {
  id: string;
  model: string;
  name: string;
  size: string;
  sizeTitle: string;
  price: string;
  priceTitle: string;
  isActive: boolean;
  isCurrent: boolean;
}): JSX.Element {
  return (
    <div
      id={props.id}
      role="option"
      className="jp-Turnbook-modelMenu-option"
      data-turnbook-model={props.model}
      aria-selected={props.isActive}
      aria-current={props.isCurrent ? 'true' : undefined}
    >
      <span className="jp-Turnbook-modelMenu-name" title={props.model}>
        {props.name}
      </span>
      {props.price ? (
        <span className="jp-Turnbook-modelMenu-fact" title={props.priceTitle}>
          {props.price}
        </span>
      ) : null}
      {props.size ? (
        <span className="jp-Turnbook-modelMenu-fact" title={props.sizeTitle}>
          {props.size}
        </span>
      ) : null}
    </div>
  );
}

function MenuButtons(props: IModelMenuProps): JSX.Element {
  const { catalog, onManage, onLocalModels, trans } = props;
  const leave = (open: () => void) => () => {
    props.onClose();
    open();
  };
  return (
    <div className="jp-Turnbook-modelMenu-buttons">
      <button
        type="button"
        className="jp-Turnbook-button"
        onClick={leave(onManage)}
      >
        {trans.__('Add or edit providers…')}
      </button>
      <button
        type="button"
        className="jp-Turnbook-button"
        onClick={leave(onLocalModels)}
      >
        {trans.__('Local models…')}
      </button>
      <button
        type="button"
        className="jp-Turnbook-button"
        // Not `disabled`: that would move the focus out of the menu.
        aria-disabled={catalog.isRefreshing}
        onClick={() => {
          if (!catalog.isRefreshing) {
            void catalog.refresh(true);
          }
        }}
      >
        {catalog.isRefreshing
          ? trans.__('Refreshing models…')
          : trans.__('Refresh models')}
      </button>
    </div>
  );
}
