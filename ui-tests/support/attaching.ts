/** Files that tests attach, and where the page shows them. */
import { createHash, randomBytes } from 'crypto';
import { deflateSync } from 'zlib';

import type { Locator } from '@playwright/test';

import type { Chat } from './chat';

/** A square PNG of one colour. */
export function png(size = 8, shade = 90): Buffer {
  const row = Buffer.alloc(1 + size * 3, shade);
  row[0] = 0;
  return pngOf(size, Buffer.concat(Array.from({ length: size }, () => row)));
}

/** A square PNG of many colours, which is large. */
export function noisyPng(size: number): Buffer {
  const rows = Array.from({ length: size }, () =>
    Buffer.concat([Buffer.alloc(1), randomBytes(size * 3)])
  );
  return pngOf(size, Buffer.concat(rows));
}

function pngOf(size: number, rows: Buffer): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0))
  ]);
}

function crc(bytes: Buffer): number {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
    }
  }
  return ~sum >>> 0;
}

/** The SHA-256 of bytes. */
export const hash = (bytes: Buffer) =>
  createHash('sha256').update(bytes).digest('hex');

/** The part of a message for a PNG. */
export const image = (bytes: Buffer) => ({
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${bytes.toString('base64')}` }
});

/** What is attached to the message being written. */
export const list = (chat: Chat): Locator =>
  chat.panel.getByRole('list', { name: 'Attachments' });

/** The same, file by file. */
export const files = (chat: Chat): Locator => list(chat).getByRole('listitem');

/** What is attached to a pair. */
export const attached = (chat: Chat, pair: number): Locator =>
  chat.pair(pair).getByRole('list', { name: 'Attached files' });

/** Choose files of the computer. */
export async function attach(
  chat: Chat,
  ...chosen: { name: string; buffer: Buffer }[]
): Promise<void> {
  const choosing = chat.page.waitForEvent('filechooser');
  await chat.panel.getByRole('button', { name: 'Attach', exact: true }).click();
  await (
    await choosing
  ).setFiles(
    chosen.map(file => ({ ...file, mimeType: 'application/octet-stream' }))
  );
}

/** Paste files, or drop them on the composer. */
export async function bring(
  chat: Chat,
  type: 'paste' | 'drop',
  name: string,
  bytes: Buffer
): Promise<void> {
  await chat.message.evaluate(
    (node, [kind, file, data]) => {
      const transfer = new DataTransfer();
      const content = Uint8Array.from(atob(data), one => one.charCodeAt(0));
      transfer.items.add(new File([content], file));
      node.dispatchEvent(
        kind === 'paste'
          ? new ClipboardEvent('paste', {
              clipboardData: transfer,
              bubbles: true,
              cancelable: true
            })
          : new DragEvent('drop', {
              dataTransfer: transfer,
              bubbles: true,
              cancelable: true
            })
      );
    },
    [type, name, bytes.toString('base64')]
  );
}

/** The outputs of a pair in a saved chat. */
export const outputsOf = (notebook: any, pair = 0): any[] =>
  notebook.cells.filter((cell: any) => cell.cell_type === 'code')[pair].outputs;
