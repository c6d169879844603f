import type { IOutput } from '@jupyterlab/nbformat';
import { Widget } from '@lumino/widgets';

import { trans } from '../../base/words';
import {
  isAttachment,
  kindOf,
  readAttachments,
  type IStoredAttachment
} from '../../document/attachments';
import { bytesText } from '../../ui/bytes';
import { button, element } from '../../ui/dom';
import { showImage } from '../../ui/imagedialog';
import { EyeButton } from './eyebutton';

const CLASS = 'jp-Turnbook-attached';

/** Shows above a message what was attached to it, which few messages have. */
export class AttachedFiles {
  /**
   * @param _onEye - Called with the index of an output when the user wants it sent, or not.
   */
  constructor(
    private _insert: (view: Widget) => void,
    private _onEye: (place: number) => void
  ) {}

  /**
   * Show the attachments among a pair's outputs.
   *
   * @param obstacle - Why it cannot be changed now whether one is sent; empty if it can.
   */
  show(outputs: readonly IOutput[], obstacle: string): void {
    const files = outputs.flatMap((output, place) =>
      isAttachment(output)
        ? [{ place, file: readAttachments([output])[0] }]
        : []
    );
    if (files.length && !this._view) {
      this._view = new AttachmentsView(this._onEye);
      this._insert(this._view);
    }
    this._view?.display(files, obstacle);
  }

  private _view: AttachmentsView | null = null;
}

/** What was attached to a message: images as thumbnails, other files by their names. */
class AttachmentsView extends Widget {
  constructor(private _onEye: (place: number) => void) {
    super({ node: document.createElement('ul') });
    this.addClass(CLASS);
    this.node.setAttribute('aria-label', trans.__('Attached files'));
  }

  /** Show files; those that are already shown stay. */
  display(files: readonly IPlacedFile[], obstacle: string): void {
    const key = JSON.stringify(
      files.map(({ place, file: { name, sha256, type, isThere } }) => [
        place,
        name,
        sha256,
        type,
        isThere
      ])
    );
    if (key !== this._key) {
      this._key = key;
      this.setHidden(files.length === 0);
      this._items = files.map(one => this._item(one));
      this.node.replaceChildren(...this._items.map(({ item }) => item));
    }
    files.forEach(({ file: { name, isThere, isSent } }, index) => {
      const { item, eye } = this._items[index];
      item.classList.toggle('jp-mod-unsent', isThere && !isSent);
      item.title = isSent ? name : trans.__('%1 is not sent', name);
      eye?.update({ isSent, obstacle });
    });
  }

  private _item({ place, file }: IPlacedFile): IItem {
    const { name, size, isThere } = file;
    const item = element('li', `${CLASS}-file`);
    if (!isThere) {
      item.classList.add('jp-mod-missing');
      item.textContent = trans.__(
        'The content of %1 is missing in this file, so it is not sent. Attach it again.',
        name || trans.__('an attachment')
      );
      return { item };
    }
    if (kindOf(file) === 'image') {
      item.append(this._thumbnail(file));
    }
    const called = name || trans.__('Image');
    const names = {
      keep: trans.__('Do not send %1', called),
      send: trans.__('Send %1', called)
    };
    const eye = new EyeButton(names, () => this._onEye(place));
    item.append(
      element('span', `${CLASS}-name`, called),
      element('span', `${CLASS}-size`, bytesText(size)),
      eye.node
    );
    return { item, eye };
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

  private _items: IItem[] = [];
  private _key = '[]';
}

/** An attachment and the index of its output. */
interface IPlacedFile {
  place: number;
  file: IStoredAttachment;
}

interface IItem {
  item: HTMLElement;
  /** Whether it is sent; absent if it cannot be. */
  eye?: EyeButton;
}
