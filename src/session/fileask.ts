/**
 * What a file from elsewhere asks for: a model, and options that its requests have.
 *
 * Nothing of it leaves this computer before the user has agreed.
 */
import { isLocal } from '../runs/localstate';
import { frameDigest, notableNames } from '../request/chatframe';
import type { IAgreement } from './knownfiles';

/** What the user is asked before a request of a file from elsewhere leaves. */
export interface IFileAsk {
  /** Where requests would go, as `provider/model`. */
  readonly model: string;
  /** Whether the file chose that model, and the user did not. */
  readonly choosesModel: boolean;
  /** The names of the options that the file adds and that the user has not agreed to. */
  readonly options: readonly string[];
  /** What the user agrees to with *Use it*. */
  readonly terms: IAgreement;
}

/** What the user says: use what the file asks for, the embedded model instead, or neither now. */
export type FileAnswer = 'use' | 'local' | null;

/**
 * What is left to ask; null if nothing is.
 *
 * @param entry - The notebook's `turnbook` metadata, which anybody may have written.
 * @param model - The model that requests go to now.
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
