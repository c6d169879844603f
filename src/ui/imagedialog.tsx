import * as React from 'react';

import { trans } from '../base/words';
import { BodyDialog } from './bodydialog';

/** Show an image as large as the window allows. */
export async function showImage(url: string, name: string): Promise<void> {
  const dialog = new BodyDialog({
    title: name || trans.__('Image'),
    className: 'jp-Turnbook-imageDialog',
    body: <img src={url} alt={name || trans.__('Image')} />,
    trans
  });
  await dialog.launch();
}
