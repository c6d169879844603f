import type { ITranslator } from '@jupyterlab/translation';
import React from 'react';

import type { TurnbookAPI } from '../runs/api';
import type { ModelCatalog } from '../runs/catalog';
import { BodyDialog } from '../ui/bodydialog';
import { wordsIn } from '../ui/translation';
import { LocalModelsView } from './localmodels';

/**
 * Show the dialog in which models are downloaded and removed; resolves when it is closed. Downloads
 * go on without it.
 *
 * @param choose - Called with a `provider/model` that the user wants to use in the chat, if there is
 *   one.
 */
export async function showLocalModels(
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
  const dialog = new BodyDialog({
    title: trans.__('Local models'),
    body: (
      <LocalModelsView
        api={api}
        catalog={catalog}
        trans={trans}
        {...(translator ? { translator } : {})}
        {...(choose ? { onUse } : {})}
      />
    ),
    className: 'jp-Turnbook-localModels',
    trans
  });
  dialog.addClass('jp-Turnbook-providersDialog');
  await dialog.launch();
}
