/** Whether a notebook is a replay record, and whether it is unchanged since its export. */
import type { INotebookContent } from '@jupyterlab/nbformat';
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { trans } from '../../base/words';
import { isObject } from '../../base/json';
import { fileEntry } from '../../document/chatentry';
import { bodyHash } from '../../request/render';
import { canonical } from '../../base/canonical';
import { payloadMessages, recordNotebook } from './projection';
import {
  digest,
  type IRecord,
  type IReplay,
  type IReplayLineage
} from './record';
import { areRecordReferences, referenceProblems } from './recordreferences';
import { isAsReceived, isRecordResponse } from './recordresponse';

/** The result of checking a notebook. */
export interface IChecked {
  /** The record; null if there is none, or it cannot be read. */
  readonly replay: IReplay | null;
  /** What is wrong with it, as texts for the user; empty if it is valid. */
  readonly problems: readonly string[];
}

/** Read a notebook as a replay record and check it, as `jupyter turnbook verify` does. */
export function checkRecord(notebook: unknown): IChecked {
  const replay = readRecord(notebook);
  if (!replay) {
    return {
      replay: null,
      problems: [
        trans.__(
          'This notebook is not a replay record, or its record cannot be read.'
        )
      ]
    };
  }
  const { record, lineage } = replay;
  const problems: string[] = [];
  const hash = bodyHash(record.payload);
  if (hash !== record.hash) {
    problems.push(
      trans.__(
        'The payload does not match its hash: it is %1, the record says %2.',
        hash,
        record.hash
      )
    );
  }
  if (record.response && !isAsReceived(record.response)) {
    problems.push(trans.__('The response does not match its hash.'));
  }
  if (digest(record, lineage) !== record.digest) {
    problems.push(
      trans.__('The record or its lineage was changed after the export.')
    );
  }
  if (
    lineage.payloadHash !== record.hash ||
    lineage.version !== record.version ||
    lineage.requestId !== record.requestId
  ) {
    problems.push(trans.__('The lineage belongs to another record.'));
  }
  let derived: INotebookContent | null = null;
  try {
    derived = recordNotebook(replay);
    const messages = payloadMessages(record.payload);
    problems.push(...referenceProblems(messages, record.references ?? []));
  } catch (error) {
    problems.push(
      trans.__(
        'The payload cannot be read as a request: %1',
        (error as Error).message
      )
    );
  }
  if (derived && !sameCells(derived, notebook as INotebookContent)) {
    problems.push(trans.__('The cells do not show what the payload says.'));
  }
  return { replay: derived ? replay : null, problems };
}

/** The record in a notebook; null if it has no valid one. */
export function readRecord(notebook: unknown): IReplay | null {
  const entry = fileEntry(notebook);
  const record = isObject(entry) ? entry.record : undefined;
  const lineage = isObject(entry) ? entry.lineage : undefined;
  return isRecord(record) && isLineage(lineage)
    ? {
        record: record as unknown as IRecord,
        lineage: lineage as unknown as IReplayLineage
      }
    : null;
}

function isRecord(value: unknown): value is PartialJSONObject {
  return (
    isObject(value) &&
    ['payload', 'hash', 'requestId', 'provider', 'digest'].every(
      key => typeof value[key] === 'string'
    ) &&
    ['version', 'at', 'deleted'].every(key => isCount(value[key])) &&
    ['loggedHash', 'debugName'].every(
      key => value[key] === undefined || typeof value[key] === 'string'
    ) &&
    (value.trimmed === undefined ||
      (isObject(value.trimmed) &&
        isCount(value.trimmed.pairs) &&
        isCount(value.trimmed.tokens))) &&
    (value.references === undefined || areRecordReferences(value.references)) &&
    (value.response === undefined || isRecordResponse(value.response)) &&
    Array.isArray(value.sections) &&
    value.sections.every(
      section => isObject(section) && typeof section.kind === 'string'
    )
  );
}

function isLineage(value: unknown): value is PartialJSONObject {
  return (
    isObject(value) &&
    [
      'replay_parent_session_id',
      'replay_parent_turn_id',
      'payloadHash',
      'requestId'
    ].every(key => typeof value[key] === 'string') &&
    ['version', 'at'].every(key => isCount(value[key]))
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether two notebooks have the same cells, however their lines are stored. */
function sameCells(a: INotebookContent, b: INotebookContent): boolean {
  return Array.isArray(b.cells) && comparable(a.cells) === comparable(b.cells);
}

function comparable(cells: unknown): string {
  return canonical(plain(cells as PartialJSONValue));
}

/** A cell without what viewers add to it, and with each text as one string. */
function plain(value: PartialJSONValue): PartialJSONValue {
  if (Array.isArray(value)) {
    return value.map(item => plain(item as PartialJSONValue));
  }
  if (!isObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'trusted')
      .map(([key, item]) => [
        key,
        isLines(key, item) ? item.join('') : plain(item as PartialJSONValue)
      ])
  );
}

function isLines(key: string, value: unknown): value is string[] {
  return (
    (key === 'source' || key === 'text/markdown') &&
    Array.isArray(value) &&
    value.every(line => typeof line === 'string')
  );
}
