/**
 * Several replies to one message, its siblings: one of them is chosen and is what the pair says; the
 * others are versions with the same group.
 */
import type { ISharedNotebook } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';

import type { IRun } from '../base/run';
import { isUnderWay } from './lifecycle';
import type { IRunInfo } from './metadata';
import { MOST_SIBLING, type ISiblingMark } from './siblingmark';
import { runIn, type Pair } from './pair';
import { outputRunId, outputRuns } from './reply';
import { readVersion, type IVersion } from './versionlist';
import {
  currentVersion,
  keptInfo,
  versionInfo,
  versionOutputs
} from './versions';

/** Where a reply is in the document: the pair itself, or one of its versions. */
export type ReplySlot = Pick<
  Pair,
  | 'run'
  | 'parts'
  | 'reply'
  | 'source'
  | 'storedMessages'
  | 'changeParts'
  | 'setRun'
  | 'hasRun'
  | 'distrust'
>;

/** One of several replies to a message. */
export interface ISibling {
  /** Its number in the group. */
  index: number;
  /** Its place among the pair's versions; null if it is chosen. */
  place: number | null;
  info: IRunInfo;
  slot: ReplySlot;
}

/** The siblings of what a pair says, by number; none if there is a single reply. */
export function siblingsOf(pair: Pair): ISibling[] {
  const info = pair.run;
  if (info?.group === undefined) {
    return [];
  }
  const found = new Map<number, ISibling>([
    [info.sibling!, { index: info.sibling!, place: null, info, slot: pair }]
  ]);
  pair.versions.forEach((version, place) => {
    const { group, sibling } = version;
    // A file may have been edited by hand: of two with one number, the first counts.
    if (group === info.group && !found.has(sibling!)) {
      const slot = new VersionSlot(pair, version);
      found.set(sibling!, { index: sibling!, place, info: slot.run, slot });
    }
  });
  return found.size > 1
    ? [...found.values()].sort((a, b) => a.index - b.index)
    : [];
}

/** The places of a pair's versions that are no siblings of what it says. */
export function pastVersions(pair: Pair): number[] {
  const siblings = new Set(siblingsOf(pair).map(({ place }) => place));
  return pair.versions.flatMap((_, place) =>
    siblings.has(place) ? [] : [place]
  );
}

/** An earlier version of a pair, by its number among those that are no siblings of what it says. */
export function pastVersion(pair: Pair, number: number): IVersion | undefined {
  const place = pastVersions(pair)[number] as number | undefined;
  return place === undefined ? undefined : pair.versions[place];
}

/** Whether any reply of a pair is to come. */
export function awaitsReply(
  pair: Pair,
  siblings: readonly ISibling[] = siblingsOf(pair)
): boolean {
  const info = pair.run;
  return (
    (info !== null && isUnderWay(info.state)) ||
    siblings.some(({ info: { state } }) => isUnderWay(state))
  );
}

/**
 * Where a run's reply is in its pair, or is to be; null if the pair does not say.
 *
 * The first reply was not one of a group when it was asked for, if others were asked for later. The
 * attempts at it name no group either.
 */
export function slotOf(pair: Pair, run: PlacedRun): ReplySlot | null {
  const info = pair.run;
  const { group = info?.group, sibling = 0 } = run;
  if (
    group === undefined ||
    (info?.group === group && info.sibling === sibling) ||
    (run.group === undefined && isForPair(pair, run))
  ) {
    return pair;
  }
  const version = pair.versions.find(
    known => known.group === group && known.sibling === sibling
  );
  return version ? new VersionSlot(pair, version) : null;
}

type PlacedRun = Pick<IRun, 'id' | 'group' | 'sibling' | 'attempt' | 'cell'>;

/** Whether a run without a group is for what a pair says, since the whole pair was sent with it. */
function isForPair(pair: Pair, { id, attempt, cell }: PlacedRun): boolean {
  const isPosted = runIn(cell.metadata)?.runId === id;
  return pair.run?.runId === id || (isPosted && attempt > lastAttempt(pair));
}

