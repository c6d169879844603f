import { jsonErrorAt } from '../../base/jsontext';

/** Where the JSON of a reply is. */
export interface IFoundJson {
  from: number;
  to: number;
  /** What is around it: nothing, the fence of a code block, or words too. */
  around: 'nothing' | 'fence' | 'words';
}

/** A reply in which there is no JSON, and where it should go on. */
export interface INoJson {
  errorAt: number;
}

/**
 * Find the JSON of a reply. Some models put it into a code block, with or without words around it;
 * then it is what is in the only block that is JSON.
 */
export function findJson(text: string): IFoundJson | INoJson {
  const errorAt = jsonErrorAt(text);
  if (errorAt === null) {
    return { from: 0, to: text.length, around: 'nothing' };
  }
  const blocks = codeBlocks(text);
  const errors = blocks.map(({ from, to }) =>
    jsonErrorAt(text.slice(from, to))
  );
  const valid = blocks.filter((_, n) => errors[n] === null);
  if (valid.length === 1) {
    const [{ from, to, start, end }] = valid;
    const isAlone = !(text.slice(0, start) + text.slice(end)).trim();
    return { from, to, around: isAlone ? 'fence' : 'words' };
  }
  return {
    errorAt:
      blocks.length === 1 && !text.slice(0, blocks[0].start).trim()
        ? blocks[0].from + (errors[0] ?? 0)
        : errorAt
  };
}

interface IBlock {
  /** Where the fence begins and ends. */
  start: number;
  end: number;
  from: number;
  to: number;
}

/** The fenced code blocks of a text; one without an end ends with the text. */
function codeBlocks(text: string): IBlock[] {
  const blocks: IBlock[] = [];
  let open: { mark: string; start: number; from: number } | null = null;
  for (let start = 0; start <= text.length;) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    // The beginning is enough, however long the line is.
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(text.slice(start, start + 100));
    if (open) {
      const isClosed =
        fence !== null &&
        fence[1].startsWith(open.mark) &&
        !text.slice(start + fence[0].length, end).trim();
      if (isClosed) {
        blocks.push({ start: open.start, end, from: open.from, to: start });
        open = null;
      }
    } else if (fence) {
      const from = Math.min(end + 1, text.length);
      open = { mark: fence[1], start, from };
    }
    start = end + 1;
  }
  if (open) {
    const { start, from } = open;
    blocks.push({ start, end: text.length, from, to: text.length });
  }
  return blocks;
}
