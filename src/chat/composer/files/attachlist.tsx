import type { TranslationBundle } from '@jupyterlab/translation';
import { closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { kindOf, type IAttachment } from '../../../document/attachments';
import { Bitmap } from '../../../ui/bitmap';
import { bytesText } from '../../../ui/bytes';
import { IconButton, TextButton } from '../../../ui/controls';
import { attachmentTitle, referenceIcon } from '../../referencekinds';
import { openAttachment } from '../../referencepreview';

/** Images from this size on can be scaled down. */
const LARGE = 300e3;

interface IProps {
  files: readonly IAttachment[];
  /** The hashes of references whose sources are others now. */
  changed: string;
  /** The tokens of a file, about. */
  tokens: (file: IAttachment) => number;
  /** The size of a file before it was scaled down; null if it was not. */
  sizeBefore: (file: IAttachment) => number | null;
  /** Whether files cannot be removed now. */
  locked: boolean;
  onRemove: (file: IAttachment) => void;
  onScale: (file: IAttachment) => void;
  trans: TranslationBundle;
}

/**
 * What is attached to the message being written.
 *
 * It is drawn again only when the list changes: a key press must not draw images.
 */
export const AttachList = React.memo(
  (props: IProps): JSX.Element => (
    <ul
      className="jp-Turnbook-attachments"
      aria-label={props.trans.__('Attachments')}
    >
      {props.files.map(file => (
        <AttachedFile key={file.sha256} file={file} {...props} />
      ))}
    </ul>
  ),
  (before, after) =>
    before.files === after.files &&
    before.changed === after.changed &&
    before.locked === after.locked
);

/**
 * Backspace in an empty message: focus the last attached file, where another Backspace removes it.
 *
 * Two steps, because what was frozen cannot be had again; and none of them by holding the key, which
 * empties the message.
 */
export function focusLastFile(
  composer: HTMLElement,
  event: React.KeyboardEvent
): void {
  const removes = composer.querySelectorAll<HTMLElement>(
    '.jp-Turnbook-attachment .jp-Turnbook-iconButton'
  );
  if (removes.length && !event.repeat) {
    event.preventDefault();
    removes[removes.length - 1].focus();
  }
}

function AttachedFile(props: IProps & { file: IAttachment }): JSX.Element {
  const { file, locked, tokens, trans } = props;
  const { name, size } = file;
  const count = tokens(file).toLocaleString('en');
  const before = props.sizeBefore(file);
  const isImage = kindOf(file) === 'image';
  const icon = referenceIcon(file.reference?.kind ?? 'file');
  const title = attachmentTitle(file);
  const path = file.reference?.path ?? '';
  const changed = props.changed.split(' ').includes(file.sha256)
    ? trans.__('changed since')
    : '';
  const amount =
    before === null
      ? trans.__('%1 · ~%2 tokens', bytesText(size), count)
      : trans.__(
          '%1 (was %2) · ~%3 tokens',
          bytesText(size),
          bytesText(before),
          count
        );
  return (
    <li
      className="jp-Turnbook-attachment"
      aria-label={[title, amount, changed].filter(Boolean).join(', ')}
      title={path && !name.startsWith(path) ? `${title} (${path})` : title}
      onKeyDown={event => {
        if (event.key === 'Delete' || event.key === 'Backspace') {
          event.preventDefault();
          if (!locked && !event.repeat) {
            props.onRemove(file);
          }
        }
      }}
    >
      {isImage ? (
        <button
          type="button"
          className="jp-Turnbook-attachment-open"
          aria-label={trans.__('Enlarge %1', name)}
          onClick={event => openAttachment(event.currentTarget, file)}
        >
          <Bitmap type={file.type} data={file.data} />
        </button>
      ) : (
        <button
          type="button"
          className="jp-Turnbook-attachment-open"
          aria-label={trans.__('Show what is sent of %1', name)}
          title={trans.__('Show what is sent of %1', name)}
          onClick={event => openAttachment(event.currentTarget, file)}
        >
          <icon.react tag="span" width="20px" height="20px" />
        </button>
      )}
      <span className="jp-Turnbook-attachment-about">
        <span className="jp-Turnbook-attachment-name">{name}</span>
        <span className="jp-Turnbook-attachment-size">{amount}</span>
      </span>
      {changed && (
        <span className="jp-Turnbook-chip jp-mod-warning">{changed}</span>
      )}
      {isImage && size >= LARGE && file.type !== 'image/gif' && (
        <TextButton
          link
          disabled={locked}
          label={trans.__('Scale down')}
          title={trans.__(
            'Make this image smaller before it is sent: %1',
            name
          )}
          onClick={() => props.onScale(file)}
        />
      )}
      <IconButton
        icon={closeIcon}
        label={trans.__('Remove %1', name)}
        disabled={locked}
        onClick={() => props.onRemove(file)}
      />
    </li>
  );
}
