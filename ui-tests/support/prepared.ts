import { randomUUID } from 'crypto';
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

import { bodyHash } from '../../src/request/render';
import { Chat } from './chat';
import { expect } from './fixtures';

/** A pair as a test needs it; omitted fields get default values. */
export interface IPreparedPair {
  id: string;
  user: string;
  reply?: string;
  state?: 'succeeded' | 'error' | 'canceled';
  model?: string;
  topic?: string;
  star?: number;
  in?: boolean;
  /** How many days ago it was sent. */
  days?: number;
  /** Messages that the cell stores besides its text. */
  kept?: unknown;
}

/** Longer chats are only drawn where they are visible at first. */
const DRAWN = 50;

/** A cell of a prepared chat: a pair, a system message or a note. */
export type Prepared =
  IPreparedPair | { id: string; system: string } | { id: string; note: string };

/** A chat's notebook, as it would be saved after these pairs were sent. */
export function preparedNotebook(
  cells: Prepared[],
  { model = 'scripted/scripted' } = {}
): Record<string, any> {
  return {
    cells: cells.map(preparedCell),
    metadata: {
      kernelspec: { name: '', display_name: '' },
      language_info: { name: 'markdown' },
      turnbook: { format: 1, chatId: randomUUID(), model }
    },
    nbformat: 4,
    nbformat_minor: 5
  };
}

/**
 * Write a chat's file and, by default, make the page treat it as its own: a file from elsewhere
 * asks before it sends.
 */
export async function writeChat(
  page: IJupyterLabPageFixture,
  path: string,
  content: Record<string, any>,
  { isForeign = false } = {}
): Promise<void> {
  await page.evaluate(
    async ([path, content, isForeign]) => {
      await window.jupyterapp.serviceManager.contents.save(path, {
        type: 'notebook',
        format: 'json',
        content
      });
      if (!isForeign) {
        const { chatId } = content.metadata.turnbook;
        const known = JSON.stringify({ made: true });
        localStorage.setItem(`turnbook:file:${chatId}:${path}`, known);
      }
    },
    [path, content, isForeign] as const
  );
}

/** Save a prepared chat in a folder and open it. */
export async function openPrepared(
  page: IJupyterLabPageFixture,
  folder: string,
  cells: Prepared[],
  options: { model?: string } = {}
): Promise<{ chat: Chat; file: string }> {
  const chat = new Chat(page);
  const file = `${folder}/prepared.chat.ipynb`;
  await writeChat(page, file, preparedNotebook(cells, options));
  await chat.open(file);
  await expect(chat.message).toBeFocused();
  await chat.atRest();
  const pairs = cells.filter(cell => 'user' in cell);
  if (pairs.length <= DRAWN) {
    await expect(chat.pairs).toHaveCount(pairs.length);
  } else {
    const last = pairs[pairs.length - 1].id;
    await expect(
      chat.panel.locator(`[data-turnbook-pair="${last}"]`)
    ).toBeVisible();
  }
  return { chat, file };
}

function preparedCell(cell: Prepared): Record<string, any> {
  if ('system' in cell) {
    return { cell_type: 'raw', id: cell.id, metadata: {}, source: cell.system };
  }
  if ('note' in cell) {
    return {
      cell_type: 'markdown',
      id: cell.id,
      metadata: {},
      source: cell.note
    };
  }
  const runId = randomUUID();
  const state = cell.state ?? 'succeeded';
  const createdAt = Date.now() - (cell.days ?? 0) * 86_400_000;
  const { topic, star } = cell;
  const marks = {
    ...(topic ? { topic } : {}),
    ...(star ? { star } : {}),
    ...(cell.in === false ? { in: false } : {})
  };
  return {
    cell_type: 'code',
    id: cell.id,
    source: cell.user,
    execution_count: null,
    metadata: {
      ...(Object.keys(marks).length ? { turnbook: marks } : {}),
      ...(cell.kept === undefined ? {} : { turnbook_messages: cell.kept }),
      turnbook_run: {
        state,
        model: cell.model ?? 'scripted/scripted',
        createdAt,
        updatedAt: createdAt,
        runId,
        attempt: 1,
        context: [],
        requestHash: bodyHash(cell.id),
        ...(state === 'error'
          ? {
              error: {
                type: 'server',
                code: '503',
                status: 503,
                message: 'Overloaded for now'
              }
            }
          : {})
      }
    },
    outputs: cell.reply
      ? [
          {
            output_type: 'display_data',
            data: { 'text/markdown': cell.reply },
            metadata: {
              turnbook: {
                runId,
                ...(state === 'succeeded' ? {} : { partial: true })
              }
            }
          }
        ]
      : []
  };
}
