import { Signal, type ISignal } from '@lumino/signaling';

import { fromBase64 } from '../../../base/base64';
import { errorMessage } from '../../../base/errors';
import { trans } from '../../../base/words';
import { attachableFault } from '../../../document/attachable';
import type { IAttachment } from '../../../document/attachments';
import type { Draft } from '../../../session/draft';
import {
  blobAttachment,
  excess,
  FileProblem,
  LIMITS,
  readFile,
  type ILargeImage,
  type IRead,
  type IReadable
} from './readfile';
import type { IReferenceItem } from '../references/providers';
import { scaleDown } from './scale';
import { freezeFile, type IFileReader } from './serverfile';

/** A file that was not attached, or not as it was. */
export interface IAttachProblem {
  words: string;
  /** Whether the file is attached. */
  isNote?: boolean;
  /** Scale the image down and attach it; absent if that would not help. */
  scale?: () => Promise<void>;
}

/** Attaches files to the message being written. */
export class Attaching {
  constructor(private _options: Attaching.IOptions) {}

  /** Emitted when files are being read, or could not be attached. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Why files were not attached. */
  get problems(): readonly IAttachProblem[] {
    return this._problems;
  }

  /** Whether files are being read. */
  get isReading(): boolean {
    return this._reading > 0;
  }

  /** Resolves when no file is being read. */
  get settled(): Promise<void> {
    return this._work;
  }

  /** Attach files, in order; those that cannot be attached are among the problems. */
  add(files: readonly IReadable[]): Promise<void> {
    return this._do(async () => {
      for (const file of files) {
        await this._try(() => readFile(file));
      }
    });
  }

  /**
   * Attach files of the server.
   *
   * @param isLocked - Whether the message is paused, so that nothing can be added to it.
   */
  addPaths(paths: readonly string[], isLocked = false): Promise<void> {
    return this._do(async () => {
      for (const path of paths) {
        await this._try(async () => {
          mayAdd(path, isLocked);
          return freezeFile(path, this._options);
        });
      }
    });
  }

  /**
   * Attach what has been read already, after what is being read.
   *
   * @param isLocked - Whether the message is paused, so that nothing can be added to it.
   */
  take(attachments: readonly IAttachment[], isLocked = false): Promise<void> {
    return this._do(async () => {
      for (const one of attachments) {
        await this._try(async () => {
          const file = checked(one);
          mayAdd(file.name, isLocked);
          return { file };
        });
      }
    });
  }

  /** Attach what a reference is now. */
  freeze(item: IReferenceItem): Promise<void> {
    return this._do(async () => {
      try {
        const found = await item.freeze();
        if (!found.length) {
          throw new FileProblem(
            trans.__('%1 is not attached: it is empty.', item.label)
          );
        }
        for (const one of found) {
          await this._try(async () => ({ file: checked(one, item.label) }));
        }
      } catch (error) {
        const words =
          error instanceof FileProblem
            ? error.message
            : trans.__(
                '%1 could not be read: %2',
                item.label,
                errorMessage(error)
              );
        this._report({ words });
      }
    });
  }

  /** Make an attached image smaller. */
  scale(file: IAttachment): Promise<void> {
    return this._do(async () => {
      const bytes = fromBase64(file.data);
      try {
        const { bytes: smaller, type } = await scaleDown(bytes, file.type);
        if (smaller.length >= bytes.length) {
          this._report({
            words: trans.__(
              '%1 stays as it is: it would not get smaller.',
              file.name
            ),
            isNote: true
          });
          return;
        }
        const { reference } = file;
        const next = {
          ...(await blobAttachment(type, file.name, smaller)),
          ...(reference ? { reference } : {})
        };
        this._scaledFrom.set(next.sha256, this.sizeBefore(file) ?? file.size);
        this._options.draft.replace(file, next);
      } catch (error) {
        this._report(notScaled(file.name, error));
      }
    });
  }

  /** The size that a file had before it was scaled down; null if it was not. */
  sizeBefore({ sha256 }: Pick<IAttachment, 'sha256'>): number | null {
    return this._scaledFrom.get(sha256) ?? null;
  }

  /** Dismiss the problems. */
  dismiss(): void {
    this._problems = [];
    this._changed.emit();
  }

  private async _try(read: () => Promise<IRead>): Promise<void> {
    const { draft } = this._options;
    try {
      if (draft.attachments.length >= LIMITS.count) {
        // Without reading what cannot be attached.
        throw new FileProblem(
          trans.__('A message can have %1 files.', LIMITS.count)
        );
      }
      const { file, note } = await read();
      this._attach(file);
      if (note) {
        this._report({ words: note, isNote: true });
      }
    } catch (error) {
      const image = error instanceof FileProblem ? error.image : null;
      this._report({
        words:
          error instanceof FileProblem
            ? error.message
            : trans.__('The file could not be read: %1', errorMessage(error)),
        ...(image ? { scale: () => this._addScaled(image) } : {})
      });
    }
  }

  private _attach(file: IAttachment): void {
    const { draft } = this._options;
    const problem = excess(draft.attachments, file);
    if (problem !== null) {
      throw new FileProblem(problem);
    }
    if (!draft.attach(file)) {
      throw new FileProblem(trans.__('%1 is attached already.', file.name));
    }
  }

  private _addScaled(image: ILargeImage): Promise<void> {
    const { name } = image;
    return this._do(async () => {
      this._problems = [];
      try {
        const { bytes, type } = await scaleDown(image.bytes, image.type);
        const file = await blobAttachment(type, name, bytes);
        this._scaledFrom.set(file.sha256, image.bytes.length);
        this._attach(file);
      } catch (error) {
        this._report(notScaled(name, error));
      }
    });
  }

  private _report(problem: IAttachProblem): void {
    this._problems = [
      ...this._problems.filter(({ words }) => words !== problem.words),
      problem
    ];
    this._changed.emit();
  }

  private _do(work: () => Promise<void>): Promise<void> {
    this._reading++;
    this._changed.emit();
    this._work = this._work.then(work).finally(() => {
      this._reading--;
      this._changed.emit();
    });
    return this._work;
  }

  private _changed = new Signal<this, void>(this);
  private _problems: readonly IAttachProblem[] = [];
  private _reading = 0;
  /** The sizes that scaled images had, by their hashes now. */
  private _scaledFrom = new Map<string, number>();
  private _work: Promise<void> = Promise.resolve();
}

/**
 * The namespace for `Attaching` statics.
 */
export namespace Attaching {
  export interface IOptions extends IFileReader {
    draft: Pick<Draft, 'attach' | 'attachments' | 'replace'>;
  }
}

/** What another extension gave as an attachment; throws if it is none. */
function checked(file: IAttachment, name = file?.name): IAttachment {
  const fault = attachableFault(file);
  if (fault !== null) {
    throw new FileProblem(
      trans.__(
        '%1 is not attached: the extension that it comes from gave it in a wrong form (%2).',
        String(name),
        fault
      )
    );
  }
  return file;
}

/** Throws if nothing can be added to the message. */
function mayAdd(name: string, isLocked: boolean): void {
  if (isLocked) {
    throw new FileProblem(
      trans.__(
        '%1 is not attached: a message is paused. Resume it or cancel it first.',
        name
      )
    );
  }
}

function notScaled(name: string, error: unknown): IAttachProblem {
  return {
    words: trans.__(
      '%1 could not be scaled down: %2',
      name,
      errorMessage(error)
    )
  };
}