/** The number of the last attempt at a pair, of all siblings. */
export function lastAttempt(pair: Pair): number {
  const past = pair.versions.map(version => versionInfo(version)?.attempt ?? 0);
  return Math.max(0, pair.run?.attempt ?? 0, ...past);
}

/** The number for the next sibling of what a pair says, the first of `count`. */
export function nextSibling(pair: Pair, count = 1): number {
  const past = pair.versions.map(({ sibling = 0 }) => sibling);
  const used = [0, pair.run?.sibling ?? 0, ...past].sort((a, b) => a - b);
  const last = used.at(-1)!;
  if (last + count <= MOST_SIBLING) {
    return last + 1;
  }
  // Only a file that was edited by hand has such numbers: they go into a gap.
  const before = used.find((number, at) => used[at + 1] - number > count);
  return (before ?? last) + 1;
}

/** The versions of siblings that are being asked for. */
export function awaitedVersions(
  pair: Pick<Pair, 'run' | 'parts' | 'source' | 'storedMessages'>,
  infos: readonly IRunInfo[]
): IVersion[] {
  const { source = '', attachments } = currentVersion(pair) ?? {};
  return infos.map(info => ({
    source,
    reply: '',
    model: info.model,
    requestHash: info.requestHash,
    at: info.updatedAt,
    runId: info.runId,
    run: keptInfo(info),
    ...(attachments ? { attachments } : {}),
    group: info.group,
    sibling: info.sibling
  }));
}

/**
 * Put siblings beside what a pair says; outside the undo stack, like all sending.
 *
 * Returns a function that undoes this.
 */
export function beginSiblings(
  notebook: ISharedNotebook,
  pair: Pair,
  infos: readonly IRunInfo[]
): () => void {
  const versions = awaitedVersions(pair, infos);
  notebook.transact(
    () => pair.setVersions([...pair.storedVersions, ...versions]),
    false
  );
  const ids = new Set(infos.map(({ runId }) => runId));
  return () => {
    const left = pair.storedVersions.filter(
      value => !ids.has(readVersion(value)?.runId ?? '')
    );
    notebook.transact(() => pair.setVersions(left), false);
  };
}

/** All replies of what a pair says, as versions; none if there is a single one. */
export function siblingVersions(pair: Pair): IVersion[] {
  return siblingsOf(pair).map(({ place }) =>
    place === null ? currentVersion(pair)! : pair.versions[place]
  );
}

/**
 * Put back the siblings that a pair lacks, drop one that it has twice, and let its outputs be those of
 * the one that is chosen.
 *
 * Versions are one value of the document, and so is the run. When one browser changes which reply is
 * chosen while another writes or chooses one, one of the two values wins, and it may lack what the other
 * had moved; of outputs, both sets are there.
 */
export function restoreSiblings(
  notebook: ISharedNotebook,
  pair: Pair,
  known: readonly IVersion[]
): void {
  const { run } = pair;
  if (run?.group === undefined) {
    return;
  }
  const attachments = currentVersion(pair)?.attachments ?? [];
  const isMine = (version: IVersion | null) => version?.group === run.group;
  const { remove, add } = strayOutputs(
    pair,
    run,
    [...pair.versions, ...known].filter(isMine)
  );
  if (remove.length || add.length) {
    notebook.transact(() => pair.changeParts(remove, add), false);
  }
  const { reply, storedVersions: stored } = pair;
  const kept = stored.filter(value => {
    const version = readVersion(value);
    const isTwin =
      isMine(version) &&
      version?.sibling === run.sibling &&
      version?.runId === run.runId &&
      version.reply === reply?.text &&
      // *Update* keeps what was sent with the reply as a version.
      JSONExt.deepEqual(version.attachments ?? [], attachments);
    return !isTwin;
  });
  const present = new Set([
    run.sibling,
    ...pair.versions.filter(isMine).map(({ sibling }) => sibling)
  ]);
  const lost = known.filter(one => isMine(one) && !present.has(one.sibling));
  if (lost.length || kept.length < stored.length) {
    notebook.transact(() => pair.setVersions([...kept, ...lost]), false);
  }
}

/**
 * The outputs of other siblings than the chosen one, and those that are there twice, last first; and the
 * chosen one's outputs if it is among the versions instead.
 */
