/**
 * JSON as text. Nothing is made of it, so it may be nested to any depth, and everything in it stays
 * as it was written.
 */

/** The offset of the first error in a text that should be JSON; null if it is valid. */
export function jsonErrorAt(text: string): number | null {
  const reader = new Reader(text);
  return reader.read() ? null : reader.at;
}

/** The line and column of an offset, both from 1. */
export function lineOf(
  text: string,
  offset: number
): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (;;) {
    const end = text.indexOf('\n', start);
    if (end === -1 || end >= offset) {
      return { line, column: offset - start + 1 };
    }
    line += 1;
    start = end + 1;
  }
}

/** Reads JSON; after a failure, `at` is where it is wrong. */
class Reader {
  constructor(private _text: string) {}

  at = 0;

  /** Whether the whole text is one value. */
  read(): boolean {
    /** What closes the lists and objects around the place. */
    const open: string[] = [];
    this._space();
    for (;;) {
      const opened = this._opened();
      if (opened !== null) {
        this.at += 1;
        this._space();
        if (this._text[this.at] !== opened) {
          open.push(opened);
          if (opened === '}' && !this._key()) {
            return false;
          }
          continue;
        }
        this.at += 1;
      } else if (!this._scalar()) {
        return false;
      }
      this._space();
      while (open.length && this._text[this.at] === open[open.length - 1]) {
        open.pop();
        this.at += 1;
        this._space();
      }
      if (!open.length) {
        return this.at >= this._text.length;
      }
      if (this._text[this.at] !== ',') {
        return false;
      }
      this.at += 1;
      this._space();
      if (open[open.length - 1] === '}' && !this._key()) {
        return false;
      }
    }
  }

  private _opened(): string | null {
    switch (this._text[this.at]) {
      case '{':
        return '}';
      case '[':
        return ']';
      default:
        return null;
    }
  }

  private _space(): void {
    const text = this._text;
    for (; this.at < text.length; this.at++) {
      const code = text.charCodeAt(this.at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) {
        return;
      }
    }
  }

  private _key(): boolean {
    if (this._text[this.at] !== '"' || !this._string()) {
      return false;
    }
    this._space();
    if (this._text[this.at] !== ':') {
      return false;
    }
    this.at += 1;
    this._space();
    return true;
  }

  private _scalar(): boolean {
    if (this._text[this.at] === '"') {
      return this._string();
    }
    SCALAR.lastIndex = this.at;
    const [found] = SCALAR.exec(this._text) ?? [];
    this.at += found?.length ?? 0;
    return found !== undefined;
  }

  private _string(): boolean {
    const text = this._text;
    for (this.at += 1; this.at < text.length; this.at++) {
      const code = text.charCodeAt(this.at);
      if (code === 34) {
        this.at += 1;
        return true;
      }
      if (code < 32) {
        return false;
      }
      if (code === 92) {
        ESCAPE.lastIndex = this.at;
        const [found] = ESCAPE.exec(text) ?? [];
        if (found === undefined) {
          return false;
        }
        this.at += found.length - 1;
      }
    }
    return false;
  }
}

const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
