import {
  type ITranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import React from 'react';

import { BodyDialog } from '../ui/bodydialog';
import type { TurnbookAPI } from '../runs/api';
import type { ModelCatalog } from '../runs/catalog';
import { wordsIn } from '../ui/translation';
import { ProvidersView } from './providersview';

/**
 * Show the dialog in which providers are listed, added, tested and deleted; resolves when it is
 * closed.
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
 * The dialog of all providers.
 */
export class ProvidersDialog extends BodyDialog {
  constructor(options: ProvidersDialog.IOptions) {
    super({
      title: options.trans.__('Models and providers'),
      body: <ProvidersView {...options} />,
      className: 'jp-Turnbook-providers',
      focus: '.jp-Turnbook-providerForm select',
      trans: options.trans
    });
    this.addClass('jp-Turnbook-providersDialog');
  }
}

/**
 * The namespace for `ProvidersDialog` statics.
 */
export namespace ProvidersDialog {
  export interface IOptions {
    api: TurnbookAPI;
    catalog: ModelCatalog;
    trans: TranslationBundle;
  }
}
