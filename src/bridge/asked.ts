import type { IRequestStorage } from '../base/storage';
import { isObject } from '../base/json';
import { LIMITS } from '../chat/composer/files/readfile';
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

  /** Leave something for the page that opens a chat, after what it has not taken yet. */
  leave(chat: string, asked: IAsked): Promise<void> {
    const left = this._last.then(async () => {
      const before = read(await this._storage.get(PREFIX + chat));
      await this._storage.set(PREFIX + chat, joined(before, asked));
    });
    // The caller gets the error.
    this._last = left.catch(() => undefined);
    return left;
  }

  /** Take what was left for a chat; null if nothing was. */
  async take(chat: string): Promise<IAsked | null> {
    const asked = await this._storage.get(PREFIX + chat);
    if (asked === undefined) {
      return null;
    }
    await this._storage.del(PREFIX + chat);
    return read(asked);
  }

  private _last: Promise<void> = Promise.resolve();
}

function read(asked: unknown): IAsked | null {
  return isObject(asked) && Array.isArray(asked.attachments)
    ? (asked as unknown as IAsked)
    : null;
}

/** What was asked about first, and then: not more than a message can have. */
function joined(before: IAsked | null, asked: IAsked): IAsked {
  const attachments = [...(before?.attachments ?? []), ...asked.attachments];
  const question = before?.question ?? asked.question;
  return {
    attachments: attachments.slice(-LIMITS.count),
    ...(question ? { question } : {})
  };
}
