/** The longest title, in characters as readers count them. */
const MAX_TITLE = 60;

/** How much of a text is looked at for its title. */
const MAX_READ = 2000;

/**
 * A short title from a text that anybody may have written: the beginning of its first line with
 * words, without characters that are not seen or that change the direction of other text.
 *
 * @returns The title; empty if the text has no words.
 */
export function shortTitle(text: string, max = MAX_TITLE): string {
  const line =
    text
      .slice(0, MAX_READ)
      .split(/[\r\n\u2028\u2029]+/)
      .map(tidy)
      .find(Boolean) ?? '';
  const characters = [...new Intl.Segmenter().segment(line.slice(0, 8 * max))];
  if (characters.length <= max && line.length <= 8 * max) {
    return line;
  }
  const cut = characters
    .slice(0, max - 1)
    .map(({ segment }) => segment)
    .join('');
  // Prefer the end of a word.
  const end = cut.lastIndexOf(' ');
  return `${(end > max / 2 ? cut.slice(0, end) : cut).trimEnd()}…`;
}

/** A title as a file name without its extension; empty if nothing of it can be in one. */
export function fileStem(title: string): string {
  return shortTitle(title.replace(/[/\\:*?"<>|]+/g, ' '))
    .replace(/(\.chat)?\.ipynb$/, '')
    .replace(/^[.\s]+|[.\s…]+$/g, '');
}

/** A line without controls, invisible characters, lone surrogates and repeated spaces. */
function tidy(line: string): string {
  return line
    .replace(/\p{Cc}|\p{Zs}/gu, ' ')
    .replace(/(?!\u200d)[\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, '')
    .replace(/ +/g, ' ')
    .trim();
}
