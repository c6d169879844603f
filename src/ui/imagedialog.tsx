import * as React from 'react';

import { trans } from '../base/words';
import { Bitmap, type IBitmap } from './bitmap';
import { BodyDialog } from './bodydialog';

/** Show an image as large as the window allows. */
export async function showImage(
  { type, data }: IBitmap,
  name: string
): Promise<void> {
  const dialog = new BodyDialog({
    title: name || trans.__('Image'),
    className: 'jp-Turnbook-imageDialog',
    body: <Bitmap type={type} data={data} alt={name || trans.__('Image')} />,
    trans
  });
  await dialog.launch();
}
