/**
 * Estimates token counts.
 *
 * Only texts are counted; what a provider adds around each message is small and varies.
 */
import type { PartialJSONObject } from '@lumino/coreutils';

import { trans } from '../base/words';
import { errorMessage } from '../base/errors';
import type { IMessage } from '../base/message';
import { kindOf, mediaOf, type IAttachment } from '../document/attachments';
import {
  asWritten,
  gatherContext,
  SENDING_RULES,
  type ContextCell,
  type ISendingRules,
  type IWritten
} from './gather';

/** Characters per token if nothing better is known. */
export const CHARS_PER_TOKEN = 4;

/** Tokens of an image if nothing better is known. */
export const IMAGE_TOKENS = 1000;

/** Counts the tokens of texts. */
export interface IEstimator {
  /** The tokens of a text. */
  count(text: string): number;
  /** The tokens of an image, or of another file that is not text. */
  readonly media: number;
  /** Increases when the same text may be counted differently from now on. */
  readonly revision: number;
  /** Settles when the counts will not change any more; never rejects. */
  readonly ready: Promise<void>;
  /** Why the counts are rougher than requested, as a text for the user; null if they are not. */
  readonly problem: string | null;
}

/** Estimate by length: `charsPerToken` characters are a token. */
export function charsEstimator(
  charsPerToken = CHARS_PER_TOKEN,
  media = IMAGE_TOKENS
): IEstimator {
  const size = charsPerToken > 0 ? charsPerToken : CHARS_PER_TOKEN;
  return {
    count: text => Math.ceil(text.length / size),
    media,
    revision: 0,
    ready: Promise.resolve(),
    problem: null
  };
}

/**
 * Count with a real tokenizer (o200k_base).
 *
 * It is loaded when the estimator is created; until then, and if that fails, counts are estimated
 * by length.
 */
export function gptEstimator(
  charsPerToken = CHARS_PER_TOKEN,
  load: () => Promise<(text: string) => number> = loadTokenizer,
  media = IMAGE_TOKENS
): IEstimator {
  const rough = charsEstimator(charsPerToken, media);
  const memo = new Map<string, number>();
  let tokenizer: ((text: string) => number) | null = null;
  let problem: string | null = null;
  const ready = load().then(
    loaded => {
      tokenizer = loaded;
    },
    (error: unknown) => {
      const reason = errorMessage(error);
      problem = trans.__(
        'The tokenizer could not be loaded (%1). Tokens are estimated by length; reload the page to try again.',
        reason
      );
    }
  );
  return {
    count: text => {
      if (!tokenizer) {
        return rough.count(text);
      }
      const key = fingerprint(text);
      let tokens = memo.get(key);
      if (tokens === undefined) {
        tokens = countInSlices(text, tokenizer);
        if (memo.size >= MEMO_SIZE) {
          memo.delete(memo.keys().next().value!);
        }
        memo.set(key, tokens);
      }
      return tokens;
    },
    media,
    get revision() {
      return tokenizer ? 1 : 0;
    },
    ready,
    get problem() {
      return problem;
    }
  };
}

/**
 * Caches the tokens of cells.
 *
 * A count belongs to a `ContextCell` object: a changed cell gets a new object, an unchanged one
 * keeps it. So an unchanged cell costs one look-up, however long it is.
 */
export class TokenCache {
  constructor(
    readonly estimator: IEstimator,
    readonly rules: ISendingRules = SENDING_RULES
  ) {}

  /**
   * The tokens that a cell contributes to the context.
   *
   * An outdated count is used until `recount` has replaced it, so that no key press has to recount
   * a whole chat.
   */
  tokens(cell: ContextCell): number {
    return (this._counts.get(cell) ?? this._count(cell)).tokens;
  }

  /** The tokens of the message being written; what is attached to it is counted once. */
  message(message: string | IWritten): number {
    const { text, attachments = [] } = asWritten(message);
    return attachments.reduce(
      (sum, attachment) => sum + this.ofAttachment(attachment),
      this.estimator.count(text)
    );
  }

  /** The tokens of one message of a request, cached per object. */
  ofMessage(message: IMessage): number {
    return this._kept(message, () => messageTokens(message, this.estimator));
  }

  /** The tokens of something that is attached, cached per object. */
  ofAttachment(attachment: IAttachment): number {
    const { estimator } = this;
    return kindOf(attachment) === 'text'
      ? this._kept(attachment, () => estimator.count(attachment.data))
      : estimator.media;
  }

