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
 *
 * @param choose - Called with a `provider/model` that the user wants to use in the chat, if there is
 *   one.
 */
export async function showProviders(
  api: TurnbookAPI,
  catalog: ModelCatalog,
  translator?: ITranslator,
  choose?: (model: string) => void
): Promise<void> {
  const trans = wordsIn({ translator });
  const onUse = (model: string) => {
    dialog.reject();
    choose?.(model);
  };
  const dialog = new ProvidersDialog({
    api,
    catalog,
    trans,
    ...(choose ? { onUse } : {})
  });
  await dialog.launch();
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
    onUse?: (model: string) => void;
  }
}
