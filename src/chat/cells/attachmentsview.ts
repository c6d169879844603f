import type { IOutput } from '@jupyterlab/nbformat';
import { Widget } from '@lumino/widgets';

import { trans } from '../../base/words';
import {
  kindOf,
  readAttachments,
  type IStoredAttachment
} from '../../document/attachments';
import { bytesText } from '../../ui/bytes';
import { button, element } from '../../ui/dom';
import { showImage } from '../../ui/imagedialog';
import { referenceIcon } from '../referencekinds';
import { openAttachment } from '../referencepreview';

const CLASS = 'jp-Turnbook-attached';

/** Shows above a message what was attached to it, which few messages have. */
export class AttachedFiles {
  constructor(private _insert: (view: Widget) => void) {}

  /**
   * Show the attachments among a pair's outputs.
   *
   * @param changed - The hashes of references whose sources are others now.
   */
  show(outputs: readonly IOutput[], changed: string): void {
    const files = readAttachments(outputs);
    if (files.length && !this._view) {
      this._view = new AttachmentsView();
      this._insert(this._view);
    }
    this._view?.display(files, changed);
  }

  private _view: AttachmentsView | null = null;
}

/** What was attached to a message: images as thumbnails, other files by their names. */
class AttachmentsView extends Widget {
  constructor() {
    super({ node: document.createElement('ul') });
    this.addClass(CLASS);
    this.node.setAttribute('aria-label', trans.__('Attached files'));
  }

  /** Show files; those that are already shown stay. */
  display(files: readonly IStoredAttachment[], changed: string): void {
    const isChanged = (hash: string) => changed.split(' ').includes(hash);
    const key = JSON.stringify(
      files.map(({ name, sha256, type, isThere, isSent }) => [
        name,
        sha256,
        type,
        isThere,
        isSent,
        isChanged(sha256)
      ])
    );
    if (key === this._key) {
      return;
    }
    this._key = key;
    this.setHidden(files.length === 0);
    this.node.replaceChildren(
      ...files.map(file => this._item(file, isChanged(file.sha256)))
    );
  }

  private _item(file: IStoredAttachment, isChanged: boolean): HTMLElement {
    const { name, size, isThere, isSent } = file;
    const item = element('li', `${CLASS}-file`);
    item.classList.toggle('jp-mod-unsent', !isSent);
    if (!isThere) {
      item.classList.add('jp-mod-missing');
      item.textContent = trans.__(
        'The content of %1 is missing in this file, so it is not sent. Attach it again.',
        name || trans.__('an attachment')
      );
      return item;
    }
    if (kindOf(file) === 'image') {
      item.append(this._thumbnail(file));
    }
    const isOpened = kindOf(file) === 'text' || file.reference !== undefined;
    item.append(
      isOpened
        ? this._opener(file)
        : element('span', `${CLASS}-name`, name || trans.__('Image')),
      element('span', `${CLASS}-size`, bytesText(size))
    );
    if (isChanged && isSent) {
      item.append(
        element(
          'span',
          `${CLASS}-changed jp-Turnbook-chip jp-mod-warning`,
          trans.__('changed since')
        )
      );
    }
    item.title = isSent ? name : trans.__('%1 is not sent', name);
    return item;
  }

  /** The name of a text, which opens what is sent of it. */
  private _opener(file: IStoredAttachment): HTMLElement {
    const { name, reference, sha256 } = file;
    const open = button(
      '',
      `${CLASS}-name`,
      () => openAttachment(open, file),
      trans.__('Show what is sent of %1', name)
    );
    open.setAttribute('aria-label', open.title);
    // Notebook shortcuts would otherwise capture Enter and Space.
    open.setAttribute('data-lm-suppress-shortcuts', 'true');
    if (reference) {
      open.dataset.turnbookReference = sha256;
    }
    const icon = element('span', `${CLASS}-icon`);
    referenceIcon(reference?.kind ?? 'file').element({
      container: icon,
      width: '14px',
      height: '14px'
    });
    open.append(icon, element('span', '', name || trans.__('Image')));
    return open;
  }

  private _thumbnail({ type, data, name }: IStoredAttachment): HTMLElement {
    const url = `data:${type};base64,${data}`;
    const image = element('img', `${CLASS}-image`);
    image.alt = name || trans.__('Image');
    image.decoding = 'async';
    image.loading = 'lazy';
    const open = button(
      '',
      `${CLASS}-open`,
      () => void showImage(url, name),
      trans.__('Enlarge %1', name || trans.__('Image'))
    );
    open.setAttribute('aria-label', open.title);
    // Notebook shortcuts would otherwise capture Enter and Space.
    open.setAttribute('data-lm-suppress-shortcuts', 'true');
    image.addEventListener('error', () => {
      open.replaceWith(
        element(
          'span',
          `${CLASS}-damaged`,
          trans.__('This image is damaged and cannot be shown.')
        )
      );
    });
    image.src = url;
    open.append(image);
    return open;
  }

  private _key = '[]';
}
