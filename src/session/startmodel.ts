import type { IModelList } from '../base/run';
import { splitId } from '../runs/models';

/** The model of a chat for which none was chosen yet. */
export interface IStartModel {
  /** As `provider/model`; empty while unknown. */
  readonly model: string;
  /** The model that it would be if its provider still existed; null if it is that one. */
  readonly missing: string | null;
}

/**
 * The model of a chat for which none was chosen: the user's default, else the one used last, else
 * the server's default.
 *
 * A provider that is down or lists nothing keeps its place; one that is gone does not.
 *
 * @param wanted - The setting `defaultModel`; empty for none.
 * @param last - The model used last; empty for none.
 * @param list - The available models; null while unknown.
 */
export function startModel(
  wanted: string,
  last: string,
  list: IModelList | null
): IStartModel {
  const preferred = [wanted, last].filter(Boolean);
  const found = preferred.find(model => !list || isServed(list, model));
  const missing = preferred[0] === found ? null : (preferred[0] ?? null);
  return { model: found ?? list?.default ?? '', missing };
}

function isServed(list: IModelList, model: string): boolean {
  return list.providers.includes(splitId(model).provider);
}
