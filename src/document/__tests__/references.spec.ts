import type { IOutput } from '@jupyterlab/nbformat';
import * as fc from 'fast-check';

import {
  attachmentOutput,
  messageContent,
  readAttachments,
  readContent,
  type IAttachment
} from '../attachments';
import {
  frozenText,
  readReference,
  referenceAttachment,
  REFERENCE_MIME,
  textHash,
  type IReference
} from '../references';
import { chatErrors } from './chatschema';

const cell: IReference = {
  kind: 'cell',
  path: 'work/analysis.ipynb',
  name: 'analysis.ipynb · cell 4',
  cellId: 'c4',
  at: 1234,
  language: 'python'
};

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom('`', '``', '```', '\n', '\r\n', '\u2028', 'x', '~~~')
    )
    .map(parts => parts.join(''))
);

const source: fc.Arbitrary<IReference> = fc.record(
  {
    kind: fc.constantFrom(
      'cell',
      'output',
      'variable',
      'file',
      'selection',
      'pair'
    ),
    path: fc.string({ unit: 'binary', minLength: 1 }),
    name: fc.oneof(fc.string({ unit: 'binary' }), fc.string({ size: 'large' })),
    cellId: fc.string({ unit: 'binary' }),
    at: fc.oneof(fc.integer({ min: 0 }), fc.double()),
    language: fc.oneof(fc.constantFrom('python', 'c++', 'a b', '```'), text)
  },
  { requiredKeys: ['kind', 'path', 'name', 'at'] }
);

/** Some are of one of several replies. */
const mark = fc.record({ group: fc.uuid(), sibling: fc.nat() });
const reference = fc
  .tuple(source, fc.oneof(fc.constant({}), mark))
  .map(([one, which]): IReference => ({ ...one, ...which }));

/** As a file has it. */
const saved = (attachment: IAttachment) =>
  JSON.parse(JSON.stringify(attachmentOutput(attachment))) as IOutput;

const read = (output: IOutput): IAttachment => {
  const [{ isSent, isThere, ...attachment }] = readAttachments([output]);
  return attachment;
};

describe('references', () => {
  it('are sent as a line that says what they are, and the text in a fence', () => {
    expect(referenceAttachment(cell, 'print(1)').data).toBe(
      'Cell: analysis.ipynb · cell 4\n\n```python\nprint(1)\n```'
    );
    expect(referenceAttachment(cell, '```\n````').data).toMatch(
      /\n\n`{5}python\n```\n````\n`{5}$/
    );
  });

  it('are the same after they are written and read, and so is what is sent', () => {
    fc.assert(
      fc.property(reference, text, (reference, text) => {
        const attachment = referenceAttachment(reference, text);
        const output = saved(attachment);
        expect(read(output)).toEqual(attachment);
        expect(saved(read(output))).toEqual(output);
        expect(messageContent('', [read(output)])).toBe(attachment.data);
        expect(attachment.sha256).toBe(textHash(attachment.data));
        expect(chatErrors(chatWith(output))).toEqual([]);
      })
    );
  });

  it('give the frozen text back, whatever it is', () => {
    fc.assert(
      fc.property(
        reference,
        text.filter(text => !/\p{Surrogate}/u.test(text)),
        (reference, text) => {
          const { data } = referenceAttachment(reference, text);
          expect(frozenText(data)).toBe(text);
        }
      )
    );
    expect(frozenText('File: a\n\n```\n```')).toBeNull();
    expect(frozenText('Hello')).toBeNull();
  });

  it('are of an image too', () => {
    const image: IAttachment = {
      type: 'image/png',
      name: 'analysis.ipynb · output of cell 4',
      data: 'AAEC',
      sha256: 'a'.repeat(64),
      size: 3,
      reference: { ...cell, kind: 'output' }
    };
    const output = saved(image);
    expect(read(output)).toEqual(image);
    expect(saved(read(output))).toEqual(output);
    expect(chatErrors(chatWith(output))).toEqual([]);
  });

  it('are known by what was sent, if only that is left', () => {
    const { data, sha256 } = referenceAttachment(cell, 'print(1)');
    const image = {
      type: 'image_url',
      image_url: { url: 'data:image/png;base64,AAEC' }
    };
    const content = [
      image,
      { type: 'text', text: data },
      { type: 'text', text: 'Why?' }
    ];
    expect(readContent(content)?.attachments[1]).toMatchObject({
      data,
      sha256,
      reference: {
        kind: 'cell',
        name: 'analysis.ipynb · cell 4',
        language: 'python',
        path: '',
        at: 0
      }
    });
  });

  it('are read back from a message that is one text, in order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(reference, text), { minLength: 1, maxLength: 4 }),
        fc.oneof(text, fc.constant('Why?')),
        (all, said) => {
          const sent = all.map(([one, text]) => referenceAttachment(one, text));
          const content = messageContent(said, sent);
          const read = readContent(content);
          expect(messageContent(read!.text, read!.attachments)).toBe(content);
          expect(read!.attachments.map(({ data }) => data)).toEqual(
            sent.map(({ data }) => data)
          );
        }
      )
    );
    expect(readContent('Why?')).toBeNull();
    expect(readContent('File: a\n\n```\nno end')).toBeNull();
    expect(readContent('File: a\n\n```\nx\n```\nand more')).toBeNull();
  });

  it('are read as text files if they say no more', () => {
    const file = { kind: 'file', name: 'notes.md', size: 3 };
    expect(readReference(file)).toBeUndefined();
    const output = {
      output_type: 'display_data',
      data: {
        [REFERENCE_MIME]: file,
        'text/markdown': 'File: notes.md\n\n```\none\n```'
      },
      metadata: {
        turnbook: {
          part: 'attachment',
          name: 'notes.md',
          sha256: 'b'.repeat(64)
        }
      }
    };
    expect(saved(read(output))).toEqual(output);
  });

  it.each([
    [null],
    [[]],
    ['cell'],
    [{ kind: '__proto__', name: 'x' }],
    [{ kind: 'constructor', name: 'x' }],
    [{ kind: ['cell'], name: 'x' }],
    [{ kind: 'cell', name: 5 }],
    [{ kind: 'cell', name: 'x'.repeat(1e6) }],
    [JSON.parse('{"__proto__": {"kind": "cell", "name": "x"}}')]
  ])('are not made of %j', value => {
    expect(readReference(value)).toBeUndefined();
  });

  it('leave out what has the wrong type or is too much', () => {
    expect(
      readReference({
        kind: 'cell',
        name: 'a\n\u202eb',
        path: 'x'.repeat(1e6),
        cellId: { __proto__: 1 },
        at: 1e300,
        language: 'py\n```',
        size: 'many'
      })
    ).toEqual({ kind: 'cell', name: 'a b', path: '', at: 0 });
  });

  it('tells at once that a text with many fences is none', () => {
    expect(frozenText(`Cell: a\n\n${'`'.repeat(1e6)}`)).toBe(null);
  });
});

function chatWith(output: IOutput) {
  return {
    metadata: {},
    cells: [{ id: 'p', metadata: {}, outputs: [output] }]
  };
}
