/** The settings of a provider while they are edited, and what is sent to the server. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type {
  Continuation,
  IPreset,
  IProvider,
  IProviderInput
} from '../base/run';
import { canonical, nameProblem, urlProblem } from './validate';

/** The state of the form; `stored` is the provider being edited, or null for a new one. */
export interface IDraft {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly stored: IProvider | null;
  /** How an interrupted reply is resumed, if the user chose it or a test found it out. */
  readonly continuation?: Continuation;
}

/** The problem of each field; null if there is none. */
export interface IProblems {
  readonly name: string | null;
  readonly baseUrl: string | null;
}

/** The draft of a new provider. */
export const NEW_DRAFT: IDraft = {
  name: '',
  baseUrl: '',
  key: '',
  stored: null
};

/** The draft that edits a stored provider; the browser does not know its key. */
export function draftOf(provider: IProvider): IDraft {
  const { name, baseUrl } = provider;
  return { name, baseUrl, key: '', stored: provider };
}

/** A new provider from a preset; a key typed before was for another URL and is dropped. */
export function fromPreset(preset: IPreset): IDraft {
  const { name, baseUrl } = preset;
  return { ...NEW_DRAFT, name, baseUrl };
}

/** What must be fixed before the draft can be tested or saved. */
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

/** Whether saving this draft makes the server delete the stored key without a new one. */
export function forgetsKey(draft: IDraft): boolean {
  return draft.stored?.key === 'set' && !draft.key.trim() && !keepsKey(draft);
}

/**
 * The settings to send to the server.
 *
 * Stored settings that the form does not show are sent too, since a PUT replaces everything.
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
          reasoning: stored.reasoning,
          timeouts: stored.timeouts
        }
      : {}),
    // That a service can continue a reply is only known for the URL where it was tested.
    ...(stored && (same || stored.continuation !== 'prefill')
      ? { continuation: stored.continuation }
      : {}),
    ...(draft.continuation ? { continuation: draft.continuation } : {})
  };
}

/** How an interrupted reply is resumed with this draft. */
export function continuationOf(draft: IDraft): Continuation {
  return inputOf(draft).continuation ?? 'restart';
}

/** The draft with another URL, for which it is unknown whether it can continue a reply. */
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
