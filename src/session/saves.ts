/**
 * Tracks which replies a save has put into the file.
 *
 * JupyterLab marks a document clean when a save completes, even if it changed meanwhile. So what
 * counts is what the document contained when the save started.
 */
export class Saves {
  /** Record that a save started, with these in the document. */
  began(held: Iterable<string>): void {
    this._underWay.push(new Set(held));
  }

  /**
   * Record that a save ended; return what is certainly in the file.
   *
   * Canceled saves end without an event, so the oldest one is used: at worst a reply is reported
   * one save later.
   */
  ended(well: boolean): ReadonlySet<string> {
    const saved = this._underWay.shift();
    return (well && saved) || NOTHING;
  }

  /** The file was read again, so the document no longer contains the same. */
  forget(): void {
    this._underWay.forEach(held => held.clear());
  }

  private readonly _underWay: Set<string>[] = [];
}

const NOTHING: ReadonlySet<string> = new Set();
