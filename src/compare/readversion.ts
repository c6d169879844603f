/** Reads a version of a pair: its request and its reply. */
import type { PartialJSONObject } from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import { trans } from '../base/words';
import { readCell, type ICellLike } from '../context/cell';
import { gatherContext, idsOf } from '../context/gather';
import { pairMessages, readShownText } from '../document/messages';
import { filePair, type FilePair } from '../document/filepair';
import { isUnderWay } from '../document/lifecycle';
import { readRunInfo, type IRunInfo } from '../document/metadata';
import type { IVersion } from '../document/versionlist';
import { currentVersion, versionOutputs } from '../document/versions';
import { payloadMessages, payloadOptions } from '../replay/model/projection';
import { decode } from '../request/inspect';
import { bodyHash } from '../request/render';
import { placeOf, type IItem } from './items';
import { NO_FACTS, saidOf, type ISide } from './side';
import { usageOf, type ISource } from './source';

/** All versions of a pair, the current one last. */
export function allVersions(
  pair: FilePair
): (IVersion | Record<string, never>)[] {
  return [...pair.versions, currentVersion(pair) ?? {}];
}

/**
 * Read a version; null if the pair has no such version.
 *
 * @param cells - All cells of the chat.
 */
export async function readVersion(
  cell: ICellLike,
  item: IItem,
  cells: readonly ICellLike[],
  { priceOf, getRequest }: ISource
): Promise<Omit<ISide, 'path'> | null> {
  const pair = filePair(cell);
  const index = placeOf(item, allVersions(pair));
  const isCurrent = index === pair.versions.length;
  const version = isCurrent
    ? currentVersion(pair)
    : index !== null && pair.versions[index];
  if (!version) {
    return null;
  }
  const info = isCurrent ? pair.run : infoOf(version);
  const request = await requestOf(version, info, cell, cells, getRequest);
  const reply = replyOf(version, request.messages);
  const { model, at, requestHash } = version;
  const number = trans.__('Version %1', index! + 1);
  const notes = [
    ...(request.note ? [request.note] : []),
    ...(info && isUnderWay(info.state)
      ? [trans.__('The reply is in progress.')]
      : reply.length
        ? []
        : [trans.__('This version has no reply.')]),
    ...(version.partial ? [trans.__('The reply is incomplete.')] : []),
    ...(version.edited ? [trans.__('The reply was edited.')] : [])
  ];
  return {
    title: [
      isCurrent ? trans.__('%1 (current)', number) : number,
      ...(model ? [model] : [])
    ].join(' · '),
    said: [...saidOf(request.messages, false), ...saidOf(reply, true)],
    facts: {
      ...NO_FACTS,
      ...usageOf(info?.usage, model, priceOf),
      model: model || null,
      options: request.options ?? info?.options ?? null,
      seconds: info?.seconds ?? null,
      at: at || null,
      hash: requestHash || null
    },
    notes
  };
}

function infoOf({
  run,
  model,
  requestHash,
  at,
  runId = ''
}: IVersion): IRunInfo | null {
  return readRunInfo(
    run && { ...run, model, requestHash, updatedAt: at, runId }
  );
}

interface IPastRequest {
  messages: IMessage[];
  options?: PartialJSONObject;
  note?: string;
}

/** The request of a version: its exact bytes if the journal has them, else rebuilt. */
async function requestOf(
  version: IVersion,
  info: IRunInfo | null,
  cell: ICellLike,
  cells: readonly ICellLike[],
  getRequest: ISource['getRequest']
): Promise<IPastRequest> {
  const { requestHash, runId } = version;
  const bytes = runId && requestHash ? await getRequest(runId) : null;
  const { text = '', exact = false } = bytes ? decode(bytes) : {};
  // The file may name a run of another chat.
  if (exact && bodyHash(text) === requestHash) {
    const { stream: _, stream_options: __, ...rest } = payloadOptions(text);
    const { model: ___, ...options } = rest;
    return { messages: payloadMessages(text), options };
  }
  const order = cells.map(({ id }) => id);
  const wanted = new Set(idsOf(info?.context ?? [], order));
  const shown = readShownText(version.source, cell.outputs ?? []);
  const attachments = shown.attachments.filter(({ sha256 }) =>
    version.attachments?.includes(sha256)
  );
  const context = gatherContext(
    cells.filter(({ id }) => wanted.has(id)).map(readCell),
    { text: version.source, attachments }
  );
  return {
    messages: context.messages,
    note: trans.__(
      'The journal no longer has this request. It is shown as the cells give it today.'
    )
  };
}

/** The messages of a version's reply; tool rounds that its last request has are left out. */
function replyOf(version: IVersion, request: readonly IMessage[]): IMessage[] {
  const text = readShownText('', versionOutputs(version));
  const last = request.map(({ role }) => role).lastIndexOf('user');
  const hasRounds = request.slice(last + 1).some(({ role }) => role === 'tool');
  return pairMessages({
    ...text,
    attachments: [],
    rounds: hasRounds ? [] : text.rounds
  });
}
