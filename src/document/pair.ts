import type {
  ISharedCell,
  ISharedCodeCell,
  ISharedNotebook
} from '@jupyter/ydoc';
import type { ICodeCell, IOutput } from '@jupyterlab/nbformat';
import {
  JSONExt,
  type PartialJSONObject,
  type PartialJSONValue
} from '@lumino/coreutils';

import { isObject } from '../base/json';
import type { IMessage } from '../base/message';
import { NO_MARKS, sameEntry, withMarks } from './markentry';
import {
  pairMessages,
  readKeptMessages,
  readPairText,
  type IPairText
} from './messages';
import {
  KEYS,
  readMarks,
  readRunInfo,
  type IMarks,
  type IRunInfo
} from './metadata';
import { readReply, type IReply } from './reply';
import { readRounds, type IToolRound } from './rounds';
import { readVersions, type IVersion } from './versionlist';

/**
 * A pair: typed access to its cell.
 *
 * Nothing else reads or writes a pair's metadata and outputs. It keeps nothing, so that it is
 * never stale: what is asked for is read from the document, and whoever needs it twice keeps it.
 * Reading takes a cell as anybody may have left it. Writing belongs into a transaction of the
 * caller's, who decides whether it is a step of undo.
 */
export class Pair {
  constructor(readonly cell: ISharedCodeCell) {}

  /** A cell as a pair; null if it is a note or a system cell. */
  static of(cell: ISharedCell): Pair | null {
    return isPair(cell) ? new Pair(cell) : null;
  }

  /** The pair with an id. */
  static find(notebook: ISharedNotebook, id: string): Pair | null {
    for (const cell of notebook.cells) {
      if (isPair(cell) && cell.getId() === id) {
        return new Pair(cell);
      }
    }
    return null;
  }

  /** All pairs, in order. */
  static all(notebook: ISharedNotebook): Pair[] {
    return notebook.cells.flatMap(cell => Pair.of(cell) ?? []);
  }

  get id(): string {
    return this.cell.getId();
  }

  /** The user's text. */
  get source(): string {
    return this.cell.getSource();
  }
  set source(text: string) {
    this.cell.setSource(text);
  }

  /** What the machine knows of its last run; null if it was not sent, or if that cannot be read. */
  get run(): IRunInfo | null {
    return readRunInfo(this.storedRun);
  }

  /** The same as it is stored, for putting it back. */
  get storedRun(): PartialJSONValue | undefined {
    return this.cell.getMetadata(KEYS.run);
  }

  /** Say what is known of its run; undefined for a pair that was not sent. */
  setRun(run: IRunInfo | PartialJSONValue | undefined): void {
    this._set(KEYS.run, run as PartialJSONValue | undefined);
  }

  /** Whether exactly this is stored of its run. */
  hasRun(run: IRunInfo): boolean {
    const stored = this.storedRun ?? null;
    return JSONExt.deepEqual(run as unknown as PartialJSONObject, stored);
  }

  /** The user's marks, with their defaults. */
  get marks(): Required<IMarks> {
    return { ...NO_MARKS, ...readMarks(this.cell.getMetadata(KEYS.marks)) };
  }

  /** Set the given marks; other marks stay. */
  mark(change: IMarks): void {
    const before = this.cell.getMetadata(KEYS.marks);
    const after = withMarks(before, change);
    if (!sameEntry(before, after)) {
      this._set(KEYS.marks, Object.keys(after).length ? after : undefined);
    }
  }

  /** What stands below the user's text: tool rounds, the reply, and what other tools wrote. */
  get parts(): IOutput[] {
    return this.cell.getOutputs();
  }

  /**
   * Take parts away and put others behind the rest.
   *
   * @param remove - Their places, last first.
   */
  changeParts(remove: readonly number[], add: IOutput[] = []): void {
    for (const place of remove) {
      this.cell.updateOutputs(place, place + 1, []);
    }
    if (add.length) {
      const end = this.parts.length;
      this.cell.updateOutputs(end, end, add);
    }
  }

  /**
   * Put another part in the place of one.
   *
   * JupyterLab puts an output that comes from elsewhere last, wherever it was put: so do all
   * behind it.
   */
  replacePart(place: number, part: IOutput): void {
    const { parts } = this;
    this.cell.updateOutputs(place, parts.length, [
      part,
      ...parts.slice(place + 1)
    ]);
  }

  /** The tool rounds, in order. */
  get rounds(): IToolRound[] {
    return readRounds(this.parts);
  }

  /** The reply, if there is one. */
  get reply(): IReply | null {
    return readReply(this.parts);
  }

  /** All that it says as text. */
  get text(): Required<IPairText> {
    return readPairText(this.source, this.parts);
  }

  /** The messages that are sent instead of its text, where text cannot say them; null if the text is sent. */
  get messages(): IMessage[] | null {
    const stored = this.cell.getMetadata(KEYS.messages);
    return readKeptMessages(stored, () => pairMessages(this.text));
  }

  /** The same as they are stored, for putting them back. */
  get storedMessages(): PartialJSONObject | undefined {
    const stored: unknown = this.cell.getMetadata(KEYS.messages);
    return isObject(stored) ? stored : undefined;
  }

  /** Keep messages beside the text; undefined if the text is to be sent. */
  setMessages(stored: PartialJSONObject | undefined): void {
    this._set(KEYS.messages, stored);
  }

  /** Its earlier versions, oldest first; what cannot be read counts as absent. */
  get versions(): IVersion[] {
    return readVersions(this.storedVersions);
  }

  /** The same as they are stored; entries that cannot be read are not ours to drop. */
  get storedVersions(): unknown[] {
    const stored: unknown = this.cell.getMetadata(KEYS.versions);
    return Array.isArray(stored) ? stored : [];
  }

  /** Store versions. */
  setVersions(list: readonly unknown[]): void {
    this._set(
      KEYS.versions,
      list.length ? (list as PartialJSONValue) : undefined
    );
  }

  /**
   * Whether it is the empty cell that JupyterLab puts into a notebook, under collaboration once
   * for each browser: no pair yet, not shown, and gone when the first one comes. A cell that was
   * sent is none, even if what it says of that cannot be read.
   */
  get isSpare(): boolean {
    // Asked for every cell whenever a chat is drawn; what most pairs have is looked at first.
    return (
      this.source === '' &&
      this.storedRun === undefined &&
      this.cell.getMetadata(KEYS.messages) === undefined &&
      this.parts.length === 0
    );
  }

  /** Take away the mark by which JupyterLab would run what a reply holds. */
  distrust(): void {
    this.cell.deleteMetadata('trusted');
  }

  /** The cell as a file has it. */
  toJSON(): ICodeCell {
    return this.cell.toJSON() as ICodeCell;
  }

  private _set(key: string, value: PartialJSONValue | undefined): void {
    if (value === undefined) {
      this.cell.deleteMetadata(key);
    } else {
      this.cell.setMetadata(key, value);
    }
  }
}

/** What a file's cell says of its run. */
export function runIn(metadata: PartialJSONObject): IRunInfo | null {
  return readRunInfo(metadata[KEYS.run]);
}

/**
 * The messages that a file's cell keeps; null if its text is what is sent.
 *
 * @param text - Tells what the cell's text says.
 */
export function messagesIn(
  metadata: PartialJSONObject,
  text: () => readonly IMessage[]
): IMessage[] | null {
  return readKeptMessages(metadata[KEYS.messages], text);
}

function isPair(cell: ISharedCell): cell is ISharedCodeCell {
  return cell.cell_type === 'code';
}
