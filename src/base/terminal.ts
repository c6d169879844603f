/**
 * Sequences with which programs colour a text, link it, move the cursor or set up the terminal: CSI;
 * OSC and other strings up to their end, or to that of the line if they have none; any others.
 */
const CODES =
  // eslint-disable-next-line no-control-regex
  /\u001b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_](?:[^\u0007\u001b]*(?:\u0007|\u001b\\)|[^\u0007\u001b\n\r]*)|[ -/]*[0-~]|)/g;

/** A text without the codes that a terminal obeys. */
export function withoutCodes(text: string): string {
  return text.replace(CODES, '');
}
