/** How the kinds of references look. */
import {
  codeIcon,
  fileIcon,
  inspectorIcon,
  tableRowsIcon,
  textEditorIcon,
  type LabIcon
} from '@jupyterlab/ui-components';

import { trans } from '../base/words';
import { kindOf, type IAttachment } from '../document/attachments';
import type { ReferenceKind } from '../document/references';
import { chatIcon } from '../ui/icons';

const ICONS: Readonly<Record<ReferenceKind, LabIcon>> = {
  cell: codeIcon,
  output: tableRowsIcon,
  variable: inspectorIcon,
  file: fileIcon,
  selection: textEditorIcon,
  pair: chatIcon
};

/** The icon of a kind; other extensions may know more kinds. */
export function referenceIcon(kind: ReferenceKind): LabIcon {
  return Object.hasOwn(ICONS, kind) ? ICONS[kind] : fileIcon;
}

/** What an attachment is called by its kind and its name. */
export function attachmentTitle(file: IAttachment): string {
  return `${attachmentKind(file)}: ${file.name || trans.__('Image')}`;
}

function attachmentKind(file: IAttachment): string {
  if (file.reference) {
    return kindName(file.reference.kind);
  }
  switch (kindOf(file)) {
    case 'image':
      return trans.__('Image');
    case 'pdf':
      return trans.__('PDF');
    case 'audio':
      return trans.__('Audio');
    case 'text':
      return trans.__('File');
  }
}

/** What a kind is called. */
export function kindName(kind: ReferenceKind): string {
  switch (kind) {
    case 'cell':
      return trans.__('Cell');
    case 'output':
      return trans.__('Output');
    case 'variable':
      return trans.__('Variable');
    case 'file':
      return trans.__('File');
    case 'selection':
      return trans.__('Selection');
    case 'pair':
      return trans.__('Earlier message');
    default:
      return trans.__('Reference');
  }
}
