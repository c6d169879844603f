import type { Draft } from './draft';

const PREFIX = 'turnbook:new:';

/** The replies of a chat that were not viewed in this browser. */
export class NewReplies {
  constructor(private _storage: Draft.IStorage) {}

  /** Load the list of a chat. */
  open(chatId: string): void {
    this._key = PREFIX + chatId;
    try {
      const stored: unknown = JSON.parse(
        this._storage.getItem(this._key) ?? '[]'
      );
      if (Array.isArray(stored)) {
        stored.forEach(id => this._ids.add(String(id)));
      }
    } catch (error) {
      console.warn('Turnbook: the list of new replies cannot be read', error);
    }
  }

  /** The pairs whose replies are new. */
  get ids(): string[] {
    return [...this._ids];
  }

  has(id: string): boolean {
    return this._ids.has(id);
  }

  /** Mark a reply as new; return whether it was not. */
  add(id: string): boolean {
    const news = !this._ids.has(id);
    this._ids.add(id);
    this._write();
    return news;
  }

  /** Mark a reply as viewed; return whether it was new. */
  delete(id: string): boolean {
    const was = this._ids.delete(id);
    if (was) {
      this._write();
    }
    return was;
  }

  private _write(): void {
    if (this._key === null) {
      return;
    }
    try {
      if (this._ids.size) {
        this._storage.setItem(this._key, JSON.stringify([...this._ids]));
      } else {
        this._storage.removeItem(this._key);
      }
    } catch (error) {
      console.warn('Turnbook: the list of new replies cannot be kept', error);
    }
  }

  private _ids = new Set<string>();
  private _key: string | null = null;
}
