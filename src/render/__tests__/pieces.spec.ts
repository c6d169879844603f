/**
 * @jest-environment jsdom
 */
import * as fc from 'fast-check';

import { TextPieces } from '../pieces';

const LIMIT = 2 * 8192;

function setup() {
  const host = document.createElement('div');
  return { host, pieces: new TextPieces(host) };
}

function textsOf(host: HTMLElement): string[] {
  return [...host.children].map(piece => piece.textContent ?? '');
}

describe('TextPieces', () => {
  it('contains the text, whatever it is and however it arrives', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('\n', ' ', '😀', 'x'.repeat(5000), '😀'.repeat(5000)),
      fc.constant('some words and\nlines '.repeat(700))
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), parts => {
        const { host, pieces } = setup();
        parts.forEach(text => pieces.append(text));
        const texts = textsOf(host);
        expect(texts.join('')).toBe(parts.join(''));
        expect(pieces.length).toBe(parts.join('').length);
        expect(Math.max(0, ...texts.map(text => text.length))).toBeLessThan(
          LIMIT + 1
        );
      }),
      { numRuns: 50 }
    );
  });

  it('changes only the last piece', () => {
    const { host, pieces } = setup();
    pieces.append('word '.repeat(20_000));
    const before = [...host.children];
    const texts = textsOf(host);
    pieces.append('word '.repeat(20_000));
    const kept = before.length - 1;
    expect([...host.children].slice(0, kept)).toEqual(before.slice(0, kept));
    expect(textsOf(host).slice(0, kept)).toEqual(texts.slice(0, kept));
    expect(host.querySelectorAll('.jp-mod-full').length).toBe(
      host.children.length - 1
    );
  });

  it('breaks at line ends, else between words, and never inside a character', () => {
    const lines = setup();
    lines.pieces.append(`${'a line of code'.repeat(5)}\n`.repeat(1000));
    expect(textsOf(lines.host).every(text => text.endsWith('\n'))).toBe(true);
    const words = setup();
    words.pieces.append('word '.repeat(10_000));
    expect(textsOf(words.host).every(text => text.endsWith(' '))).toBe(true);
    const faces = setup();
    faces.pieces.append(`.${'😀'.repeat(20_000)}`);
    // Half a character cannot be written as an address.
    textsOf(faces.host).forEach(text => encodeURIComponent(text));
  });
});
