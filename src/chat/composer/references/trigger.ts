/** Where in a message the user asks for a reference. */

/** An `@` and what is typed after it. */
export interface IMention {
  /** Where the `@` is. */
  start: number;
  /** Where the cursor is. */
  end: number;
  /** The text between them. */
  query: string;
}

/** Longer texts after an `@` are no queries. */
const LONGEST = 200;

/** An `@` that begins a word: not the one in an e-mail address. */
const MENTION = /(?:^|[\s([{"'«“„‘,;:])@([^\s@]*)$/u;

/** The `@` before the cursor; null if there is none, or if it is in a word. */
export function mentionAt(text: string, caret: number): IMention | null {
  // The end alone, so that a key press in a long text costs no more than in a short one.
  const before = text.slice(Math.max(0, caret - LONGEST), caret);
  const query = MENTION.exec(before)?.[1];
  return query === undefined || (before.length === LONGEST && before[0] === '@')
    ? null
    : { start: caret - query.length - 1, end: caret, query };
}
