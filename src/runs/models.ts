/**
 * The models as the picker shows them.
 */
import type { IModelList } from '../base/run';

/** A model in the picker. */
export interface IModelOption {
  readonly id: string;
  readonly name: string;
  readonly listed: boolean;
}

/** The models of one provider. */
export interface IModelGroup {
  readonly provider: string;
  readonly options: readonly IModelOption[];
}

/**
 * Group models by provider in the server's order.
 *
 * The current model is always included, so that a provider that is down never changes a chat's
 * model.
 */
export function groupModels(
  list: IModelList | null,
  current: string
): IModelGroup[] {
  const groups = new Map<string, IModelOption[]>();
  const add = (provider: string, option: IModelOption) => {
    const options = groups.get(provider);
    if (options) {
      options.push(option);
    } else {
      groups.set(provider, [option]);
    }
  };
  for (const { id, provider, model } of list?.models ?? []) {
    add(provider, { id, name: model, listed: true });
  }
  if (current && !list?.models.some(model => model.id === current)) {
    const { provider, name } = splitId(current);
    add(provider, { id: current, name, listed: false });
  }
  return [...groups].map(([provider, options]) => ({ provider, options }));
}

/** Split `provider/model`; a model's name may contain slashes. */
export function splitId(id: string): { provider: string; name: string } {
  const slash = id.indexOf('/');
  return slash < 0
    ? { provider: '', name: id }
    : { provider: id.slice(0, slash), name: id.slice(slash + 1) };
}

/**
 * Why models are missing from the list, one line for each provider.
 */
export function listProblems(
  list: IModelList | null,
  failure: string | null
): string[] {
  const lines = (list?.errors ?? []).map(
    ({ provider, error }) =>
      `${provider}: [error: ${error.code ?? error.type}] ${error.message}`
  );
  return failure === null ? lines : [failure, ...lines];
}
