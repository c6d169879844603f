import type { IOutput } from '@jupyterlab/nbformat';

import {
  attachmentOutput,
  fileText,
  isAttachment,
  mediaOf,
  readAttachments,
  readContent,
  textAttachment,
  type IAttachment
} from '../attachments';
import { cellsOf } from '../cells';
import { pairMessages, readPairText } from '../messages';
import { readReply, replyPlaces } from '../reply';
import { chatErrors } from './chatschema';

const HASH = 'a'.repeat(64);

const blob = (type: string, name: string): IAttachment => ({
  type,
  name,
  data: 'AAEC',
  sha256: HASH,
  size: 3
});

const png = blob('image/png', 'plot.png');
const notes = textAttachment('notes.md', 'one\n```\ntwo\n```');

const message = (user: string, ...attachments: IAttachment[]) =>
  pairMessages(readPairText(user, attachments.map(attachmentOutput)))[0];

describe('attachments', () => {
  it.each([
    [
      png,
      {
        type: 'image_url',
        image_url: { url: 'data:image/png;base64,AAEC' }
      }
    ],
    [
      blob('application/pdf', 'paper.pdf'),
      {
        type: 'file',
        file: {
          filename: 'paper.pdf',
          file_data: 'data:application/pdf;base64,AAEC'
        }
      }
    ],
    [
      blob('audio/wav', 'a.wav'),
      { type: 'input_audio', input_audio: { data: 'AAEC', format: 'wav' } }
    ],
    [
      blob('audio/mpeg', 'a.mp3'),
      { type: 'input_audio', input_audio: { data: 'AAEC', format: 'mp3' } }
    ]
  ])('are parts before the text: %#', (attachment, part) => {
    const sent = message('What is this?', attachment);
    expect(sent).toEqual({
      role: 'user',
      content: [part, { type: 'text', text: 'What is this?' }]
    });
    expect(message('  ', attachment).content).toEqual([part]);
    expect(mediaOf(part)).toMatchObject({ type: attachment.type });
    const read = readContent(sent.content);
    expect(read?.text).toBe('What is this?');
    expect(read?.attachments).toMatchObject([
      { type: attachment.type, data: 'AAEC' }
    ]);
  });

  it('are text before the text if they are text files, in one string', () => {
    expect(message('And this?', notes).content).toBe(
      'File: notes.md\n\n````\none\n```\ntwo\n```\n````\n\nAnd this?'
    );
    expect(message('', notes).content).toBe(
      fileText('notes.md', 'one\n```\ntwo\n```')
    );
    expect(message('Both?', png, notes).content).toMatchObject([
      { type: 'image_url' },
      { type: 'text', text: expect.stringMatching(/^File: notes\.md\n/) },
      { type: 'text', text: 'Both?' }
    ]);
  });

  it('leave a message without any as it is', () => {
    expect(message('Hello').content).toBe('Hello');
  });

  it('are not part of the reply', () => {
    const outputs: IOutput[] = [
      ...[png, notes, blob('application/pdf', 'a.pdf')].map(attachmentOutput),
      {
        output_type: 'display_data',
        data: { 'text/markdown': 'Four.' },
        metadata: {}
      }
    ];
    expect(readReply(outputs)?.text).toBe('Four.');
    expect(readPairText('x', outputs).reply).toBe('Four.');
    expect(replyPlaces(outputs)).toEqual([3]);
    expect(readReply(outputs.slice(0, 3))).toBeNull();
  });

  it('are only what the user attached: the image of another tool is not sent', () => {
    const output = { ...attachmentOutput(png), metadata: {} };
    expect(isAttachment(output)).toBe(false);
    expect(pairMessages(readPairText('x', [output]))).toEqual([
      { role: 'user', content: 'x' }
    ]);
  });

  it('are not sent without their content, or if the user does not want it', () => {
    const gone = { ...attachmentOutput(png), data: { 'text/plain': 'x' } };
    const kept = {
      ...attachmentOutput(png),
      metadata: {
        turnbook: {
          part: 'attachment',
          name: 'plot.png',
          sha256: HASH,
          sent: false
        }
      }
    };
    expect(readAttachments([gone, kept])).toMatchObject([
      { name: 'plot.png', isThere: false },
      { name: 'plot.png', isThere: true, isSent: false }
    ]);
    expect(readPairText('x', [gone, kept]).attachments).toEqual([]);
    const { metadata } = gone;
    for (const data of [
      { '': 'AAEC' },
      { 'image/svg+xml': '<svg/>' },
      'x',
      5
    ]) {
      const odd = { output_type: 'display_data', data, metadata } as IOutput;
      expect(readAttachments([odd])).toMatchObject([{ isThere: false }]);
      expect(readPairText('x', [odd]).attachments).toEqual([]);
    }
  });

  it('are read from the lines of another tool', () => {
    const output = attachmentOutput(png);
    const [read] = readAttachments([
      { ...output, data: { 'image/png': ['AA\n', 'EC\n'] } }
    ]);
    expect(read).toMatchObject({ data: 'AAEC', size: 3, isThere: true });
  });

  it('are written as cells if they express a message, and kept beside its text if not', () => {
    const exact = message('Look', png, notes);
    const [cell] = cellsOf([exact]);
    expect(cell.metadata).toEqual({});
    expect(readAttachments(cell.outputs as IOutput[])).toMatchObject([
      { type: 'image/png', data: 'AAEC', size: 3 },
      { name: 'notes.md', data: notes.data }
    ]);
    const [detailed] = cellsOf([
      {
        role: 'user',
        content: [
          {
            type: 'image_url',
            image_url: { url: 'data:image/png;base64,AAEC', detail: 'low' }
          },
          { type: 'text', text: 'Look' }
        ]
      }
    ]);
    expect(detailed.metadata).toHaveProperty('turnbook_messages');
    for (const one of [cell, detailed]) {
      expect(chatErrors({ metadata: {}, cells: [one] as any })).toEqual([]);
    }
  });

  it('have the hash of their bytes', () => {
    const [cell] = cellsOf([message('', png)]);
    expect(readAttachments(cell.outputs as IOutput[])[0].sha256).toBe(
      'ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc'
    );
  });
});
