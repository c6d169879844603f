import { jpegOrientation, withoutMetadata } from '../clean';
import { decodeText, sniff } from '../sniff';

const bytes = (...parts: (string | number[])[]) =>
  Uint8Array.from(
    parts.flatMap(part =>
      typeof part === 'string'
        ? [...part].map(letter => letter.charCodeAt(0))
        : part
    )
  );

const PNG = '\x89PNG\r\n\x1a\n';
const IEND = [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82];

/** How a Markdown file may begin. */
const COMMENTS = '<!-- a -->\n'.repeat(300);

/** A chunk of a PNG, without its checksum. */
const chunk = (name: string, data: string) =>
  bytes([0, 0, 0, data.length], name, data, [0, 0, 0, 0]);

/** A segment of a JPEG. */
const segment = (marker: number, data: number[]) => [
  0xff,
  marker,
  0,
  data.length + 2,
  ...data
];

const EXIF = (orientation: number) => [
  ...bytes('Exif\0\0MM\0*'),
  ...[0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0],
  ...bytes('Berlin')
];

const jpeg = (...segments: number[][]) =>
  Uint8Array.from([
    0xff,
    0xd8,
    ...segments.flat(),
    ...segment(0xda, [1]),
    1,
    2,
    3,
    0xff,
    0xd9
  ]);

/** A GIF with a colour table, a picture and other blocks. */
const gif = (...blocks: (string | number[])[]) =>
  bytes(
    'GIF89a',
    [1, 0, 1, 0, 0x80, 0, 0, 1, 2, 3, 4, 5, 6],
    ...blocks,
    [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0],
    [0x3b]
  );

describe('sniff', () => {
  it.each([
    ['a PNG', bytes(PNG, IEND), { type: 'image/png' }],
    ['a cut PNG', bytes(PNG), { type: 'image/png', problem: 'truncated' }],
    ['a JPEG', jpeg(), { type: 'image/jpeg' }],
    [
      'a cut JPEG',
      jpeg().slice(0, -3),
      { type: 'image/jpeg', problem: 'truncated' }
    ],
    [
      'a JPEG with a film after it',
      bytes([...jpeg()], 'ftypmp42', new Array<number>(9000).fill(1)),
      { type: 'image/jpeg' }
    ],
    [
      'a JPEG that is cut after its thumbnail',
      jpeg(segment(0xe1, [...jpeg()])).slice(0, -4),
      { type: 'image/jpeg', problem: 'truncated' }
    ],
    [
      'a PNG that is cut before a text about its end',
      bytes(PNG, [0, 0, 9, 9], 'tEXtIEND', IEND),
      { type: 'image/png', problem: 'truncated' }
    ],
    ['a GIF', gif(), { type: 'image/gif' }],
    [
      'a cut GIF',
      gif().slice(0, -1),
      { type: 'image/gif', problem: 'truncated' }
    ],
    ['a WebP', bytes('RIFF', [4, 0, 0, 0], 'WEBP'), { type: 'image/webp' }],
    [
      'a cut WebP',
      bytes('RIFF', [99, 0, 0, 0], 'WEBP'),
      { type: 'image/webp', problem: 'truncated' }
    ],
    ['a WAV', bytes('RIFF', [4, 0, 0, 0], 'WAVE'), { type: 'audio/wav' }],
    ['an MP3', bytes('ID3\x03'), { type: 'audio/mpeg' }],
    [
      'an MP3 without a tag',
      bytes([0xff, 0xfb, 0x90, 0]),
      { type: 'audio/mpeg' }
    ],
    ['a PDF', bytes('%PDF-1.7\n%%EOF\n'), { type: 'application/pdf' }],
    [
      'a PDF with a password',
      bytes('%PDF-1.7\ntrailer << /Encrypt 5 0 R >>\n%%EOF'),
      { type: 'application/pdf', problem: 'locked' }
    ],
    [
      'a cut PDF',
      bytes('%PDF-1.7\n'),
      { type: 'application/pdf', problem: 'truncated' }
    ],
    ['a ZIP', bytes('PK\x03\x04', [0, 1]), { other: 'ZIP' }],
    [
      'an SVG',
      bytes('<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="x"/>'),
      { other: 'SVG' }
    ],
    [
      'an SVG after many comments',
      bytes(COMMENTS, '<!DOCTYPE svg>', '<SVG>'),
      { other: 'SVG' }
    ],
    ['text after many comments', bytes(COMMENTS, '# Title'), { type: 'text' }],
    ['text of cut comments', bytes('<!-- '.repeat(900)), { type: 'text' }],
    ['text', bytes('print("<svg")'), { type: 'text' }],
    ['UTF-16', bytes([0xff, 0xfe, 0x61, 0]), { type: 'text' }],
    ['old text', bytes('Gr', [0xfc], 'n'), { type: 'text' }],
    ['other bytes', bytes([0xc3, 0x28, 0x02]), { other: '' }],
    ['text about PDF', bytes('# The %PDF-1.7 header'), { type: 'text' }],
    ['text about tags', bytes('ID3 tags'), { type: 'text' }],
    [
      'a PDF about passwords',
      bytes('%PDF-1.7\n(/Encrypt is a key)\n%%EOF'),
      { type: 'application/pdf' }
    ],
    [
      'a PDF after other bytes',
      bytes([0xff, 0x00], '%PDF-1.7\n%%EOF'),
      { type: 'application/pdf' }
    ],
    ['text with NUL', bytes('a\0b'), { other: '' }]
  ])('knows %s', (_, file, expected) => {
    expect(sniff(file)).toEqual(expected);
  });

  it('decodes what it calls text', () => {
    expect(decodeText(bytes([0xff, 0xfe, 0x61, 0]))?.text).toBe('a');
    expect(decodeText(bytes([0xfe, 0xff, 0, 0x61]))?.text).toBe('a');
    expect(decodeText(bytes([0xef, 0xbb, 0xbf], 'a\r\nb'))?.text).toBe(
      'a\r\nb'
    );
    expect(decodeText(bytes('a', [0xe9]))).toEqual({
      text: 'aé',
      encoding: 'windows-1252'
    });
    // A byte that means nothing there.
    expect(decodeText(bytes('a', [0x81]))).toBe(null);
  });
});

