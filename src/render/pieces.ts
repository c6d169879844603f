/** The approximate length of a piece. */
const PIECE = 8192;

/**
 * Long plain text in pieces, of which only the last one changes when the text grows.
 *
 * The browser lays out a piece when it comes into view, so the cost of growing and of showing does
 * not depend on the length of the text.
 */
export class TextPieces {
  /**
   * @param host - The element that gets the pieces.
   */
  constructor(private _host: HTMLElement) {}

  /** The length of the text. */
  get length(): number {
    return this._length;
  }

  /** Append text. */
  append(text: string): void {
    this._length += text.length;
    for (let rest = text; rest !== '';) {
      this._last ??= this._addPiece();
      const cut = breakAt(rest, PIECE - this._last.length);
      this._last.appendData(rest.slice(0, cut ?? rest.length));
      if (cut === null) {
        return;
      }
      rest = rest.slice(cut);
      this._last.parentElement?.classList.add('jp-mod-full');
      this._last = null;
    }
  }

  private _addPiece(): Text {
    const piece = document.createElement('span');
    piece.className = 'jp-Turnbook-piece';
    const text = document.createTextNode('');
    piece.appendChild(text);
    this._host.appendChild(piece);
    return text;
  }

  private _length = 0;
  private _last: Text | null = null;
}

/**
 * Where the next piece starts, or null if the text goes into this one.
 *
 * A piece starts after a line end if one comes soon, else after a space, else anywhere.
 */
function breakAt(text: string, room: number): number | null {
  const limit = Math.max(0, room + PIECE);
  const near = text.slice(0, limit);
  const line = near.indexOf('\n', Math.max(0, room));
  const space = near.indexOf(' ', Math.max(0, room + PIECE / 2));
  if (line >= 0 || space >= 0) {
    const first = line < 0 || (space >= 0 && space < line) ? space : line;
    return first + 1;
  }
  if (text.length <= limit) {
    return null;
  }
  return isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
