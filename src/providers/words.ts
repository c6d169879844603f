/** What the server reports about providers, as texts that say what to do. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IOutcome, IProvider } from '../base/run';

/** The settings that an error came from. */
export interface ISettings {
  baseUrl: string;
  hasKey: boolean;
}

/** The server's own advice about a rejected key. */
const CHECK_KEY = 'Check the API key.';

/** What went wrong when a provider was asked, and what to do. */
export function advice(
  outcome: IOutcome,
  settings: ISettings,
  trans: TranslationBundle
): string {
  const { baseUrl } = settings;
  if (outcome.type === 'auth') {
    if (!settings.hasKey) {
      return trans.__('The provider asks for a key. Enter the API key.');
    }
    // The server's message is shown below, and often says what to do.
    return outcome.message.includes(CHECK_KEY)
      ? trans.__('The provider does not accept the key.')
      : trans.__('The provider does not accept the key. Check the API key.');
  }
  if (outcome.code === 'quota') {
    return trans.__(
      'The account has no credit or quota left. Check its billing at the provider.'
    );
  }
  if (outcome.type === 'rate') {
    return outcome.retryAfter
      ? trans.__(
          'The provider accepts no more requests for now. Try again in %1 s.',
          Math.ceil(outcome.retryAfter)
        )
      : trans.__(
          'The provider accepts no more requests for now. Try again in a while.'
        );
  }
  if (outcome.type === 'network') {
    return trans.__(
      'No answer from %1. Is the server running at that address? It is called from the machine that runs Jupyter, so “localhost” means that one.',
      baseUrl
    );
  }
  if (outcome.type === 'server') {
    return trans.__(
      'The provider has a problem of its own (%1). Try again later.',
      outcome.status ?? outcome.code ?? '?'
    );
  }
  if (outcome.status === 404) {
    return trans.__(
      'There is no model list below %1. Check the base URL; most end in /v1.',
      baseUrl
    );
  }
  return trans.__(
    'The provider did not list its models (%1). Check the base URL and the key.',
    outcome.code ?? outcome.status ?? '?'
  );
}

/** Where a provider is defined, and where it can be changed. */
export function sourceNote(
  provider: IProvider,
  trans: TranslationBundle
): string {
  switch (provider.source) {
    case 'local':
      return trans.__('The embedded model; it needs no settings.');
    case 'config':
      return trans.__(
        'From the server’s configuration (c.TurnbookApp.providers); change it there and restart the server.'
      );
    case 'environment':
      return trans.__(
        'From OPENAI_API_KEY and OPENAI_BASE_URL in the server’s environment; change it there and restart the server.'
      );
    case 'user':
      return trans.__('Added here.');
  }
}
