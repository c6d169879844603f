/**
 * What a file from elsewhere requests: a model, and options for its requests.
 *
 * Nothing leaves this computer before the user has agreed.
 */
import { isLocal } from '../runs/localstate';
import { frameDigest, notableNames } from '../request/chatframe';
import type { IAgreement } from './knownfiles';

/** What the user is asked before a request of a file from elsewhere is sent. */
export interface IFileAsk {
  /** Where requests would go, as `provider/model`. */
  readonly model: string;
  /** Whether the file, and not the user, chose that model. */
  readonly choosesModel: boolean;
  /** The names of the file's options that the user has not agreed to. */
  readonly options: readonly string[];
  /** What the user agrees to with *Use it*. */
  readonly terms: IAgreement;
}

/** The user's answer: use what the file requests, use the embedded model instead, or neither. */
export type FileAnswer = 'use' | 'local' | null;

/**
 * What remains to be asked; null if nothing.
 *
 * @param entry - The notebook's `turnbook` metadata, which is untrusted.
 * @param model - The current model.
 * @param isFiles - Whether the file names that model.
 */
export function fileAsk(
  entry: unknown,
  model: string,
  isFiles: boolean,
  agreed: IAgreement
): IFileAsk | null {
  if (!model || isLocal(model)) {
    return null;
  }
  const choosesModel = isFiles && !agreed.models.includes(model);
  const names = notableNames(entry);
  const digest = names.length ? frameDigest(entry) : null;
  const isNew = digest !== null && !agreed.options.includes(digest);
  return choosesModel || isNew
    ? {
        model,
        choosesModel,
        options: isNew ? names : [],
        terms: { models: [model], options: digest === null ? [] : [digest] }
      }
    : null;
}
