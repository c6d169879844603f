/**
 * What a file from elsewhere requests: models, and options for its requests.
 *
 * Nothing leaves this computer before the user has agreed.
 */
import { isLocal } from '../runs/localstate';
import { frameDigest, notableNames } from '../request/chatframe';
import type { IAgreement } from './knownfiles';

/** The models that something is sent to, and who named them. */
export interface IAskedModels {
  /** With repeats; none for the one that the request names. */
  readonly models: readonly string[];
  /** Whether the user chose them; else they come from the file. */
  readonly areChosen: boolean;
}

/** A request to the model of the chat. */
export const TO_CHAT_MODEL: IAskedModels = { models: [], areChosen: false };

/** What the user is asked before a request of a file from elsewhere is sent. */
export interface IFileAsk {
  /** The models that the user has not agreed to, as `provider/model`; if none, where options go. */
  readonly models: readonly string[];
  /** Whether the file, and not the user, chose these models. */
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
 * @param asked - The models that are asked instead of it.
 */
export function fileAsk(
  entry: unknown,
  model: string,
  isFiles: boolean,
  agreed: IAgreement,
  asked: IAskedModels = TO_CHAT_MODEL
): IFileAsk | null {
  const targets = [...new Set([model, ...asked.models])].filter(
    id => id && !isLocal(id)
  );
  if (!targets.length) {
    return null;
  }
  const known = new Set([
    ...agreed.models,
    ...(isFiles ? [] : [model]),
    ...(asked.areChosen ? asked.models : [])
  ]);
  const unknown = targets.filter(id => !known.has(id));
  const names = notableNames(entry);
  const digest = names.length ? frameDigest(entry) : null;
  const isNew = digest !== null && !agreed.options.includes(digest);
  return unknown.length || isNew
    ? {
        models: unknown.length ? unknown : targets,
        choosesModel: unknown.length > 0,
        options: isNew ? names : [],
        terms: { models: targets, options: digest === null ? [] : [digest] }
      }
    : null;
}
