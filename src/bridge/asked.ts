import type { IRequestStorage } from '../base/storage';
import { isObject } from '../base/json';
import type { IAttachment } from '../document/attachments';

const PREFIX = 'turnbook:asked:';

/** What the user asks about: chips, and a question for an empty composer. */
export interface IAsked {
  attachments: readonly IAttachment[];
  question?: string;
}

/**
 * Hands what the user asks about from the page of a notebook to the page of its chat: in Jupyter
 * Notebook every document is a page of its own.
 */
export class AskedElsewhere {
  constructor(private _storage: IRequestStorage) {}

  /** Leave something for the page that opens a chat. */
  async leave(chat: string, asked: IAsked): Promise<void> {
    await this._storage.set(PREFIX + chat, asked);
  }

  /** Take what was left for a chat; null if nothing was. */
  async take(chat: string): Promise<IAsked | null> {
    const asked = await this._storage.get(PREFIX + chat);
    if (asked === undefined) {
      return null;
    }
    await this._storage.del(PREFIX + chat);
    return isObject(asked) && Array.isArray(asked.attachments)
      ? (asked as unknown as IAsked)
      : null;
  }
}