function strayOutputs(
  { parts, versions }: Pair,
  { group, runId, sibling }: IRunInfo,
  siblings: readonly IVersion[]
): { remove: number[]; add: IOutput[] } {
  const isChosen = (version: IVersion) => version.sibling === sibling;
  const wanted = siblings
    .filter(version => isChosen(version) && version.runId === runId)
    .map(versionOutputs)
    .find(outputs => outputs.length > 0);
  const own = new Set([runId, ...outputRuns(wanted ?? [])]);
  const others = new Set(
    siblings
      .filter(version => !isChosen(version))
      .flatMap(version => outputRuns(versionOutputs(version)))
      .filter(id => !own.has(id))
  );
  let left = wanted ?? [];
  let isThere = false;
  const remove: number[] = [];
  parts.forEach((part, place) => {
    const id = outputRunId(part);
    const isSame = (output: IOutput) => JSONExt.deepEqual(output, part);
    const at = left.findIndex(isSame);
    const isTwice = at < 0 && wanted?.some(isSame);
    left = left.filter((_, place) => place !== at);
    if (id !== null && (others.has(id) || isTwice)) {
      remove.unshift(place);
    } else {
      isThere ||= id !== null;
    }
  });
  const isTwin = versions.some(
    version => version.group === group && isChosen(version)
  );
  const isLost = !isThere && (isTwin || remove.length > 0);
  return { remove, add: isLost ? (wanted ?? []) : [] };
}

/** Make what a pair says one of a group, so that others can be put beside it. */
export function joinGroup(
  notebook: ISharedNotebook,
  pair: Pair,
  mark: ISiblingMark
): void {
  const info = pair.run;
  if (info) {
    notebook.transact(() => pair.setRun({ ...info, ...mark }), false);
  }
}

/** A version without its place among siblings: one that another attempt has replaced. */
export function withoutGroup(version: IVersion): IVersion {
  const { group: _, sibling: __, ...rest } = version;
  return rest;
}

/** A version of a pair, read and written like a pair. */
class VersionSlot implements ReplySlot {
  constructor(
    private _pair: Pair,
    private _version: IVersion
  ) {}

  get source(): string {
    return this._version.source;
  }

  get run(): IRunInfo {
    return (
      versionInfo(this._version) ?? {
        state: this._version.reply ? 'succeeded' : 'error',
        model: '',
        createdAt: 0,
        updatedAt: 0,
        runId: '',
        attempt: 1,
        context: [],
        requestHash: '',
        group: this._version.group,
        sibling: this._version.sibling
      }
    );
  }

  get parts(): IOutput[] {
    return versionOutputs(this._version);
  }

  get reply(): Pair['reply'] {
    const { reply: text, runId = '', partial = false } = this._version;
    const { edited, sent } = this._version;
    return text ? { text, runId, partial, edited, sent } : null;
  }

  get storedMessages(): PartialJSONObject | undefined {
    return this._version.messages;
  }

  hasRun(run: IRunInfo): boolean {
    return JSONExt.deepEqual(
      run as unknown as PartialJSONObject,
      this.run as unknown as PartialJSONObject
    );
  }

  setRun(run: Parameters<Pair['setRun']>[0]): void {
    this._write(run as IRunInfo, this.parts);
  }

  changeParts(remove: readonly number[], add: IOutput[] = []): void {
    const left = this.parts.filter((_, place) => !remove.includes(place));
    this._write(this.run, [...left, ...add]);
  }

  distrust(): void {
    return;
  }

  private _write(run: IRunInfo, parts: IOutput[]): void {
    const { source, storedMessages } = this;
    const { attachments, group, sibling } = this._version;
    const next: IVersion = {
      ...currentVersion({ run, parts, source, storedMessages })!,
      ...(attachments ? { attachments } : {}),
      group,
      sibling
    };
    let isFound = false;
    this._pair.setVersions(
      this._pair.storedVersions.map(value => {
        const known = isFound ? null : readVersion(value);
        isFound ||= known?.group === group && known?.sibling === sibling;
        return known?.group === group && known?.sibling === sibling
          ? next
          : value;
      })
    );
    this._version = next;
  }
}
