/** A request with references of several kinds, for tests of replays. */
import type { IAttachment } from '../../document/attachments';
import { messageContent } from '../../document/attachments';
import { referenceAttachment } from '../../document/references';
import { edited, section } from './requests';

const AT = 1_763_270_000_000;

/** What is attached to two messages: a cell, a file and a variable. */
export const REFERENCES: Readonly<Record<string, readonly IAttachment[]>> = {
  first: [
    referenceAttachment(
      {
        kind: 'cell',
        path: 'work/rain.ipynb',
        name: 'rain.ipynb · cell 2',
        cellId: 'load',
        language: 'python',
        at: AT
      },
      'text = """\n```\n"""'
    ),
    referenceAttachment(
      {
        kind: 'file',
        path: 'work/rain.csv',
        name: 'work/rain.csv',
        at: AT + 1
      },
      'day,mm\n1,42\n'
    )
  ],
  last: [
    referenceAttachment(
      {
        kind: 'variable',
        path: 'work/rain.ipynb',
        name: 'rain.ipynb · total',
        at: AT + 2
      },
      '42'
    )
  ]
};

/** Finds what is attached to a message. */
export const attached = (cell: string | null): readonly IAttachment[] =>
  REFERENCES[cell ?? 'last'] ?? [];

/** A request whose reply was edited and whose messages refer to these things. */
export function referring() {
  return edited([
    section({ role: 'system', content: 'Be brief.' }),
    section(
      { role: 'user', content: messageContent('How much?', REFERENCES.first) },
      { cell: 'first' }
    ),
    section(
      { role: 'assistant', content: '42 mm' },
      { edited: true, original: { role: 'assistant', content: '41 mm' } }
    ),
    section(
      { role: 'user', content: messageContent('And now?', REFERENCES.last) },
      { cell: null, kind: 'user' }
    )
  ]);
}
