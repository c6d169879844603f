// @jupyter/ydoc makes a cell before its document has it, and yjs warns of each read until then, and
// of its undo manager. These ten thousand warnings, each with its place in the sources, would take
// longer than the tests.
const KNOWN = ['Invalid access: Add Yjs type', '[yjs#509] Not same Y.Doc'];

const { warn } = console;
console.warn = (...words) => {
  if (!KNOWN.some(known => String(words[0]).startsWith(known))) {
    warn.apply(console, words);
  }
};