describe('withoutMetadata', () => {
  it('removes EXIF, IPTC and comments from a JPEG, and nothing else', () => {
    const table = segment(0xdb, [9, 9]);
    const whole = jpeg(
      segment(0xe1, EXIF(1)),
      table,
      segment(0xed, [1]),
      segment(0xfe, [1])
    );
    expect(withoutMetadata(whole, 'image/jpeg')).toEqual(jpeg(table));
    const clean = jpeg(table);
    expect(withoutMetadata(clean, 'image/jpeg')).toBe(clean);
  });

  it('keeps how a picture is turned, and only that', () => {
    const clean = withoutMetadata(jpeg(segment(0xe1, EXIF(6))), 'image/jpeg');
    const length = (clean[4] << 8) + clean[5];
    expect(jpegOrientation(clean.subarray(6, 4 + length))).toBe(6);
    expect(String.fromCharCode(...clean)).not.toContain('Berlin');
    expect(clean.slice(4 + length)).toEqual(jpeg().slice(2));
    expect(withoutMetadata(clean, 'image/jpeg')).toEqual(clean);
  });

  it('removes texts, times and EXIF from a PNG', () => {
    const header = chunk('IHDR', 'abc');
    const whole = bytes(
      PNG,
      [...header],
      [...chunk('tEXt', 'Author\0me')],
      [...chunk('eXIf', 'MM')],
      IEND
    );
    expect(withoutMetadata(whole, 'image/png')).toEqual(
      bytes(PNG, [...header], IEND)
    );
  });

  it('removes EXIF from a WebP, and says so in its header', () => {
    const webp = (flags: number, more: number[] = []) => {
      const body = [
        ...bytes('WEBPVP8X', [2, 0, 0, 0], [flags, 0]),
        ...more,
        ...bytes('VP8 ', [1, 0, 0, 0], [7, 0])
      ];
      return bytes('RIFF', [body.length, 0, 0, 0], body);
    };
    const exif = [...bytes('EXIF', [3, 0, 0, 0], 'abc', [0])];
    expect(withoutMetadata(webp(0x1c, exif), 'image/webp')).toEqual(webp(0x10));
  });

  it('removes what programs add to a JPEG, and keeps how its colours are meant', () => {
    const profile = segment(0xe2, [...bytes('ICC_PROFILE\0\x01\x01')]);
    const adobe = segment(0xee, [...bytes('Adobe')]);
    const whole = jpeg(
      [0xff],
      segment(0xe0, [...bytes('JFIF\0')]),
      segment(0xe2, [...bytes('MPF\0Berlin')]),
      segment(0xeb, [...bytes('JPBerlin')]),
      profile,
      adobe
    );
    const film = bytes([...whole], 'ftyp Berlin');
    expect(withoutMetadata(film, 'image/jpeg')).toEqual(
      jpeg(segment(0xe0, [...bytes('JFIF\0')]), profile, adobe)
    );
  });

  it('removes comments and XMP from a GIF, and keeps that it repeats', () => {
    const loop = [...bytes([0x21, 0xff, 11], 'NETSCAPE2.0', [3, 1, 0, 0, 0])];
    const whole = gif(
      loop,
      [...bytes([0x21, 0xfe, 6], 'Berlin', [0])],
      [...bytes([0x21, 0xff, 11], 'XMP DataXMP', [6], 'Berlin', [0])]
    );
    expect(withoutMetadata(whole, 'image/gif')).toEqual(gif(loop));
    const clean = gif(loop);
    expect(withoutMetadata(clean, 'image/gif')).toBe(clean);
  });

  it('removes what follows the end of an image', () => {
    const end = bytes(PNG, [...chunk('IHDR', 'abc')], IEND);
    expect(
      withoutMetadata(bytes([...end], 'the old screenshot'), 'image/png')
    ).toEqual(end);
  });
});
