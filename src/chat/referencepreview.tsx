import * as React from 'react';

import { trans } from '../base/words';
import { contentHash, kindOf, type IAttachment } from '../document/attachments';
import { BodyDialog } from '../ui/bodydialog';
import { bytesText } from '../ui/bytes';
import { showImage } from '../ui/imagedialog';

/** Asks whoever knows the sources of references to show one; otherwise it is shown without. */
export const OPEN_EVENT = 'turnbook:open-attachment';

/** Show exactly what is sent of an attachment of a pair, or of the message being written. */
export function openAttachment(node: Node, file: IAttachment): void {
  const event = new CustomEvent<IAttachment>(OPEN_EVENT, {
    bubbles: true,
    cancelable: true,
    detail: file
  });
  if (node.dispatchEvent(event)) {
    void showAttachment(file);
  }
}

/** Show exactly what is sent of an attachment. */
export async function showAttachment(
  file: IAttachment,
  more: React.ReactNode = null
): Promise<void> {
  const { name, data, type } = file;
  if (kindOf(file) === 'image' && more === null) {
    return showImage({ type, data }, name);
  }
  const dialog = new BodyDialog({
    title: name,
    className: 'jp-Turnbook-preview',
    body: (
      <>
        <Sent file={file} />
        {more}
      </>
    ),
    trans
  });
  await dialog.launch();
}

/** What is sent, and from where it is. */
function Sent({ file }: { file: IAttachment }): JSX.Element {
  const { name, data, reference, sha256, size, type } = file;
  const kind = kindOf(file);
  const hash = React.useMemo(() => contentHash(file), [file]);
  return (
    <>
      <p>
        {trans.__('This is sent, byte for byte.')}{' '}
        {reference?.at
          ? trans.__(
              'Frozen on %1 from %2.',
              new Date(reference.at).toLocaleString(),
              reference.path || name
            )
          : ''}
      </p>
      {kind === 'text' ? (
        <pre
          className="jp-Turnbook-preview-text"
          // The keyboard scrolls it.
          tabIndex={0}
          aria-label={trans.__('What is sent')}
        >
          {data}
        </pre>
      ) : kind === 'image' ? (
        <img
          className="jp-Turnbook-preview-image"
          src={`data:${type};base64,${data}`}
          alt={name}
        />
      ) : (
        <>
          <p>{`${name} · ${type} · ${bytesText(size)}`}</p>
          <p>{trans.__('A file of this type is not shown here.')}</p>
        </>
      )}
      <p className="jp-Turnbook-preview-hash">{`SHA-256: ${hash}`}</p>
      {hash !== sha256 && (
        <p className="jp-Turnbook-problem" role="alert">
          {trans.__(
            'It was edited in the chat’s file since it was attached. Its SHA-256 was %1.',
            sha256 || trans.__('not recorded')
          )}
        </p>
      )}
    </>
  );
}
