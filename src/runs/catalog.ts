import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import type { TurnbookAPI } from './api';
import type {
  ILocal,
  IModelInfo,
  IModelList,
  ReasoningRule
} from '../base/run';
import { isLocal, isUnderWay, isUsable } from './localstate';
import { LocalWatch } from './localwatch';
import { errorMessage } from '../base/errors';

/** The available models, and the state of the embedded one. */
export class ModelCatalog implements IDisposable {
  constructor(options: ModelCatalog.IOptions) {
    this._api = options.api;
    this._watch = new LocalWatch({
      ask: () => this._api.getLocal(),
      current: () => this._local,
      tell: local => this.setLocal(local),
      fail: message => this._setLocalFailure(message)
    });
  }

  /** Emitted when models, errors or the embedded model's state change. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The latest list from the server; null before the first one. */
  get list(): IModelList | null {
    return this._list;
  }

  /** The embedded model's state; null before the first response. */
  get local(): ILocal | null {
    return this._local;
  }

  /** Why the last request failed, as a text for the user. */
  get failure(): string | null {
    return this._failure;
  }

  /** Why the embedded model's state is uncertain, as a text for the user. */
  get localFailure(): string | null {
    return this._localFailure;
  }

  /** Whether models are being requested. */
  get isRefreshing(): boolean {
    return this._refreshing > 0;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The model with this `provider/model` name. */
  find(id: string): IModelInfo | undefined {
    return this._list?.models.find(model => model.id === id);
  }

  /** Of which turns the reasoning is sent to a provider. */
  reasoning(provider: string): ReasoningRule {
    return this._list?.reasoning?.[provider] ?? 'rounds';
  }

  /** The embedded model as `provider/model`; null while unknown. */
  get localModel(): string | null {
    const listed = this._list?.models.find(({ id }) => isLocal(id));
    return listed?.id ?? (this._local ? `local/${this._local.model}` : null);
  }

  /**
   * Wait until the models, or the reason why they cannot be listed, are known; request them if
   * necessary.
   */
  async known(): Promise<void> {
    while (this._list === null && this._failure === null && !this._isDisposed) {
      if (!this._asking) {
        void this.refresh();
      }
      await this._asking;
    }
  }

  /** Request the list again; with `force`, the server asks the providers again too. */
  async refresh(force = false): Promise<void> {
    if (this._isDisposed) {
      return;
    }
    this._refreshing++;
    this._emit();
    this._asking = this._askModels(force);
    await Promise.all([this._asking, this._askLocal()]);
    this._refreshing--;
    this._emit();
  }

  /** Set a newer state of the embedded model. */
  setLocal(local: ILocal): void {
    const arrived = isUnderWay(this._local) && isUsable(local);
    this._local = local;
    this._localVersion++;
    this._localFailure = null;
    this._emit();
    this._watch.wake();
    if (arrived) {
      void this.refresh(true);
    }
  }

  /**
   * Keep the embedded model's state fresh while it is being downloaded or started, until the result
   * is disposed.
   */
  watchLocal(): IDisposable {
    return this._watch.watch();
  }

  dispose(): void {
    this._isDisposed = true;
    this._watch.dispose();
    Signal.clearData(this);
  }

  private async _askModels(force: boolean): Promise<void> {
    // Two requests may overlap; the later one counts.
    const question = ++this._questions;
    try {
      const list = await this._api.listModels(force);
      if (question === this._questions) {
        this._list = list;
        this._failure = null;
      }
    } catch (error) {
      if (question === this._questions) {
        this._failure = trans.__(
          'The models could not be listed: %1',
          errorMessage(error)
        );
      }
    }
  }

  private async _askLocal(): Promise<void> {
    const version = this._localVersion;
    try {
      const local = await this._api.getLocal();
      if (version === this._localVersion) {
        this.setLocal(local);
      }
    } catch (error) {
      this._setLocalFailure(errorMessage(error));
    }
  }

  private _setLocalFailure(message: string): void {
    this._localFailure = message;
    this._emit();
  }

  private _emit(): void {
    if (!this._isDisposed) {
      this._changed.emit();
    }
  }

  private _api: TurnbookAPI;
  /** The latest request for models. */
  private _asking: Promise<void> | null = null;
  private _changed = new Signal<this, void>(this);
  private _failure: string | null = null;
  private _isDisposed = false;
  private _list: IModelList | null = null;
  private _local: ILocal | null = null;
  private _localFailure: string | null = null;
  private _localVersion = 0;
  private _questions = 0;
  private _refreshing = 0;
  private _watch: LocalWatch;
}

/**
 * The namespace for `ModelCatalog` statics.
 */
export namespace ModelCatalog {
  export interface IOptions {
    api: TurnbookAPI;
  }
}
