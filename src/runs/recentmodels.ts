const KEY = 'turnbook:models';

/** How many models are remembered. */
const KEPT = 5;

/**
 * The models that the user chose or sent with last, newest first, as this browser remembers them.
 *
 * A model that only a file names is never among them.
 */
export class RecentModels {
  constructor(private _storage: Pick<Storage, 'getItem' | 'setItem'>) {}

  /** The models, as `provider/model`. */
  get list(): readonly string[] {
    return this._unkept ?? read(this._storage);
  }

  /** The model used last; empty if there is none. */
  get last(): string {
    return this.list[0] ?? '';
  }

  /** Record that the user chose a model or sent with it. */
  use(model: string): void {
    if (!model || model === this.last) {
      return;
    }
    const others = this.list.filter(other => other !== model);
    const list = [model, ...others].slice(0, KEPT);
    try {
      this._storage.setItem(KEY, JSON.stringify(list));
      this._unkept = null;
    } catch (error) {
      this._unkept = list;
      console.warn('Turnbook: the last model is not kept', error);
    }
  }

  /** The list, if it could not be stored. */
  private _unkept: readonly string[] | null = null;
}

function read(storage: Pick<Storage, 'getItem'>): readonly string[] {
  let value: unknown;
  try {
    const text = storage.getItem(KEY);
    value = text === null ? [] : JSON.parse(text);
  } catch (error) {
    // A browser may refuse to read, and anything in the page may write there.
    console.warn('Turnbook: the last models are unreadable', error);
  }
  return Array.isArray(value)
    ? value
        .filter((one): one is string => typeof one === 'string' && one !== '')
        .slice(0, KEPT)
    : [];
}
