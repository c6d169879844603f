/**
 * The request of a pair that was sent: its exact bytes where somebody has them, else rebuilt.
 */
import type { IContext } from '../context/gather';
import type { IRunInfo } from '../document/metadata';
import { RequestError } from './errors';
import type { IRequestBase } from './model';
import { bodyHash, splitModel } from './render';
import { baseFromBody, baseFromContext } from './sections';

/** A pair that was sent, as the document has it. */
export interface ISentPair {
  readonly id: string;
  readonly info: IRunInfo;
  /** The messages that its context and its own text give today. */
  readonly context: Pick<IContext, 'messages' | 'sections'>;
  /** A request that is kept in the document; its bytes and its hash. */
  readonly record: { payload: string; hash: string } | null;
}

/** Read the request of a pair: from the journal, else from a record, else rebuilt. */
export async function pastBase(
  chatId: string,
  pair: ISentPair,
  /** The bytes of a run; null when the journal no longer has them. */
  getRequest: (runId: string) => Promise<Uint8Array | null>
): Promise<IRequestBase> {
  const { id, info, context, record } = pair;
  const { provider, model } = splitModel(info.model);
  const expected = info.requestHash;
  const about = { chatId, pair: id, provider, cells: context, expected };
  const bytes = info.runId ? await getRequest(info.runId) : null;
  if (bytes) {
    return baseFromBody(textOf(bytes), { ...about, source: 'journal' });
  }
  if (
    record &&
    record.hash === expected &&
    bodyHash(record.payload) === record.hash
  ) {
    return baseFromBody(record.payload, { ...about, source: 'record' });
  }
  return baseFromContext(context, {
    ...about,
    model,
    options: info.options ?? {},
    source: 'reconstructed',
    cell: id
  });
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      bytes
    );
  } catch {
    throw new RequestError(
      'not-a-request',
      'The bytes of this request are not UTF-8, so they cannot be edited. Show request has them as they are.'
    );
  }
}
