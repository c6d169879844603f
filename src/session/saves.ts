/**
 * Which replies a save has put into the file.
 *
 * JupyterLab calls a document clean when a save is completed, also if it changed meanwhile. So
 * what counts is what the document held when the save began.
 */
export class Saves {
  /** A save begins, with these in the document. */
  began(held: Iterable<string>): void {
    this._underWay.push(new Set(held));
  }

  /**
   * A save ended: what is in the file for certain.
   *
   * Saves that were called off end without a word, so the oldest is taken: at worst a reply is
   * reported one save later.
   */
  ended(well: boolean): ReadonlySet<string> {
    const saved = this._underWay.shift();
    return (well && saved) || NOTHING;
  }

  /** The file was read again: what the document held is not what it holds now. */
  forget(): void {
    this._underWay.forEach(held => held.clear());
  }

  private readonly _underWay: Set<string>[] = [];
}

const NOTHING: ReadonlySet<string> = new Set();
