/** Reads the sides of a comparison from notebooks as files have them, which are untrusted. */
import { PathExt } from '@jupyterlab/coreutils';
import type { PartialJSONObject } from '@lumino/coreutils';

import { isObject } from '../base/json';
import { trans } from '../base/words';
import { readCell, type ICellLike } from '../context/cell';
import { cellMessages } from '../context/gather';
import { fileEntry } from '../document/chatentry';
import { CHAT_PATTERN } from '../document/chatfile';
import { filePair } from '../document/filepair';
import { readChatInfo } from '../document/metadata';
import { isMultiline } from '../document/multiline';
import { plus } from '../document/usage';
import { allTaken, byModel, sumTotals, takenBy } from '../document/usagetotals';
import { checkRecord, readRecord } from '../replay/model/check';
import { chatName } from '../request/name';
import { itemsOf, type IItem } from './items';
import { readRecordSide } from './readrecord';
import { isResults, readResult, readResults } from './readresults';
import { allVersions, readVersion } from './readversion';
import { NO_FACTS, saidOf, type ISide } from './side';
import type { ISource } from './source';

/** Why something cannot be compared, as a text for the user. */
export class CompareError extends Error {
  override name = 'CompareError';
}

/** Read one side; throws `CompareError` if the file has nothing of that name. */
export async function readSide(item: IItem, source: ISource): Promise<ISide> {
  const { path } = item;
  const { notebook } = source;
  const cells = cellsOf(notebook);
  if (item.pair !== undefined) {
    const cell = cells.find(({ id }) => id === item.pair);
    const side = cell && (await readVersion(cell, item, cells, source));
    if (!side) {
      throw new CompareError(
        trans.__('%1 no longer has this version.', PathExt.basename(path))
      );
    }
    return { ...side, path };
  }
  if (item.cell !== undefined) {
    const cell = cells.find(({ id }) => id === item.cell);
    const side = cell && readResult(cell, cells, notebook);
    if (!side) {
      throw new CompareError(
        trans.__('%1 no longer has this result.', PathExt.basename(path))
      );
    }
    return { ...side, path };
  }
  if (isResults(notebook)) {
    return { ...readResults(cells, notebook), title: source.title, path };
  }
  const replay = readRecord(notebook);
  if (replay) {
    const { problems } = checkRecord(notebook);
    return {
      ...readRecordSide(replay, source.priceOf),
      title: source.title,
      path,
      notes: problems
    };
  }
  if (
    readChatInfo(fileEntry(notebook)) ||
    (isObject(notebook) &&
      Array.isArray(notebook.cells) &&
      new RegExp(CHAT_PATTERN).test(path))
  ) {
    return { ...readChat(cells, source), path };
  }
  throw new CompareError(
    trans.__(
      '%1 is no chat, replay record or results notebook, so it cannot be compared.',
      PathExt.basename(path)
    )
  );
}

/** All versions of the pair of an item, the current one last; none if it names no pair. */
export function versionsBeside(
  { path, pair }: IItem,
  notebook: unknown
): IItem[] {
  const cell =
    pair === undefined
      ? undefined
      : cellsOf(notebook).find(({ id }) => id === pair);
  return cell ? itemsOf(path, cell.id, allVersions(filePair(cell))) : [];
}

/** What a file is called, without its extension. */
export function fileTitle(path: string): string {
  return chatName(path).replace(/\.replay$/, '');
}

/** The cells of a file that can be read. */
function cellsOf(notebook: unknown): ICellLike[] {
  const cells = isObject(notebook) ? notebook.cells : undefined;
  return (Array.isArray(cells) ? cells : []).flatMap((cell, place) => {
    if (!isObject(cell) || !isMultiline(cell.source)) {
      return [];
    }
    const { id, cell_type, metadata, outputs } = cell;
    return [
      {
        id: typeof id === 'string' ? id : `cell-${place}`,
        cell_type: String(cell_type),
        source: cell.source,
        metadata: isObject(metadata) ? metadata : {},
        outputs: (Array.isArray(outputs)
          ? outputs.filter(isObject)
          : []) as unknown as ICellLike['outputs']
      }
    ];
  });
}

/** A whole chat: what all its cells would send, one after the other. */
function readChat(
  cells: readonly ICellLike[],
  { title, notebook, priceOf }: ISource
): Omit<ISide, 'path'> {
  const entry = fileEntry(notebook);
  const info = readChatInfo(entry);
  const options = isObject(entry) && isObject(entry.options);
  const pairs = cells
    .filter(({ cell_type }) => cell_type === 'code')
    .map(filePair);
  const runs = pairs.flatMap(({ run }) => (run ? [run] : []));
  const last = runs[runs.length - 1] as (typeof runs)[number] | undefined;
  const taken = allTaken(pairs.map(takenBy));
  const total = sumTotals(byModel(taken, priceOf).values());
  return {
    title,
    said: saidOf(
      cells.flatMap(cell => cellMessages(readCell(cell))),
      false
    ),
    facts: {
      ...NO_FACTS,
      model: info?.model ?? last?.model ?? null,
      options: options
        ? ((entry as PartialJSONObject).options as PartialJSONObject)
        : null,
      input: total.input,
      output: total.output,
      cost: total.cost,
      seconds: runs.reduce<number | null>(
        (sum, { seconds = null }) => plus(sum, seconds),
        null
      ),
      at: last?.updatedAt ?? null,
      hash: last?.requestHash || null
    },
    notes: []
  };
}
