/** The edited text of a pair that was not sent again, until the pair is edited again. */
export class RefusedText {
  /** Keep a text; of several the last one counts. */
  keep(pair: string, text: string): void {
    this._kept = { pair, text };
  }

  /** The text of a pair, once; null if none is kept. */
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
