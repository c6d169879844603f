import type { IOutput } from '@jupyterlab/nbformat';
import { Widget } from '@lumino/widgets';

import { trans } from '../../base/words';
import {
  isAttachment,
  kindOf,
  readAttachments,
  type IStoredAttachment
} from '../../document/attachments';
import { showBitmap } from '../../ui/bitmap';
import { bytesText } from '../../ui/bytes';
import { button, element } from '../../ui/dom';
import { showImage } from '../../ui/imagedialog';
import { attachmentTitle, referenceIcon } from '../referencekinds';
import { openAttachment } from '../referencepreview';
import { EyeButton } from './eyebutton';

const CLASS = 'jp-Turnbook-attached';

/** What is known of attachments besides what the outputs say. */
export interface IAttachedState {
  /** Why it cannot be changed now whether one is sent; empty if it can. */
  obstacle: string;
  /** The hashes of references whose sources are others now. */
  changed: string;
}

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
   * @param state - What else is known of them.
   */
  show(outputs: readonly IOutput[], state: IAttachedState): void {
    const files = outputs.flatMap((output, place) =>
      isAttachment(output)
        ? [{ place, file: readAttachments([output])[0] }]
        : []
    );
    if (files.length && !this._view) {
      this._view = new AttachmentsView(this._onEye);
      this._insert(this._view);
    }
    this._view?.display(files, state);
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
  display(
    files: readonly IPlacedFile[],
    { obstacle, changed }: IAttachedState
  ): void {
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
    const others = changed.split(' ');
    files.forEach(({ file }, index) => {
      const { name, isThere, isSent, sha256 } = file;
      const { item, eye, chip } = this._items[index];
      item.classList.toggle('jp-mod-unsent', isThere && !isSent);
      const title = isThere ? attachmentTitle(file) : name;
      item.title = isSent ? title : trans.__('%1 is not sent', title);
      if (isThere) {
        item.setAttribute('aria-label', item.title);
      } else {
        item.textContent = missingWords(name, isSent);
      }
      eye?.update({ isSent, obstacle });
      if (chip && eye && isSent && others.includes(sha256)) {
        eye.node.before(chip);
      } else {
        chip?.remove();
      }
    });
  }

  private _item({ place, file }: IPlacedFile): IItem {
    const { name, size, isThere } = file;
    const item = element('li', `${CLASS}-file`);
    if (!isThere) {
      item.classList.add('jp-mod-missing');
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
    // An image has its thumbnail, and its source besides if that is known.
    const isOpened = kindOf(file) !== 'image' || file.reference !== undefined;
    const chip = element(
      'span',
      `${CLASS}-changed jp-Turnbook-chip jp-mod-warning`,
      trans.__('changed since')
    );
    item.append(
      isOpened ? this._opener(file) : element('span', `${CLASS}-name`, called),
      element('span', `${CLASS}-size`, bytesText(size)),
      eye.node
    );
    return { item, eye, chip };
  }

  /** The name of a file, which opens what is sent of it. */
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

  private _thumbnail(file: IStoredAttachment): HTMLElement {
    const { name } = file;
    const image = element('img', `${CLASS}-image`);
    image.alt = name || trans.__('Image');
    image.decoding = 'async';
    image.loading = 'lazy';
    const open = button(
      '',
      `${CLASS}-open`,
      () => void showImage(file, name),
      trans.__('Enlarge %1', name || trans.__('Image'))
    );
    open.setAttribute('aria-label', open.title);
    // Notebook shortcuts would otherwise capture Enter and Space.
    open.setAttribute('data-lm-suppress-shortcuts', 'true');
    showBitmap(image, file, () => {
      open.replaceWith(
        element(
          'span',
          `${CLASS}-damaged`,
          trans.__('This image is damaged and cannot be shown.')
        )
      );
    });
    open.append(image);
    return open;
  }

  private _items: IItem[] = [];
  private _key = '[]';
}

function missingWords(name: string, isSent: boolean): string {
  const called = name || trans.__('an attachment');
  return isSent
    ? trans.__(
        'The content of %1 is missing in this file. Attach it again; nothing is sent without it unless you agree.',
        called
      )
    : trans.__(
        'The content of %1 is missing in this file, and messages are sent without it.',
        called
      );
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
  /** Says that the source of a reference is another now. */
  chip?: HTMLElement;
}
