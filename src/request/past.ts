/** The request of a sent pair: its exact bytes if they are still stored, else rebuilt. */
import { trans } from '../base/words';
import type { IContext } from '../context/gather';
import type { IRunInfo } from '../document/metadata';
import { RequestError } from './errors';
import type { IRequestBase } from './model';
import { bodyHash, splitModel } from './render';
import { baseFromBody, baseFromContext } from './sections';

/** A sent pair as the document has it. */
export interface ISentPair {
  readonly id: string;
  readonly info: IRunInfo;
  /** The messages that its context and its own text give today. */
  readonly context: Pick<IContext, 'messages' | 'sections'>;
  /** A request stored in the document: its bytes and its hash. */
  readonly record: { payload: string; hash: string } | null;
}

/** The request that a pair's cells give today, without edits. */
export function saidBase(
  chatId: string,
  { id, info, context }: ISentPair,
  debugName?: string
): IRequestBase {
  const { provider, model } = splitModel(info.model);
  const trimmed = info.trimmed?.pairs ?? 0;
  return baseFromContext(
    { ...context, trimmed },
    { chatId, pair: id, provider, model, cell: id, debugName }
  );
}

/** Read the request of a pair: from the journal, else from a record, else rebuild it. */
export async function pastBase(
  chatId: string,
  pair: ISentPair,
  /** The bytes of a run; null if the journal no longer has them. */
  getRequest: (runId: string) => Promise<Uint8Array | null>,
  debugName?: string
): Promise<IRequestBase> {
  const { id, info, context, record } = pair;
  const { provider, model } = splitModel(info.model);
  const about = {
    chatId,
    pair: id,
    provider,
    cells: context,
    expected: info.requestHash,
    trimmed: info.trimmed?.pairs ?? 0,
    debugName
  };
  const { expected, trimmed } = about;
  const { edited } = info;
  const mark = edited ? { edited } : {};
  const bytes = info.runId ? await getRequest(info.runId) : null;
  if (bytes) {
    const base = baseFromBody(textOf(bytes), { ...about, source: 'journal' });
    return { ...base, ...mark };
  }
  if (
    record &&
    record.hash === expected &&
    bodyHash(record.payload) === record.hash
  ) {
    const base = baseFromBody(record.payload, { ...about, source: 'record' });
    return { ...base, ...mark };
  }
  const base = baseFromContext(
    { ...context, trimmed },
    {
      ...about,
      model,
      options: info.options ?? {},
      source: 'reconstructed',
      cell: id
    }
  );
  return { ...base, ...mark };
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      bytes
    );
  } catch {
    throw new RequestError(
      'not-a-request',
      trans.__(
        'The bytes of this request are not UTF-8, so they cannot be edited. Show request has them as they are.'
      )
    );
  }
}
