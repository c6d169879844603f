/** What a model can do, as texts for the user. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Check, IProviderCheck } from '../base/run';

/** The words of each check: what it is called, and what a model does that fails it. */
function table(
  trans: TranslationBundle
): Record<Check, { name: string; no: string }> {
  return {
    streaming: {
      name: trans.__('Streaming'),
      no: trans.__('the whole reply arrived at once')
    },
    tools: {
      name: trans.__('Tools'),
      no: trans.__('it did not call the tool')
    },
    images: {
      name: trans.__('Images'),
      no: trans.__('it did not read the picture')
    },
    reasoning: {
      name: trans.__('Reasoning'),
      no: trans.__('the reply had no reasoning')
    },
    prefill: {
      name: trans.__('Continues a partial reply'),
      no: trans.__('it did not go on at the next character')
    }
  };
}

/** What a check is called. */
export function checkName(check: Check, trans: TranslationBundle): string {
  return table(trans)[check].name;
}

/** What a check found, in a few words. */
export function checkResult(
  { check, result, error }: IProviderCheck,
  trans: TranslationBundle
): string {
  const said = error && (error.message || error.code || error.type);
  switch (result) {
    case 'yes':
      return trans.__('yes');
    case 'no':
      return said
        ? trans.__('no, the provider refuses it: %1', said)
        : trans.__('no, %1', table(trans)[check].no);
    case 'failed':
      return trans.__('could not be tried: %1', said ?? '?');
  }
}
