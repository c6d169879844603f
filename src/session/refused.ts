/** The edited text of a pair that could not be sent again, until the pair is edited again. */
export class RefusedText {
  /** Keep a text; it replaces the previous one. */
  keep(pair: string, text: string): void {
    this._kept = { pair, text };
  }

  /** Return the text of a pair once; null if there is none. */
  take(pair: string): string | null {
    if (this._kept?.pair !== pair) {
      return null;
    }
    const { text } = this._kept;
    this._kept = null;
    return text;
  }

  private _kept: { pair: string; text: string } | null = null;
}
