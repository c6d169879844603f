import * as React from 'react';

import { trans } from '../base/words';
import { kindOf, type IAttachment } from '../document/attachments';
import { BodyDialog } from '../ui/bodydialog';
import { showImage } from '../ui/imagedialog';

/** Show exactly what is sent of an attachment. */
export async function showAttachment(file: IAttachment): Promise<void> {
  const { name, data, reference, sha256, type } = file;
  if (kindOf(file) === 'image') {
    return showImage(`data:${type};base64,${data}`, name);
  }
  const dialog = new BodyDialog({
    title: name,
    className: 'jp-Turnbook-preview',
    body: (
      <>
        <p>
          {trans.__('This is sent, word for word.')}{' '}
          {reference?.at
            ? trans.__(
                'Frozen on %1 from %2.',
                new Date(reference.at).toLocaleString(),
                reference.path || name
              )
            : ''}
        </p>
        <pre
          className="jp-Turnbook-preview-text"
          // The keyboard scrolls it.
          tabIndex={0}
          aria-label={trans.__('What is sent')}
        >
          {data}
        </pre>
        <p className="jp-Turnbook-preview-hash">{`SHA-256: ${sha256}`}</p>
      </>
    ),
    trans
  });
  await dialog.launch();
}
