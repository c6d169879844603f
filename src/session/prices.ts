import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { IModelList, IPrice } from '../base/run';
import type { ModelCatalog } from '../runs/catalog';
import type { ChatSettings, IChatSettings } from './settings';

/** Finds the price of a model; null if it is unknown. */
export type PriceOf = (model: string) => IPrice | null;

/** The prices of models: from the user's settings, else from the list of models. */
export class Prices implements IDisposable {
  constructor(private _options: Prices.IOptions) {
    const { catalog, settings } = _options;
    catalog.changed.connect(this._onChanged, this);
    settings.changed.connect(this._onChanged, this);
    this._onChanged();
  }

  /** Emitted when prices may be others. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Finds the price of a model; another function when prices may be others. */
  get of(): PriceOf {
    return this._of;
  }

  dispose(): void {
    this._isDisposed = true;
    const { catalog, settings } = this._options;
    catalog.changed.disconnect(this._onChanged, this);
    settings.changed.disconnect(this._onChanged, this);
    Signal.clearData(this);
  }

  private _onChanged(): void {
    const { catalog, settings } = this._options;
    const { list } = catalog;
    const { prices } = settings.current;
    if (list !== this._list || prices !== this._set) {
      this._list = list;
      this._set = prices;
      const listed = new Map(list?.models.map(({ id, price }) => [id, price]));
      this._of = model =>
        Object.hasOwn(prices, model)
          ? prices[model]
          : (listed.get(model) ?? null);
      this._changed.emit();
    }
  }

  private _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _list: IModelList | null = null;
  private _of: PriceOf = () => null;
  private _set: IChatSettings['prices'] | null = null;
}

/** The namespace for `Prices` statics. */
export namespace Prices {
  export interface IOptions {
    catalog: Pick<ModelCatalog, 'changed' | 'list'>;
    settings: Pick<ChatSettings, 'changed' | 'current'>;
  }
}
