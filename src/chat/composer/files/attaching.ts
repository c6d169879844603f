import { PromiseDelegate } from '@lumino/coreutils';
import { Signal, type ISignal } from '@lumino/signaling';

import { fromBase64 } from '../../../base/base64';
import { errorMessage } from '../../../base/errors';
import { trans } from '../../../base/words';
import { attachableFault } from '../../../document/attachable';
import type { IAttachment } from '../../../document/attachments';
import { namedAmong } from '../../../document/references';
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

/** How long it may take to freeze a reference, in milliseconds. */
const FREEZE_MS = 60_000;

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

  /** Whether a message waits for what is being read. */
  get isAwaited(): boolean {
    return this._isAwaited;
  }

  /**
   * Call back, once everything is attached: what is being read belongs to the message.
   *
   * Not if something could not be attached, nor if another call waits already.
   */
  whenAttached(send: () => void): void {
    if (!this.isReading) {
      send();
    } else if (!this._isAwaited) {
      const failures = this._failures;
      this._isAwaited = true;
      this._changed.emit();
      void this._work.then(() => {
        this._isAwaited = false;
        this._changed.emit();
        if (this._failures === failures) {
          send();
        }
      });
    }
  }

  /** Stop reading; what is not attached yet will not be. */
  cancel(): void {
    const canceled = this._canceled;
    this._canceled = new PromiseDelegate();
    this._report({
      words: trans.__('Reading was canceled: not everything is attached.'),
      isNote: true
    });
    canceled.resolve();
  }

  /** Attach files, in order; those that cannot be attached are among the problems. */
  add(files: readonly IReadable[]): Promise<void> {
    return this._do(async isCanceled => {
      for (const file of files) {
        await this._try(() => readFile(file), isCanceled);
      }
    });
  }

  /**
   * Attach files of the server.
   *
   * @param isLocked - Whether nothing can be added to the message: it is paused, or waits to be sent.
   */
  addPaths(paths: readonly string[], isLocked = false): Promise<void> {
    return this._do(async isCanceled => {
      for (const path of paths) {
        await this._try(async () => {
          mayAdd(path, isLocked);
          return freezeFile(path, this._options);
        }, isCanceled);
      }
    });
  }

  /**
   * Attach what has been read already, after what is being read.
   *
   * @param isLocked - Whether nothing can be added to the message: it is paused, or waits to be sent.
   */
  take(attachments: readonly IAttachment[], isLocked = false): Promise<void> {
    return this._do(async isCanceled => {
      for (const one of attachments) {
        await this._try(async () => {
          const file = checked(one);
          mayAdd(file.name, isLocked);
          return { file };
        }, isCanceled);
      }
    });
  }

  /** Attach what a reference is now. */
  freeze(item: IReferenceItem): Promise<void> {
    return this._do(async isCanceled => {
      try {
        const found = await inTime(item);
        if (!found.length) {
          throw new FileProblem(
            trans.__('%1 is not attached: it is empty.', item.label)
          );
        }
        for (const one of found) {
          const read = async () => ({ file: checked(one, item.label) });
          await this._try(read, isCanceled);
        }
      } catch (error) {
        if (isCanceled()) {
          return;
        }
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
    return this._do(async isCanceled => {
      try {
        const bytes = fromBase64(file.data);
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
        if (isCanceled()) {
          return;
        }
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

  /** The hashes of attached references whose sources are others now. */
  get changedReferences(): string {
    return this._changedReferences;
  }
  set changedReferences(hashes: string) {
    if (hashes !== this._changedReferences) {
      this._changedReferences = hashes;
      this._changed.emit();
    }
  }

  /** Put what a reference is now in its place; returns why not, or null. */
  update({ name, sha256 }: IAttachment, next: IAttachment): string | null {
    const { draft } = this._options;
    const file = draft.attachments.find(one => one.sha256 === sha256);
    if (!file) {
      return trans.__('%1 is not attached any more.', name);
    }
    const others = draft.attachments.filter(one => one !== file);
    const problem = excess(others, next);
    if (problem === null) {
      draft.replace(file, namedAmong(others, next));
    }
    return problem;
  }

  /** Dismiss the problems. */
  dismiss(): void {
    this._problems = [];
    this._changed.emit();
  }

  private async _try(
    read: () => Promise<IRead>,
    isCanceled: () => boolean
  ): Promise<void> {
    const { draft } = this._options;
    try {
      if (draft.attachments.length >= LIMITS.count) {
        // Without reading what cannot be attached.
        throw new FileProblem(
          trans.__('A message can have %1 files.', LIMITS.count)
        );
      }
      const { file, note } = await read();
      if (isCanceled()) {
        return;
      }
      this._attach(file);
      if (note) {
        this._report({ words: note, isNote: true });
      }
    } catch (error) {
      if (isCanceled()) {
        return;
      }
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
    if (!draft.attach(namedAmong(draft.attachments, file))) {
      throw new FileProblem(trans.__('%1 is attached already.', file.name));
    }
  }

  private _addScaled(image: ILargeImage): Promise<void> {
    const { name } = image;
    return this._do(async isCanceled => {
      this._problems = [];
      try {
        const { bytes, type } = await scaleDown(image.bytes, image.type);
        const file = await blobAttachment(type, name, bytes);
        if (isCanceled()) {
          return;
        }
        this._scaledFrom.set(file.sha256, image.bytes.length);
        this._attach(file);
      } catch (error) {
        this._report(notScaled(name, error));
      }
    });
  }

  private _report(problem: IAttachProblem): void {
    this._failures++;
    this._problems = [
      ...this._problems.filter(({ words }) => words !== problem.words),
      problem
    ];
    this._changed.emit();
  }

  private _do(
    work: (isCanceled: () => boolean) => Promise<void>
  ): Promise<void> {
    const canceled = this._canceled;
    const isCanceled = () => canceled !== this._canceled;
    this._reading++;
    this._changed.emit();
    this._work = this._work
      .then(() =>
        isCanceled()
          ? undefined
          : Promise.race([work(isCanceled), canceled.promise])
      )
      .catch(error => {
        this._report({
          words: trans.__('Not attached: %1', errorMessage(error))
        });
      })
      .finally(() => {
        this._reading--;
        this._changed.emit();
      });
    return this._work;
  }

  /** Resolves if the user cancels what is being read; another one then. */
  private _canceled = new PromiseDelegate<void>();
  private _changed = new Signal<this, void>(this);
  private _changedReferences = '';
  /** How many problems were reported; some may be dismissed since. */
  private _failures = 0;
  private _isAwaited = false;
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

/** Freeze a reference; rejects if that takes too long. */
async function inTime(item: IReferenceItem): Promise<IAttachment[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const seconds = FREEZE_MS / 1000;
      const words = trans.__(
        '%1 is not attached: it could not be read within %2 s.',
        item.label,
        seconds
      );
      reject(new FileProblem(words));
    }, FREEZE_MS);
  });
  try {
    return await Promise.race([item.freeze(), late]);
  } finally {
    clearTimeout(timer);
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
        '%1 is not attached: a message is paused, or waits to be sent. Send it or cancel it first.',
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