  /** Whether a cell's count is missing or rougher than it could be now. */
  isStale(cell: ContextCell): boolean {
    return this._counts.get(cell)?.revision !== this.estimator.revision;
  }

  /**
   * Recount stale cells, a slice at a time with a pause in between.
   *
   * Returns whether any count changed.
   */
  async recount(
    cells: Iterable<ContextCell>,
    pause: () => Promise<void>
  ): Promise<boolean> {
    let changed = false;
    let work = 0;
    for (const cell of cells) {
      if (!this.isStale(cell)) {
        continue;
      }
      const before = this._counts.get(cell)?.tokens;
      changed = this._count(cell).tokens !== before || changed;
      work += textLength(cell);
      if (work >= RECOUNT_CHARS) {
        work = 0;
        await pause();
      }
    }
    return changed;
  }

  private _count(cell: ContextCell): ICount {
    // Count what would be sent: the same code decides both.
    const { messages } = gatherContext([cell], '', this.rules);
    let tokens = 0;
    for (const message of messages.slice(0, -1)) {
      tokens += messageTokens(message, this.estimator);
    }
    const count = { tokens, revision: this.estimator.revision };
    this._counts.set(cell, count);
    return count;
  }

  private _kept(key: object, count: () => number): number {
    const { revision } = this.estimator;
    let kept = this._others.get(key);
    if (kept?.revision !== revision) {
      kept = { tokens: count(), revision };
      this._others.set(key, kept);
    }
    return kept.tokens;
  }

  private _counts = new WeakMap<ContextCell, ICount>();
  private _others = new WeakMap<object, ICount>();
}

/** The tokens of a message: its text, everything else as JSON, and files by a constant. */
export function messageTokens(
  message: IMessage,
  estimator: Pick<IEstimator, 'count' | 'media'>
): number {
  const { role: _, content, ...rest } = message;
  const parts = Array.isArray(content) ? content : [];
  const media = parts.filter(part => mediaOf(part) !== null);
  const text =
    typeof content === 'string'
      ? content
      : media.length
        ? textOf(parts.filter(part => !media.includes(part)))
        : content
          ? JSON.stringify(content)
          : '';
  const more = Object.keys(rest).length ? JSON.stringify(rest) : '';
  return estimator.count(text + more) + media.length * estimator.media;
}

/** The text of the parts of a message; other parts as JSON. */
function textOf(parts: readonly PartialJSONObject[]): string {
  return parts
    .map(part =>
      typeof part.text === 'string' ? part.text : JSON.stringify(part)
    )
    .join('');
}

interface ICount {
  tokens: number;
  revision: number;
}

/** How many texts a tokenizer's counts are cached for. */
const MEMO_SIZE = 50_000;

/** The tokenizer's time grows with the square of a text without word boundaries. */
const SLICE = 1_000;

/** How much text is recounted before the page gets its turn. */
const RECOUNT_CHARS = 50_000;

async function loadTokenizer(): Promise<(text: string) => number> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // Text may contain special tokens; by default the tokenizer throws on them.
  const plain = { disallowedSpecial: new Set<string>() };
  return text => countTokens(text, plain);
}

function countInSlices(text: string, count: (text: string) => number): number {
  let tokens = 0;
  for (let start = 0; start < text.length;) {
    const end = sliceEnd(text, start);
    tokens += count(text.slice(start, end));
    start = end;
  }
  return tokens;
}

/** Cut before a space if one is near, since tokens start with it, and never inside a character. */
function sliceEnd(text: string, start: number): number {
  const limit = start + SLICE;
  if (limit >= text.length) {
    return text.length;
  }
  const space = text.lastIndexOf(' ', limit);
  if (space > start + SLICE / 2) {
    return space;
  }
  const code = text.charCodeAt(limit);
  return code >= 0xdc00 && code <= 0xdfff ? limit - 1 : limit;
}

/**
 * Length and two independent 32-bit hashes; texts with the same fingerprint are treated as equal.
 */
export function fingerprint(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
    b ^= b >>> 13;
  }
  return `${text.length}:${a >>> 0}:${b >>> 0}`;
}

function textLength(cell: ContextCell): number {
  switch (cell.kind) {
    case 'system':
      return cell.text.length;
    case 'pair':
      return cell.user.length + cell.reply.length;
    case 'note':
      return 0;
  }
}
