/**
 * The settings of a provider while they are typed, and what is sent of them.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type {
  Continuation,
  IPreset,
  IProvider,
  IProviderInput
} from '../base/run';
import { canonical, nameProblem, urlProblem } from './validate';

/** What the form holds; `stored` is the provider being edited, or null for a new one. */
export interface IDraft {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly stored: IProvider | null;
  /** How a cut reply is resumed, if the user chose that or a test found it out. */
  readonly continuation?: Continuation;
}

/** What is wrong with each field; null where nothing is. */
export interface IProblems {
  readonly name: string | null;
  readonly baseUrl: string | null;
}

/** The draft of a provider that is yet to be added. */
export const NEW_DRAFT: IDraft = {
  name: '',
  baseUrl: '',
  key: '',
  stored: null
};

/** The draft that edits a stored provider; its key is not known here. */
export function draftOf(provider: IProvider): IDraft {
  const { name, baseUrl } = provider;
  return { name, baseUrl, key: '', stored: provider };
}

/** A new provider as a preset proposes it; a key typed before is for another address and goes. */
export function fromPreset(preset: IPreset): IDraft {
  const { name, baseUrl } = preset;
  return { ...NEW_DRAFT, name, baseUrl };
}

/** What has to change before the draft can be tested or saved. */
export function problemsOf(
  draft: IDraft,
  providers: readonly IProvider[],
  trans: TranslationBundle
): IProblems {
  return {
    name: draft.stored
      ? null
      : nameProblem(
          draft.name.trim(),
          providers.map(provider => provider.name),
          trans
        ),
    baseUrl: urlProblem(draft.baseUrl.trim(), trans)
  };
}

/** Whether the server will use the stored key with this draft. */
export function keepsKey(draft: IDraft): boolean {
  return (
    draft.stored?.key === 'set' &&
    !draft.key.trim() &&
    sameAddress(draft.baseUrl, draft.stored.baseUrl)
  );
}

/** Whether saving this draft makes the server forget the stored key without a new one. */
export function forgetsKey(draft: IDraft): boolean {
  return draft.stored?.key === 'set' && !draft.key.trim() && !keepsKey(draft);
}

/**
 * What to send to the server.
 *
 * Settings that the form does not show are sent as they are stored, since a PUT says everything.
 */
export function inputOf(draft: IDraft): IProviderInput {
  const { stored } = draft;
  const key = draft.key.trim();
  const same = stored && sameAddress(draft.baseUrl, stored.baseUrl);
  return {
    baseUrl: same ? stored.baseUrl : draft.baseUrl.trim(),
    ...(key ? { key } : {}),
    ...(stored
      ? {
          models: stored.models,
          timeouts: stored.timeouts
        }
      : {}),
    // That a service goes on is known of its address alone.
    ...(stored && (same || stored.continuation !== 'prefill')
      ? { continuation: stored.continuation }
      : {}),
    ...(draft.continuation ? { continuation: draft.continuation } : {})
  };
}

/** How a reply that is cut off is resumed with this draft. */
export function continuationOf(draft: IDraft): Continuation {
  return inputOf(draft).continuation ?? 'restart';
}

/** The draft for another address, of which it is not known whether it goes on. */
export function withAddress(draft: IDraft, baseUrl: string): IDraft {
  const { continuation } = draft;
  return {
    ...draft,
    baseUrl,
    continuation: continuation === 'prefill' ? undefined : continuation
  };
}

function sameAddress(one: string, other: string): boolean {
  return canonical(one) === canonical(other);
}
