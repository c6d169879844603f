/**
 * What a replay's tab shows, from what is known of it.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { checkRecord } from '../model/check';
import type { IReplayEntry } from '../model/entry';
import { NothingToReplay } from '../model/record';
import type { IBuilt } from '../model/source';
import type { StaleReason } from '../model/state';

/** What a replay's tab shows. */
export interface IReplayView {
  /** Where it comes from. */
  readonly kind: 'entry' | 'record';
  /** What can be looked at; null if there is nothing. */
  readonly built: IBuilt | null;
  /** Which chat and turn, in words. */
  readonly from: { name: string; turn: number | null } | null;
  readonly status:
    | { readonly name: 'shown' | 'building' | 'empty' }
    | { readonly name: 'cleared'; readonly why: StaleReason }
    | { readonly name: 'damaged'; readonly problems: readonly string[] };
  /** Why the last build failed; null if it did not. */
  readonly problem: Error | null;
  readonly canRestore: boolean;
}

/** What to show of a turn's replay; null is a replay that nobody knows any more. */
export function viewOfEntry(entry: IReplayEntry | null): IReplayView {
  const { machine, current = null, problem = null, origin } = entry ?? {};
  const state = machine?.state ?? 'stale';
  return {
    kind: 'entry',
    built: current,
    from: origin ? { name: origin.name, turn: origin.turn } : null,
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

/** What to show of a record file. */
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

/** Why a build failed, in words. */
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

/** Why a replay was cleared, in words. */
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
        'Replays are not kept over a reload; the setting replay.persist keeps them.'
      );
  }
}
