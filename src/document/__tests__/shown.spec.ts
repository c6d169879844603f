import type { IOutput } from '@jupyterlab/nbformat';

import { readPairText } from '../messages';
import { readReply, replyOutput } from '../reply';
import { TOOL_MIME } from '../rounds';
import { shownOutput, shownText } from '../shown';

const display = (data: object): IOutput =>
  ({ output_type: 'display_data', data, metadata: {} }) as unknown as IOutput;

const ROUND = { results: [{ role: 'tool', content: 'x' }] };

describe('shownOutput', () => {
  it('ignores inherited properties of a bundle', () => {
    const data = Object.create({ 'text/markdown': 'hidden' }) as object;
    expect(shownText([display(data)])).toBe('');
  });

  it('shows one type of each output: rounds, then Markdown, images and text', () => {
    const all = {
      [TOOL_MIME]: ROUND,
      'text/markdown': 'm',
      'image/png': 'iVBO',
      'text/plain': 'p'
    };
    expect(shownOutput(display(all)).kind).toBe('round');
    expect(shownOutput(display({ ...all, [TOOL_MIME]: 1 }))).toMatchObject({
      kind: 'markdown',
      text: 'm'
    });
    const { 'text/markdown': _, ...image } = { ...all, [TOOL_MIME]: {} };
    expect(shownOutput(display(image))).toMatchObject({
      kind: 'image',
      data: 'iVBO'
    });
    expect(shownOutput(display({ 'text/plain': ['p', 'q'] }))).toMatchObject({
      text: 'pq'
    });
    expect(shownOutput(display({ 'text/html': 'h' })).kind).toBe('none');
    expect(shownOutput(display({ 'text/plain': { a: 1 } })).kind).toBe('none');
  });

  it('shows what kernels write as text', () => {
    const error = {
      output_type: 'error',
      ename: 'E',
      evalue: 'v',
      traceback: ['\u001b[31mTraceback\u001b[0m', 'E: v']
    };
    expect(shownOutput(error)).toMatchObject({ text: 'Traceback\nE: v' });
    const odd = { toString: false };
    expect(shownOutput({ ...error, traceback: [odd, 7] })).toMatchObject({
      text: '{"toString":false}\n7'
    });
    expect(
      shownOutput({ ...error, traceback: 7, ename: odd, evalue: undefined })
    ).toMatchObject({ text: '{"toString":false}: undefined' });
    expect(shownOutput({ ...error, traceback: [] })).toMatchObject({
      text: 'E: v'
    });
    const stream = { output_type: 'stream', name: 'stderr', text: '1%\r20%' };
    expect(shownOutput(stream)).toMatchObject({ text: '20%' });
    expect(shownOutput({ output_type: 'other', data: {} }).kind).toBe('none');
  });
});

describe('the text of a pair', () => {
  it('does not include what another type of the same output hides', () => {
    const hidden = [
      display({ 'image/png': 'iVBO', 'text/plain': 'hidden' }),
      display({ [TOOL_MIME]: ROUND, 'text/markdown': 'hidden' })
    ];
    expect(readPairText('', hidden).reply).toBe('');
    expect(readReply(hidden)).toBeNull();
  });

  it('is everything that is shown, even next to a reply of ours', () => {
    const outputs = [
      replyOutput({ text: 'ours', runId: 'r', partial: false }),
      { output_type: 'stream', name: 'stdout', text: 'a' },
      { output_type: 'stream', name: 'stdout', text: 'b\n' },
      { output_type: 'stream', name: 'stderr', text: 'c' },
      { output_type: 'error', ename: 'E', evalue: 'v', traceback: [] },
      display({ 'text/plain': '' })
    ];
    expect(readPairText('', outputs).reply).toBe('ours\nab\n\nc\nE: v');
    expect(readReply(outputs)).toEqual({
      text: 'ours',
      runId: 'r',
      partial: false
    });
  });

  it('is a stream as a terminal shows it', () => {
    const text = (...texts: string[]) =>
      shownText(
        texts.map(text => ({ output_type: 'stream', name: 'stdout', text }))
      );
    expect(text('ab\bc')).toBe('ac');
    expect(text('\b', 'a\n\bb')).toBe('a\nb');
    expect(text('12345\rab')).toBe('ab345');
    expect(text('12345\rab\n', '6')).toBe('ab345\n6');
    expect(text('abc', '\rX')).toBe('Xbc');
  });
});
