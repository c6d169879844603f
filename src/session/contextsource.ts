import type { IBudgetLimits } from '../context/budget';
import { modelWindow, softCap } from '../context/windows';
import type { ModelCatalog } from '../runs/catalog';
import type { IContextSource } from '../context/contextmodel';
import { splitId } from '../runs/models';
import type { ChatSettings } from './settings';

/**
 * What determines the budget, derived from the current state. Nothing is stored, since file,
 * settings and the list of models arrive in any order.
 *
 * @param model - The model of the next message.
 * @param options - The options that count beside the messages, as text.
 */
export function contextSource(
  catalog: ModelCatalog,
  settings: ChatSettings,
  model: () => string,
  options: () => string
): () => IContextSource {
  let known: { key: readonly unknown[]; limits: IBudgetLimits } | null = null;
  return () => {
    const { windows, responseReserve, interruptedSentinel } = settings.current;
    const name = model();
    const key = [name, catalog.find(name)?.window, windows, responseReserve];
    // Needed at every key press, and the table of models is long.
    if (!known || key.some((part, n) => part !== known!.key[n])) {
      const { tokens } = modelWindow(name, catalog.find(name)?.window, windows);
      const reserve = responseReserve;
      const limits = { window: tokens, softCap: softCap(tokens), reserve };
      known = { key, limits };
    }
    return {
      limits: known.limits,
      estimator: settings.estimator,
      rules: {
        sentinel: interruptedSentinel,
        reasoning: catalog.reasoning(splitId(name).provider)
      },
      options: options()
    };
  };
}
