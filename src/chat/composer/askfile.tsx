import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { safeName } from '../../ui/safename';
import type { FileAnswer, IFileAsk } from '../../session/fileask';

/** How many options are named. */
const MAX_OPTIONS = 8;

/**
 * Ask the user about what a file from elsewhere requests.
 *
 * Enter, which may have been meant for the composer, cancels.
 */
export async function askAboutFile(
  asks: IFileAsk,
  local: string | null,
  trans: TranslationBundle
): Promise<FileAnswer> {
  const { button } = await showDialog({
    title: trans.__('This file was not made in this browser'),
    body: (
      <div className="jp-Turnbook-fileAsk">
        <p>{askWords(asks, trans)}</p>
        {local !== null && (
          <p className="jp-Turnbook-fileAsk-more">
            {trans.__(
              'Keep local switches the chat to %1. Nothing is sent until you send again.',
              safeName(local)
            )}
          </p>
        )}
      </div>
    ),
    buttons: [
      Dialog.cancelButton(),
      ...(local === null
        ? []
        : [
            Dialog.createButton({
              label: trans.__('Keep local'),
              actions: ['local'],
              displayType: 'default'
            })
          ]),
      Dialog.okButton({
        label:
          asks.choosesModel && asks.models.length === 1
            ? trans.__('Use it')
            : trans.__('Use them'),
        actions: ['use']
      })
    ],
    defaultButton: 0
  });
  return button.actions.includes('use')
    ? 'use'
    : button.actions.includes('local')
      ? 'local'
      : null;
}

/** What a file requests, as a text for the user. */
export function askWords(asks: IFileAsk, trans: TranslationBundle): string {
  // All of them: what is not named is not agreed to.
  const models = asks.models.map(safeName).join(', ');
  const { length } = asks.options;
  if (!length) {
    return trans.__('This chat asks to use %1.', models);
  }
  const shown = asks.options.slice(0, MAX_OPTIONS).map(safeName).join(', ');
  const names =
    length > MAX_OPTIONS
      ? trans.__('%1 and %2 more', shown, length - MAX_OPTIONS)
      : shown;
  return asks.choosesModel
    ? trans.__(
        'This chat asks to use %1, and to send with it: %2.',
        models,
        names
      )
    : trans.__('This chat asks to send to %1: %2.', models, names);
}
