/** The texts of a pair that a cell may have been made from. */
import { originHash, type IOrigin } from '../document/origin';
import type { Pair } from '../document/pair';
import { pastVersions, siblingsOf } from '../document/siblings';
import { harmless } from './harmless';
import { replyCells } from './replycells';

/**
 * Where a text is now: in the reply, or one of several by its number; in an earlier version, by its number
 * among those that are no such replies; or nowhere.
 */
type Found =
  { in: 'reply'; sibling?: number } | { in: 'version'; index: number } | null;

/** Find the text that an origin names in a pair: in what came with its run, else in all that the pair has. */
export function findText(
  pair: Pair,
  { run, sha256 }: Pick<IOrigin, 'run' | 'sha256'>
): Found {
  const siblings = siblingsOf(pair);
  const replies = siblings.length
    ? siblings.map(({ index: sibling, slot }) => ({ sibling, slot }))
    : [{ slot: pair }];
  const places: IPlace[] = replies.map(({ slot, ...which }) => ({
    found: { in: 'reply', ...which },
    run: slot.reply?.runId ?? '',
    reply: slot.reply?.text ?? '',
    message: slot.source
  }));
  pastVersions(pair).forEach((at, index) => {
    const { runId, reply, source } = pair.versions[at];
    const found: Found = { in: 'version', index };
    // The last one first.
    places.splice(replies.length, 0, {
      found,
      run: runId ?? '',
      reply,
      message: source
    });
  });
  const own = places.filter(place => place.run === run);
  const others = places.filter(place => place.run !== run);
  return [...own, ...others].find(place => has(place, sha256))?.found ?? null;
}

/** A place where a text may be, with the run whose reply is there. */
interface IPlace {
  found: Found;
  run: string;
  reply: string;
  message: string;
}

function has({ reply, message }: IPlace, hash: string): boolean {
  const isIt = (text: string) => originHash(text) === hash;
  return (
    // Whatever the language of a notebook is, a block is code or a block in Markdown there.
    ['', NO_LANGUAGE].some(language =>
      replyCells(reply, language).some(({ source }) => isIt(source))
    ) || isIt(quoted(message))
  );
}

/** What no block names: the first word after a fence has no space. */
const NO_LANGUAGE = ' ';

/** A message as a quote, as a notebook of several pairs has it. */
export function quoted(message: string): string {
  return harmless(message.replace(/^/gm, '> '));
}
