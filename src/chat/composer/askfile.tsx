import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { FileAnswer, IFileAsk } from '../../session/fileask';

/** How much of a file's text is shown. */
const MAX_NAME = 60;
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
              named(local)
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
        label: asks.choosesModel ? trans.__('Use it') : trans.__('Use them'),
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
  const model = named(asks.model);
  const { length } = asks.options;
  if (!length) {
    return trans.__('This chat asks to use %1.', model);
  }
  const shown = asks.options.slice(0, MAX_OPTIONS).map(named).join(', ');
  const names =
    length > MAX_OPTIONS
      ? trans.__('%1 and %2 more', shown, length - MAX_OPTIONS)
      : shown;
  return asks.choosesModel
    ? trans.__(
        'This chat asks to use %1, and to send with it: %2.',
        model,
        names
      )
    : trans.__('This chat asks to send to %1: %2.', model, names);
}

/**
 * Make a name from a file safe to show: it can neither change the text direction nor fill the
 * screen.
 */
function named(name: string): string {
  const plain = name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
  const signs = [...plain];
  const cut =
    signs.length > MAX_NAME ? `${signs.slice(0, MAX_NAME).join('')}…` : plain;
  return `\u2068${cut}\u2069`;
}
