import type {
  ISharedCell,
  ISharedCodeCell,
  ISharedNotebook,
  YCodeCell
} from '@jupyter/ydoc';
import type { ICodeCell, IOutput } from '@jupyterlab/nbformat';
import {
  JSONExt,
  type PartialJSONObject,
  type PartialJSONValue
} from '@lumino/coreutils';

import { isObject } from '../base/json';
import type { IMessage } from '../base/message';
import { isAttachment } from './attachments';
import { NO_MARKS, sameEntry, withMarks } from './markentry';
import {
  readKeptMessages,
  readKeptPair,
  readPairText,
  type IReadText
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
import { readSibling, type ISiblingMark } from './siblingmark';
import { readVersions, type IVersion } from './versionlist';

/**
 * A pair: typed access to its cell.
 *
 * Nothing else reads or writes a pair's metadata and outputs. It caches nothing, so it is never
 * stale: every access reads the document, and callers keep what they need twice. Reading tolerates
 * any content. Writing belongs in a transaction of the caller, who decides whether it is an undo
 * step.
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

  /** The metadata of its last run; null if it was not sent, or if that cannot be read. */
  get run(): IRunInfo | null {
    return readRunInfo(this.storedRun);
  }

  /** The same as stored, for restoring it. */
  get storedRun(): PartialJSONValue | undefined {
    return this.cell.getMetadata(KEYS.run);
  }

  /** Set the metadata of its run; undefined for a pair that was not sent. */
  setRun(run: IRunInfo | PartialJSONValue | undefined): void {
    this._set(KEYS.run, run as PartialJSONValue | undefined);
  }

  /** Whether exactly this run metadata is stored. */
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

  /** The outputs: attachments, tool rounds, the reply, and what other tools wrote. */
  get parts(): IOutput[] {
    return this.cell.getOutputs();
  }

  /**
   * Remove parts and append others.
   *
   * @param remove - Their indices, last first.
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
   * Replace a part.
   *
   * JupyterLab appends an output that comes from elsewhere, wherever it was inserted, so all parts
   * after it are appended again too.
   */
  replacePart(place: number, part: IOutput): void {
    const { parts } = this;
    this.cell.updateOutputs(place, parts.length, [
      part,
      ...parts.slice(place + 1)
    ]);
  }

  /**
   * Change the data or the metadata of a part where it is.
   *
   * Undoing this changes nothing if the part is gone. A part that was replaced would come back then,
   * beside what has taken its place.
   */
  updatePart(
    place: number,
    change: { data?: PartialJSONObject; metadata?: PartialJSONObject }
  ): void {
    const cell = this.cell as YCodeCell;
    const part = cell.ymodel.get('outputs').get(place);
    for (const [key, value] of Object.entries(change)) {
      part.set(key, value);
    }
    cell.dirty = true;
  }

  /** The tool rounds, in order. */
  get rounds(): IToolRound[] {
    return readRounds(this.parts);
  }

  /** The reply, if there is one. */
  get reply(): IReply | null {
    return readReply(this.parts);
  }

  /** Whether it has any part besides what the user attached. */
  get hasReply(): boolean {
    return this.parts.some(part => !isAttachment(part));
  }

  /** Everything in it that is sent, as text. */
  get text(): IReadText {
    return readPairText(this.source, this.parts);
  }

  /**
   * The messages that are sent instead of its text, if text cannot express them; null if the text
   * is sent.
   */
  get messages(): IMessage[] | null {
    const stored = this.cell.getMetadata(KEYS.messages);
    return readKeptPair(stored, () => this.text);
  }

  /** The same as stored, for restoring them. */
  get storedMessages(): PartialJSONObject | undefined {
    const stored: unknown = this.cell.getMetadata(KEYS.messages);
    return isObject(stored) ? stored : undefined;
  }

  /** Store messages next to the text; undefined if the text is to be sent. */
  setMessages(stored: PartialJSONObject | undefined): void {
    this._set(KEYS.messages, stored);
  }

  /** Its earlier versions, oldest first; invalid ones are left out. */
  get versions(): IVersion[] {
    return readVersions(this.storedVersions);
  }

  /** The same as stored; invalid entries are not ours to drop. */
  get storedVersions(): unknown[] {
    const stored: unknown = this.cell.getMetadata(KEYS.versions);
    return Array.isArray(stored) ? stored : [];
  }

  setVersions(list: readonly unknown[]): void {
    this._set(
      KEYS.versions,
      list.length ? (list as PartialJSONValue) : undefined
    );
  }

  /** Which of several replies the user chose last; what the pair says is what counts. */
  get choice(): ISiblingMark | null {
    return readSibling(this.cell.getMetadata(KEYS.choice));
  }

  setChoice(choice: ISiblingMark): void {
    this._set(KEYS.choice, { ...choice });
  }

  /** Count an edit of its reply, which is how undo knows of it. */
  countEdit(): void {
    const edits: unknown = this.cell.getMetadata(KEYS.edits);
    this._set(KEYS.edits, Number.isSafeInteger(edits) ? Number(edits) + 1 : 1);
  }

  /**
   * Whether it is the empty cell that JupyterLab adds to a notebook, under collaboration once for
   * each browser: not a pair yet, not shown, and removed when the first one comes. A cell that was
   * sent is not spare, even if its run metadata cannot be read.
   */
  get isSpare(): boolean {
    // Called for every cell whenever a chat is drawn, so the cheapest check comes first.
    return (
      this.source === '' &&
      this.storedRun === undefined &&
      this.cell.getMetadata(KEYS.messages) === undefined &&
      this.parts.length === 0
    );
  }

  /** Remove the mark by which JupyterLab would trust the reply's content. */
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

/** The run metadata of a file's cell. */
export function runIn(metadata: PartialJSONObject): IRunInfo | null {
  return readRunInfo(metadata[KEYS.run]);
}

/** The messages stored in a pair of a file; null if its text is sent. */
export function pairMessagesIn(
  metadata: PartialJSONObject,
  text: IReadText
): IMessage[] | null {
  return readKeptPair(metadata[KEYS.messages], () => text);
}

/**
 * The messages stored in a file's system cell; null if its text is sent.
 *
 * @param text - Returns the messages of the cell's text.
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
