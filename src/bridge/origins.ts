/** The texts of a pair that a cell may have been made from. */
import { originHash } from '../document/origin';
import type { Pair } from '../document/pair';
import { codeTexts } from './codetexts';
import { languageName } from './kernels';
import { harmless, replyCells } from './replycells';

/** Where a text is now: in the reply, in an earlier version of the pair, or nowhere. */
export type Found = { in: 'reply' } | { in: 'version'; index: number } | null;

/** Find the text with a hash in a pair. */
export function findText(pair: Pair, hash: string): Found {
  if (has(pair.reply?.text ?? '', pair.source, hash)) {
    return { in: 'reply' };
  }
  const { versions } = pair;
  for (let index = versions.length - 1; index >= 0; index--) {
    const { reply, source } = versions[index];
    if (has(reply, source, hash)) {
      return { in: 'version', index };
    }
  }
  return null;
}

function has(reply: string, message: string, hash: string): boolean {
  const blocks = codeTexts(reply);
  const names = new Set([
    '',
    ...blocks.map(block => languageName(block.language))
  ]);
  const texts = [
    ...blocks.map(({ text }) => text),
    // A notebook of replies may have been made for any of their languages.
    ...[...names].flatMap(name =>
      replyCells(reply, name).map(({ source }) => source)
    ),
    quoted(message)
  ];
  return texts.some(text => originHash(text) === hash);
}

/** A message as a quote, as a notebook of several pairs has it. */
export function quoted(message: string): string {
  return harmless(message.replace(/^/gm, '> '));
}
