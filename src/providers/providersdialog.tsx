import { Dialog } from '@jupyterlab/apputils';
import {
  type ITranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import React from 'react';

import type { TurnbookAPI } from '../runs/api';
import type { ModelCatalog } from './catalog';
import { wordsIn } from './language';
import { ProvidersView } from './providersview';

const TABBABLE =
  'button:not([disabled]), input:not([disabled]), select:not([disabled])';

/**
 * Show the dialog in which providers are listed, added, tested and removed; resolves when it is closed.
 */
export async function showProviders(
  api: TurnbookAPI,
  catalog: ModelCatalog,
  translator?: ITranslator
): Promise<void> {
  const trans = wordsIn({ translator });
  await new ProvidersDialog({ api, catalog, trans }).launch();
}

/**
 * A dialog that leaves the keys of its body to its body.
 *
 * JupyterLab's own takes Enter as "accept" and the arrows as "next button" wherever the focus is.
 */
export class ProvidersDialog extends Dialog<void> {
  constructor(options: ProvidersDialog.IOptions) {
    const title = options.trans.__('Models and providers');
    const body = ReactWidget.create(<ProvidersView {...options} />);
    body.addClass('jp-Turnbook-Providers');
    super({
      title,
      body,
      buttons: [Dialog.cancelButton({ label: options.trans.__('Close') })],
      focusNodeSelector: '.jp-Turnbook-ProviderForm select'
    });
    this._view = body;
    this.addClass('jp-Turnbook-ProvidersDialog');
    this.node.setAttribute('aria-label', title);
  }

  protected override _evtKeydown(event: KeyboardEvent): void {
    if (event.key === 'Tab') {
      this._wrap(event);
    } else if (
      event.key === 'Escape' ||
      !this._view.node.contains(event.target as Node)
    ) {
      super._evtKeydown(event);
    }
  }

  // The body changes after the dialog is attached, so the ends are looked up each time.
  private _wrap(event: KeyboardEvent): void {
    const nodes = this.node.querySelectorAll<HTMLElement>(TABBABLE);
    const first = nodes[0];
    const last = nodes[nodes.length - 1];
    const [from, to] = event.shiftKey ? [first, last] : [last, first];
    if (document.activeElement === from) {
      event.preventDefault();
      event.stopPropagation();
      to.focus();
    }
  }

  private _view: ReactWidget;
}

/**
 * The namespace for `ProvidersDialog` statics.
 */
export namespace ProvidersDialog {
  /** What the dialog needs. */
  export interface IOptions {
    api: TurnbookAPI;
    catalog: ModelCatalog;
    trans: TranslationBundle;
  }
}
