/** A code fence that is still open. */
export interface IOpenFence {
  /** The text after the opening marker, such as `python`. */
  readonly info: string;

  /** Where the code starts in the tail. */
  readonly bodyStart: number;
}

/**
 * Splits growing Markdown into blocks that can be rendered one by one.
 *
 * A block is closed only when no later text can change how it renders, so closed blocks never
 * change. The closed blocks followed by the tail are always the whole text. The cost of a push
 * depends only on what is pushed.
 *
 * When in doubt, the splitter keeps text together: a block that is too large renders correctly, one
 * that is too small does not.
 */
export class BlockSplitter {
  /** The text that is not in a closed block yet. */
  get tail(): string {
    return this._tail;
  }

  /**
   * Whether something was seen that can connect blocks (link definitions, footnotes, HTML), so that
   * only the whole text renders exactly.
   */
  get spansBlocks(): boolean {
    return this._spans || (!this._fence && TIES.test(this._line));
  }

  /** The open code fence, if it is the whole tail. */
  get openFence(): IOpenFence | null {
    return this._fence?.start === 0 ? this._fence : null;
  }

  /** Add text and return the blocks that it closed. */
  push(delta: string): string[] {
    const closed: string[] = [];
    let from = 0;
    for (;;) {
      const end = delta.indexOf('\n', from) + 1;
      const piece = end > 0 ? delta.slice(from, end) : delta.slice(from);
      const start = this._tail.length - this._line.length;
      this._tail += piece;
      this._line += piece;
      if (end === 0) {
        return closed;
      }
      const line = this._line.slice(0, -1);
      this._line = '';
      this._readLine(line, start, closed);
      from = end;
    }
  }

  private _readLine(line: string, start: number, closed: string[]): void {
    if (line.replace(/\r$/, '').includes('\r')) {
      // Markdown treats a lone carriage return as a line end.
      this._giveUp();
    }
    if (this._fence) {
      if (this._fence.end.test(line)) {
        this._fence = null;
        this._boundary = true;
      }
      return;
    }
    if (TIES.test(line)) {
      this._spans = true;
    }
    const fence = FENCE.exec(line);
    if (this._until) {
      if (fence) {
        this._giveUp();
      }
      // To the parser a formula is ordinary text, in which this can start a list or a quote.
      this._readContainer(line, fence !== null, true);
      this._doubt = true;
      if (this._until.test(line)) {
        this._until = null;
      }
      return;
    }
    if (line.trim() === '') {
      this._boundary = true;
      this._inHtml = false;
      return;
    }
    const opens = fence !== null && this._opensFence(fence);
    const breaks = (this._boundary && this._canBreak(line)) || opens;
    if (breaks && this._hasContent && this._depth === 0 && !this._gaveUp) {
      closed.push(this._tail.slice(0, start));
      this._tail = this._tail.slice(start);
      start = 0;
      this._container = null;
      this._doubt = false;
    }
    const afterText = this._hasContent && !this._boundary && !breaks;
    this._boundary = false;
    this._hasContent = true;
    if (opens) {
      this._openFence(fence, start, line);
    } else {
      this._readContent(line, fence !== null, afterText);
    }
  }

  /** Whether a line after a boundary starts a block of its own. */
  private _canBreak(line: string): boolean {
    if (/^\s/.test(line)) {
      return false;
    }
    if (this._container?.kind === 'list') {
      return !LIST_ITEM.test(line);
    }
    return this._container?.kind !== 'quote' || !line.startsWith('>');
  }

  /**
   * Whether a line that looks like a fence is one at the top level rather than part of a list item
   * or of raw HTML.
   */
  private _opensFence(fence: RegExpExecArray): boolean {
    if (this._inHtml) {
      this._giveUp();
      return false;
    }
    if (this._container?.kind !== 'list') {
      return true;
    }
    if (fence[1].length < this._container.offset) {
      return true;
    }
    if (this._doubt) {
      this._giveUp();
    }
    return false;
  }

  private _openFence(
    fence: RegExpExecArray,
    start: number,
    line: string
  ): void {
    const marker = fence[2];
    this._container = null;
    this._fence = {
      start,
      bodyStart: start + line.length + 1,
      info: fence[3].trim(),
      end: new RegExp(`^ {0,3}${marker[0]}{${marker.length},}[ \\t\\r]*$`)
    };
  }

  private _readContent(
    line: string,
    fenceLike: boolean,
    afterText: boolean
  ): void {
    this._readContainer(line, fenceLike, afterText);
    if (this._container === null) {
      this._readMath(line.trim());
    }
    this._readHtml(line);
  }

  private _readContainer(
    line: string,
    fenceLike: boolean,
    afterText: boolean
  ): void {
    const item = LIST_ITEM.exec(line);
    const list = this._container?.kind === 'list' ? this._container : null;
    if (/^ {0,3}>/.test(line) && !list) {
      this._container = { kind: 'quote' };
    } else if (item && (!list || item[1].length < list.offset)) {
      const [all, , marker, gap] = item;
      if (!list && afterText && (/^(?!1[.)])\d/.test(marker) || all === line)) {
        // Inside a paragraph this does not start a list.
        this._doubt = true;
      }
      this._container = {
        kind: 'list',
        offset: gap.length > 4 ? all.length - gap.length + 1 : all.length
      };
    } else if (list && !fenceLike && /^ {0,3}\S/.test(line)) {
      this._doubt = true;
    }
  }

  private _readMath(line: string): void {
    const open = /^(\$\$|\\\\?\[|\\begin\{([a-z]*\*?)\})/i.exec(line);
    if (!open) {
      return;
    }
    const close =
      open[1] === '$$'
        ? '$$'
        : open[2] === undefined
          ? '\\]'
          : `\\end{${open[2]}}`;
    if (!line.slice(open[1].length).includes(close)) {
      this._until = { test: text => text.includes(close) };
    }
  }

  private _readHtml(line: string): void {
    if (/^ {0,3}<[/!?a-z]/i.test(line)) {
      this._inHtml = true;
      for (const [begin, end] of RAW_HTML) {
        if (begin.test(line) && !end.test(line)) {
          this._until = end;
          return;
        }
      }
    }
    if (this._inHtml) {
      for (const tag of line.matchAll(PAIRED_TAGS)) {
        this._depth = Math.max(0, this._depth + (tag[1] ? -1 : 1));
      }
    }
  }

  /** Close no more blocks: the rest of the text must be rendered as one. */
  private _giveUp(): void {
    this._gaveUp = true;
    this._spans = true;
  }

  private _tail = '';
  private _line = '';
  private _hasContent = false;
  private _boundary = false;
  private _container:
    { kind: 'list'; offset: number } | { kind: 'quote' } | null = null;
  // A line that may have ended a list.
  private _doubt = false;
  private _fence: (IOpenFence & { start: number; end: RegExp }) | null = null;
  private _until: { test(line: string): boolean } | null = null;
  private _inHtml = false;
  private _depth = 0;
  private _spans = false;
  private _gaveUp = false;
}

// Link definitions, footnotes and tags.
const TIES = /\[[^[\]]+\]:|<[/!?a-z]/i;
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
const LIST_ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])([ \t]+|$)/;
const PAIRED_TAGS =
  /<(\/?)(?:details|div|table|ul|ol|dl|blockquote|section|article|center|figure|main|header|footer|aside|nav|svg|math)\b[^>]*>/gi;
const RAW_HTML: [RegExp, RegExp][] = [
  [
    /^ {0,3}<(?:script|pre|style|textarea)\b/i,
    /<\/(?:script|pre|style|textarea)>/i
  ],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![a-z]/i, />/]
];
