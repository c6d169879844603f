import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { BodyDialog } from '../ui/bodydialog';
import { PYTHON_SECONDS, PYTHON_SOURCE } from './askpython';

/** Show the code that asks Python kernels; resolves when the dialog is closed. */
export async function showAskingCode(trans: TranslationBundle): Promise<void> {
  const dialog = new BodyDialog({
    title: trans.__('The code that asks Python kernels'),
    body: (
      <>
        <p>
          {trans.__(
            'A kernel evaluates this silently when you refer to a variable, and only while it is idle. It stores no names. A variable is described in a copy of the process, which is ended after %1 s. Kernels of other languages are asked to inspect the name.',
            PYTHON_SECONDS
          )}
        </p>
        <pre
          className="jp-Turnbook-askingCode-text"
          tabIndex={0}
          aria-label={trans.__('Code')}
        >
          {PYTHON_SOURCE}
        </pre>
      </>
    ),
    className: 'jp-Turnbook-askingCode',
    trans
  });
  await dialog.launch();
}
