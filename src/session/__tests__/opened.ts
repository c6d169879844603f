/**
 * A chat with these cells that is open, and a scripted server behind it.
 */
import type { PartialJSONObject } from '@lumino/coreutils';

import type { SessionParts } from '../parts';
import { sessionParts, settle } from './sessionparts';

export async function opened(
  cells: PartialJSONObject[],
  options: Parameters<typeof sessionParts>[1] = {}
) {
  const chat = sessionParts(cells, options);
  const session = chat.open();
  chat.readDocument();
  chat.listModels();
  chat.readSettings();
  await settle();
  await session.ready;
  const parts: SessionParts = (session as any)._parts;
  return { ...chat, session, parts };
}
