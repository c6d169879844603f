import { isObject } from '../base/json';
import { isAttachmentType, type IAttachment } from './attachments';
import { isReference } from './references';

/** Whether something that another extension made is an attachment: then it is drawn, stored and sent. */
export function isAttachable(value: unknown): value is IAttachment {
  return attachableFault(value) === null;
}

/** Which part of it keeps something from being an attachment; null if it is one. */
export function attachableFault(value: unknown): string | null {
  if (!isObject(value)) {
    return 'attachment';
  }
  const { type, name, data, sha256, size, reference } = value;
  const isGood = {
    type: isAttachmentType(type),
    name: typeof name === 'string',
    data: typeof data === 'string',
    sha256: typeof sha256 === 'string',
    size: typeof size === 'number',
    reference: reference === undefined || isReference(reference)
  };
  return Object.entries(isGood).find(([, good]) => !good)?.[0] ?? null;
}
