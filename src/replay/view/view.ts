/** What a replay's tab shows. */
import type { TranslationBundle } from '@jupyterlab/translation';

import { checkRecord } from '../model/check';
import type { IReplayEntry } from '../model/entry';
import { NothingToReplay } from '../model/record';
import type { IBuilt, IReplayOrigin } from '../model/source';
import type { StaleReason } from '../model/state';

/** The content of a replay's tab. */
export interface IReplayView {
  /** Where it comes from. */
  readonly kind: 'entry' | 'record';
  /** The build that is shown; null if there is none. */
  readonly built: IBuilt | null;
  /** The chat and the turn. */
  readonly from: Pick<IReplayOrigin, 'name' | 'path' | 'turn'> | null;
  readonly status:
    | { readonly name: 'shown' | 'building' | 'empty' }
    | { readonly name: 'cleared'; readonly why: StaleReason }
    | { readonly name: 'damaged'; readonly problems: readonly string[] };
  /** Why the last build failed; null if it did not. */
  readonly problem: Error | null;
  readonly canRestore: boolean;
}

/** The view of a turn's replay; null stands for a replay that is no longer known. */
export function viewOfEntry(entry: IReplayEntry | null): IReplayView {
  const { machine, current = null, problem = null, origin } = entry ?? {};
  const state = machine?.state ?? 'stale';
  return {
    kind: 'entry',
    built: current,
    from: origin ?? null,
    status: current
      ? { name: 'shown' }
      : state === 'building'
        ? { name: 'building' }
        : state === 'idle'
          ? { name: 'empty' }
          : { name: 'cleared', why: machine?.why ?? 'not-kept' },
    problem,
    canRestore: entry?.canRestore ?? false
  };
}

/** The view of a record file. */
export function viewOfFile(file: unknown): IReplayView {
  const { replay, problems } = checkRecord(file);
  return {
    kind: 'record',
    built: replay && { replay, originals: {}, before: null },
    from: null,
    status: problems.length ? { name: 'damaged', problems } : { name: 'shown' },
    problem: null,
    canRestore: false
  };
}

/** Why a build failed, as a text for the user. */
export function problemText(error: Error, trans: TranslationBundle): string {
  if (error instanceof NothingToReplay) {
    return error.isDeleted
      ? trans.__('Nothing to replay: every section of the request is deleted.')
      : trans.__('Nothing to replay: the chat and the message are empty.');
  }
  return trans.__(
    'The request could not be replayed; the chat is unchanged. %1',
    error.message
  );
}

/** Why a replay was cleared, as a text for the user. */
export function clearedText(
  why: StaleReason,
  trans: TranslationBundle
): string {
  switch (why) {
    case 'cancelled':
      return trans.__('The paused send was cancelled.');
    case 'pair-deleted':
      return trans.__('The pair that it replayed was deleted.');
    case 'file-deleted':
      return trans.__('The chat that it came from was deleted.');
    case 'chat-closed':
      return trans.__('The chat that it came from was closed.');
    case 'not-kept':
      return trans.__(
        'Replays are not stored across a reload; the setting replay.persist changes that.'
      );
  }
}
