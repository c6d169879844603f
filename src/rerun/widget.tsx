import { MainAreaWidget, ReactWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';
import type { Message } from '@lumino/messaging';
import * as React from 'react';

import { ErrorBoundary } from '../ui/errorboundary';
import { rerunIcon } from '../ui/icons';
import { Words } from '../ui/language';
import type { RerunList } from './list';
import { RerunsView, type IRerunActions } from './view';

/** Shows all reruns. */
class RerunsContent extends ReactWidget {
  constructor(private _options: RerunsWidget.IOptions) {
    super();
    this.addClass('jp-Turnbook-reruns');
  }

  protected override render(): JSX.Element {
    const { list, actions, trans } = this._options;
    return (
      <Words.Provider value={trans}>
        <ErrorBoundary
          words={trans.__('The reruns cannot be shown:')}
          again={trans.__('Try again')}
        >
          <RerunsView list={list} actions={actions} />
        </ErrorBoundary>
      </Words.Provider>
    );
  }

  protected override onAfterShow(msg: Message): void {
    super.onAfterShow(msg);
    this._watching ??= this._options.list.watch();
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    if (this.isVisible) {
      this._watching ??= this._options.list.watch();
    }
  }

  protected override onBeforeHide(msg: Message): void {
    super.onBeforeHide(msg);
    this._leave();
  }

  protected override onBeforeDetach(msg: Message): void {
    super.onBeforeDetach(msg);
    this._leave();
  }

  private _leave(): void {
    this._watching?.dispose();
    this._watching = null;
  }

  private _watching: IDisposable | null = null;
}

/** The tab with all reruns. */
export class RerunsWidget extends MainAreaWidget {
  constructor(options: RerunsWidget.IOptions) {
    super({ content: new RerunsContent(options) });
    this.id = 'turnbook-reruns';
    this.title.label = options.trans.__('Reruns');
    this.title.icon = rerunIcon;
    this.title.closable = true;
    this.toolbar.hide();
    this.node.tabIndex = -1;
  }
}

/** The namespace for `RerunsWidget` statics. */
export namespace RerunsWidget {
  export interface IOptions {
    list: RerunList;
    actions: IRerunActions;
    trans: TranslationBundle;
  }
}
