const KEY = 'turnbook:model-sets';

/** Models that the user asks together, by a name. */
export interface IModelSet {
  readonly name: string;
  readonly models: readonly string[];
  readonly repeats: number;
}

/** How often a model can be asked at once. */
export const MOST_REPEATS = 9;

/** How often a record can be rerun at once; the server takes no more. */
export const MOST_RERUNS = 1000;

/** The sets of models that the user saved, as this browser remembers them. */
export class ModelSets {
  constructor(private _storage: Pick<Storage, 'getItem' | 'setItem'>) {}

  /** The sets, by name. */
  get list(): readonly IModelSet[] {
    let value: unknown;
    try {
      value = JSON.parse(this._storage.getItem(KEY) ?? '[]');
    } catch (error) {
      // A browser may refuse to read, and anything in the page may write there.
      console.warn('Turnbook: the sets of models are unreadable', error);
    }
    return Array.isArray(value) ? value.flatMap(one => read(one) ?? []) : [];
  }

  /** Save a set, instead of one with the same name. Throws if the browser refuses. */
  save(set: IModelSet): void {
    const others = this.list.filter(({ name }) => name !== set.name);
    const list = [...others, set].sort((a, b) => a.name.localeCompare(b.name));
    this._storage.setItem(KEY, JSON.stringify(list));
  }

  /** Remove a set. Throws if the browser refuses. */
  remove(name: string): void {
    const left = this.list.filter(set => set.name !== name);
    this._storage.setItem(KEY, JSON.stringify(left));
  }
}

/** The models to ask, in order, each as often as it is repeated. */
export function repeated(
  models: readonly string[],
  repeats: number
): readonly string[] {
  return models.flatMap(model => Array<string>(repeats).fill(model));
}

function read(value: unknown): IModelSet | null {
  const { name, models, repeats } = (value ?? {}) as Partial<IModelSet>;
  return typeof name === 'string' &&
    name !== '' &&
    Array.isArray(models) &&
    models.every(model => typeof model === 'string' && model !== '')
    ? { name, models, repeats: readRepeats(repeats, MOST_RERUNS) }
    : null;
}

/** A number of repeats within its limits. */
export function readRepeats(value: unknown, most: number): number {
  const number = Math.round(Number(value));
  return number >= 1 ? Math.min(number, most) : 1;
}
