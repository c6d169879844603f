import {
  MainAreaWidget,
  Notification,
  ReactWidget
} from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal, type ISignal } from '@lumino/signaling';
import * as React from 'react';

import { errorMessage } from '../base/errors';
import { downloadText } from '../ui/download';
import { ErrorBoundary } from '../ui/errorboundary';
import { compareIcon } from '../ui/icons';
import { Words } from '../ui/language';
import { comparisonHTML, comparisonMarkdown, titleOf } from './exporting';
import type { IItem } from './items';
import type { Loaded } from './load';
import type { Unit } from './marking';
import { CompareView } from './view';

/** Shows a comparison. */
export class CompareContent extends ReactWidget {
  constructor(private _options: CompareContent.IOptions) {
    super();
    this.addClass('jp-Turnbook-compare');
    this._items = _options.items;
    void this.refresh();
  }

  /** What is compared. */
  get items(): readonly IItem[] {
    return this._items;
  }

  /** Emitted when something else is compared. */
  get itemsChanged(): ISignal<this, void> {
    return this._itemsChanged;
  }

  /** Emitted when the user wants to leave. */
  get closeRequested(): ISignal<this, void> {
    return this._closeRequested;
  }

  /** Read everything again. */
  async refresh(): Promise<void> {
    const reading = ++this._readings;
    const loaded = await this._options.load(this._items);
    if (this.isDisposed || reading !== this._readings) {
      return;
    }
    this._loaded = loaded;
    const { trans } = this._options;
    this.title.caption = titleOf({ sides: this._sides, trans });
    this.update();
  }

  protected override render(): JSX.Element {
    const { trans } = this._options;
    return (
      <Words.Provider value={trans}>
        <ErrorBoundary
          words={trans.__('The comparison cannot be shown:')}
          again={trans.__('Try again')}
        >
          <CompareView loaded={this._loaded} actions={this._actions} />
        </ErrorBoundary>
      </Words.Provider>
    );
  }

  private get _sides() {
    return (this._loaded ?? []).flatMap(one =>
      'side' in one ? [one.side] : []
    );
  }

  private _choose(side: number, version: IItem): void {
    this._items = this._items.map((item, place) =>
      place === side ? version : item
    );
    this._itemsChanged.emit();
    void this.refresh();
  }

  private async _save(
    format: 'md' | 'html',
    base: number,
    unit: Unit
  ): Promise<void> {
    const { trans } = this._options;
    const write = format === 'md' ? comparisonMarkdown : comparisonHTML;
    try {
      const exported = { sides: this._sides, base, unit, trans };
      const text = await write(
        exported,
        () => new Promise(resolve => setTimeout(resolve))
      );
      downloadText(text, `comparison.${format}`);
    } catch (error) {
      Notification.error(
        trans.__('The comparison was not exported: %1', errorMessage(error)),
        { autoClose: false }
      );
    }
  }

  private _actions = {
    choose: (side: number, version: IItem) => this._choose(side, version),
    refresh: () => void this.refresh(),
    close: () => this._closeRequested.emit(),
    save: (format: 'md' | 'html', base: number, unit: Unit) =>
      void this._save(format, base, unit)
  };
  private _closeRequested = new Signal<this, void>(this);
  private _items: readonly IItem[];
  private _itemsChanged = new Signal<this, void>(this);
  private _loaded: readonly Loaded[] | null = null;
  /** How many times they were read; only the last one counts. */
  private _readings = 0;
}

/** The namespace for `CompareContent` statics. */
export namespace CompareContent {
  export interface IOptions {
    items: readonly IItem[];
    /** Loads the sides; what cannot be read is in its result. */
    load: (items: readonly IItem[]) => Promise<Loaded[]>;
    trans: TranslationBundle;
  }
}

/** A tab with a comparison. */
export class CompareWidget extends MainAreaWidget<CompareContent> {
  constructor(options: CompareContent.IOptions) {
    super({ content: new CompareContent(options) });
    this.id = `turnbook-compare-${++made}`;
    this.title.label = options.trans.__('Comparison');
    this.title.icon = compareIcon;
    this.title.closable = true;
    this.toolbar.hide();
  }
}

let made = 0;
